"""What is played: each scene is a few scripts, and comes to an end when nothing is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import placet_policy
from placet.model.canonical import digest, parse
from placet.policy.rules import Policy
from tests.gateway import DELETE, REFUND, native
from tests.proofs.outages.people import LOOK_S, Ask, Script, Told, agent, person, rows
from tests.proofs.outages.town import Town

THINKS_S = (
    30 * 60
)  # how long a pause stands in the inbox before Maria decides: longer than whatever is told of it should take
LONG = ("delete_records", {"table": "contacts", "where": "x" * 6_000})
LONGER = {"table": "contacts", "where": "y" * 6_000}
DEADLINES_S = {"money-out": 75 * 60, "general": 90 * 60}
OPERATOR = {"iam": {"userArn": "arn:aws:sts::111122223333:assumed-role/placet-operator/x", "accountId": "111122223333"}}
Begin = Callable[[Town], None]


def policy() -> Policy:
    """The example's rules, with deadlines that a play reaches soon."""
    classes = {
        name: replace(found, deadline_s=DEADLINES_S[name]) for name, found in placet_policy.POLICY.classes.items()
    }
    return replace(placet_policy.POLICY, classes=classes)


def captures(town: Town, name: str, *calls: tuple[str, dict[str, Any]]) -> Generator[Ask | float, Told, str]:
    """An agent hands in a pause."""
    body = {"framework": "langchain", "run": f"run-{name}", "native": native(*calls), "requester": "elif@example.com"}
    answer = yield Ask("capture", "POST /v1/pauses", agent(name), body)
    return str(answer.told["pause"])


def decides(town: Town, pause: str, verdict: str = "accept", **more: Any) -> Script:
    """Maria looks for a pause until it is there, thinks, reads it, and decides all of its calls."""
    captured_ms, people = town.clock.at_ms, town.people
    while True:
        shown = yield from people.looks_for(pause, captured_ms)
        if shown and town.clock.at_ms - people.seen[pause] >= 1000 * THINKS_S:
            detail = yield Ask("review", "GET /v1/reviews/{id}", person("maria"), item=pause)
            for call in rows(detail):
                sent = {
                    "decision": verdict,
                    "revision": call["revision"],
                    "digest": call["digest"],
                    "reason": "because",
                }
                yield Ask("decide", "POST /v1/reviews/{id}/decision", person("maria"), sent | more, call["call"])
        if not town.open_calls(pause):
            return
        yield LOOK_S


def picks_up(town: Town, name: str, pause: str) -> Script:
    """An agent asks for its pause until its run has gone on."""
    while not town.has_ended(pause):
        answer = yield Ask("pick_up", "GET /v1/pauses/{id}", agent(name), item=pause)
        if answer.told.get("state") == "decided":
            yield from town.people.works(name, {"pause": pause, "calls": []}, None, "w")
        yield LOOK_S


def _offered(town: Town, *calls: tuple[str, dict[str, Any]], **decision: Any) -> Script:
    pause = yield from captures(town, "support", *calls)
    town.people.does(decides(town, pause, **decision))
    yield from picks_up(town, "support", pause)


def _pushed(town: Town, name: str) -> Script:
    pause = yield from captures(town, name, REFUND)
    yield from decides(town, pause)


def _expires(town: Town) -> Script:
    """Nobody decides: the first call ends, then the second."""
    pause = yield from captures(town, "support", REFUND, DELETE)
    captured_ms = town.clock.at_ms
    town.people.does(picks_up(town, "support", pause))
    while town.open_calls(pause):
        yield from town.people.looks_for(pause, captured_ms)
        yield LOOK_S


def _withdrawn(town: Town) -> Script:
    pause = yield from captures(town, "billing", REFUND)
    yield 600.0
    yield Ask("capture", "POST /v1/pauses/{id}/cancel", agent("billing"), {"reason": "asked again"}, pause)


def _invokes(town: Town, cents: int, *, waits: bool) -> Script:
    """A caller talks to Bedrock's agent; a turn of which nobody knows what became of it he sends again."""
    number, found = 0, Told(0, {})
    while found.told.get("status") not in (("waiting",) if waits else ("finished", "waiting")):
        if found.told.get("status") not in ("running", "answering"):
            number += 1
        sent = {"run": "conversation", "text": f"refund {cents}", "key": f"turn-{number}"}
        found = yield Ask("invoke_agent", "POST /v1/agents/{agent}/invoke", agent("desk"), sent, "desk")
        if found.status >= 400:
            yield 60.0
    while found.told.get("status") != "finished":
        if found.told.get("status") == "waiting":
            yield from decides(town, str(found.told["pause"]))
        yield LOOK_S
        found = yield Ask("pick_up", "GET /v1/runs/{id}", agent("desk"), item="conversation")


def _browses(town: Town) -> Script:
    """Maria signs in, reads the pages, and decides with a form."""
    pause = yield from captures(town, "support", REFUND)
    town.people.does(picks_up(town, "support", pause))
    yield 900.0
    cookie = ""
    while town.open_calls(pause):
        if not cookie:
            cookie = yield from _signs_in()
        inbox = yield Ask("review", "GET /inbox", {}, more={"cookies": [cookie]})
        if inbox.status == 303:
            cookie = ""
        elif pause in inbox.text:
            yield from _fills_in(pause, cookie)
        yield LOOK_S
    page = yield Ask("review", "GET /inbox", {}, more={"cookies": [cookie]})
    csrf = re.search(r'name="csrf" value="([^"]+)"', page.text)
    if csrf:
        yield Ask("sign_in", "POST /sign-out", {}, {"csrf": csrf[1]}, more={"cookies": [cookie]})


def _signs_in() -> Generator[Ask | float, Told, str]:
    while True:
        left = yield Ask("sign_in", "GET /sign-in/start", {})
        asked = {name: found[0] for name, found in parse_qs(urlsplit(left.headers["location"]).query).items()}
        query = {"code": asked["nonce"], "state": asked["state"]}
        back = yield Ask(
            "sign_in",
            "GET /sign-in/callback",
            {},
            more={"cookies": list(left.cookies), "queryStringParameters": query, "rawQueryString": ""},
        )
        if back.status == 303:
            return back.cookies[0]
        yield 60.0


def _fills_in(pause: str, cookie: str) -> Script:
    page = yield Ask("review", "GET /reviews/{id}", {}, item=pause, more={"cookies": [cookie]})
    fields = {name: re.search(rf'name="{name}" value="([^"]+)"', page.text) for name in ("csrf", "digest", "revision")}
    if all(fields.values()):
        form = {name: found[1] for name, found in fields.items() if found}
        form |= {"decision": "accept", "typed": "240.5"}
        yield Ask("decide", "POST /reviews/{id}/decide", {}, form, f"{pause}-1", {"cookies": [cookie]})


def _held(town: Town) -> Script:
    """An operator holds everything, finds a pause, and lets it go on."""
    pause = yield from captures(town, "billing", REFUND)
    town.people.does(decides(town, pause))
    yield 600.0
    yield Ask("operate", "POST /v1/operations/freeze", OPERATOR, {"reason": "looking"})
    yield Ask(
        "operate",
        "GET /v1/operations/find",
        OPERATOR,
        more={"queryStringParameters": {"of": pause}, "rawQueryString": ""},
    )
    yield Ask("operate", "POST /v1/operations/thaw", OPERATOR, {})


def _unheard(town: Town) -> Script:
    """The stream brings nothing for a while, and the agent does nothing with the first decisions it gets."""
    town.loses_records, town.people.forgets = True, 1
    pause = yield from captures(town, "billing", REFUND)
    town.people.does(decides(town, pause))
    yield 120.0
    town.loses_records = False


def _one(script: Callable[[Town], Script]) -> Begin:
    return lambda town: town.people.does(script(town))


SCENES: dict[str, Begin] = {
    "picked up": _one(lambda town: _offered(town, REFUND)),
    "long texts": _one(
        lambda town: _offered(
            town, LONG, verdict="edit", arguments=json.dumps(LONGER), new_digest=digest(parse(json.dumps(LONGER)))
        )
    ),
    "lambda": _one(lambda town: _pushed(town, "billing")),
    "queue": _one(lambda town: _pushed(town, "queue")),
    "webhook": _one(lambda town: _pushed(town, "hook")),
    "expires": _one(_expires),
    "withdrawn": _one(_withdrawn),
    "bedrock": _one(lambda town: _invokes(town, 50_000, waits=True)),
    "bedrock passes": _one(lambda town: _invokes(town, 5_000, waits=False)),
    "browser": _one(_browses),
    "held": _one(_held),
    "unheard": _one(_unheard),
}
