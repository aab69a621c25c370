"""Another agent's run of an equal name: nobody sees, ends, claims or hides what is not theirs."""

from __future__ import annotations

import random
from typing import Any

from placet.model.pauses import Agent, call_id
from placet.model.states import CallState
from placet.records.heads import Head
from tests.functions.calling import every_route
from tests.gateway import BILLING, REFUND, SUPPORT, native
from tests.proofs.forging.house import House
from tests.proofs.forging.tally import Tally

KIND = "another agent's run of this name"
NAMED = ("pauses", "resumes", "calls")  # routes of these take the id of a pause or a call
ONLY_OWN = {"POST /v1/pauses", "GET /v1/resumes"}  # they take no id: what is captured and listed is the caller's own


def tried(house: House, tally: Tally, dice: random.Random, foreign: int) -> None:
    """Two agents pause under each run's name; the other one is tried on every route, then poisons the name."""
    names = ["thread-1", "names", f"run {dice.randrange(10**6)}", "a#b", "T#main#R#x", "\u00e4" * 200]
    for name in names:
        mine, theirs = (_paused(house, agent, name, "cp") for agent in (SUPPORT, BILLING))
        for agent, own, other in ((SUPPORT, mine, theirs), (BILLING, theirs, mine)):
            _follows(house, tally, agent, name, own)
            _reaches(house, tally, agent, own, other)
    _poisoned(house, tally, foreign)


def _paused(house: House, agent: Agent, run: str, checkpoint: str, *, supersedes: bool = False) -> Head:
    house.clock.at_ms += 1
    made = native(REFUND, checkpoint=f"{run}-{checkpoint}")
    body = {
        "framework": "langchain",
        "run": run,
        "native": made,
        "requester": "elif@example.com",
        "supersedes": supersedes,
    }
    status, told = house.agent(agent, "POST /v1/pauses", body)
    assert status == 201, told
    return house.show(house.head(told["pause"]))


def _follows(house: House, tally: Tally, agent: Agent, name: str, own: Head) -> None:
    tally.tried(KIND)
    status, told = house.agent(agent, "GET /v1/runs/{id}", path={"id": name})
    seen = (status, told.get("status"), told.get("pause"), told.get("pauses"))
    right = seen == (200, "waiting", own.pause, [own.pause])
    tally.seen_by_others += not right
    tally.must(right, f"{KIND}: {agent.name} follows {name[:20]!r} and sees {seen}")
    tally.honest[KIND] += right


def _reaches(house: House, tally: Tally, agent: Agent, own: Head, other: Head) -> None:
    """Every route that names a pause or a call, with one that is not this agent's."""
    pause, call, digest = {"id": other.pause}, {"id": call_id(other.pause, 1)}, other.calls[0].digest
    asked: list[tuple[str, Any, dict[str, str]]] = [
        ("GET /v1/pauses/{id}", None, pause),
        ("GET /v1/pauses/{id}/status", None, pause),
        ("POST /v1/pauses/{id}/cancel", {"reason": "mine"}, pause),
        ("POST /v1/pauses/{id}/cancel", {"reason": "mine", "successor": other.pause}, {"id": own.pause}),
        ("POST /v1/pauses/{id}/answer", {"call": call["id"], "question": 1, "text": "mine"}, pause),
        ("POST /v1/resumes", {"pause": other.pause}, {}),
        ("POST /v1/resumes/{id}/lease", {"fence": 1}, pause),
        ("POST /v1/resumes/{id}/release", {"fence": 1}, pause),
        ("POST /v1/resumes/{id}/outcome", {"state": "resumed"}, pause),
        ("POST /v1/calls/{id}/claim", {"digest": digest, "worker": "w"}, call),
        ("POST /v1/calls/{id}/renew", {"worker": "w"}, call),
        ("POST /v1/calls/{id}/outcome", {"worker": "w", "permit": "done"}, call),
    ]
    named = {one.route for one in every_route() if one.who == "agent" and one.route.split("/")[2] in NAMED}
    untried = named - {route for route, _, _ in asked} - ONLY_OWN
    tally.must(not untried, f"{KIND}: nobody tries {sorted(untried)}")
    for route, body, path in asked:
        tally.tried(KIND)
        status, told = house.agent(agent, route, body, path)
        tally.seen_by_others += status != 404
        tally.must(status == 404, f"{KIND}: {agent.name}, {route}: {status} {told}")
    tally.must(house.head(other.pause) == other, f"{KIND}: {agent.name} changed {other.pause}")


def _poisoned(house: House, tally: Tally, foreign: int) -> None:
    """So many pauses of another agent under a run's name: it is followed, and asked anew, as without them."""
    name = "poisoned"
    old = _paused(house, SUPPORT, name, "old")
    for number in range(foreign):
        house.capture(("get_order", {"order_id": str(number)}), agent=BILLING, run=name, checkpoint=f"foreign-{number}")
        tally.tried(KIND)
    _follows(house, tally, SUPPORT, name, old)
    new = _paused(house, SUPPORT, name, "new", supersedes=True)
    state = house.head(old.pause).calls[0].state
    tally.seen_by_others += state is not CallState.SUPERSEDED
    tally.must(state is CallState.SUPERSEDED, f"{KIND}: beside {foreign} others what was asked anew is {state.value}")
    tally.must(house.head(new.pause).calls[0].state is CallState.PENDING, f"{KIND}: the new call is closed")
