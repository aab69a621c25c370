"""One case: healthy pauses in every state, one pause in some state whose stored item is hurt, and what became of all of them."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

from placet import wiring
from placet.model.pauses import Agent, call_id
from placet.model.states import PauseState, ResumeState, Verdict
from placet.records.keys import Key
from placet.service.answer import answer
from placet.service.ask import ask
from placet.service.execute import claim
from placet.service.stuck import list_stuck
from tests.gateway import BILLING, REFUND, SMALL, SUPPORT, Gateway
from tests.proofs.hurting.crew import BASE, Crew
from tests.proofs.hurting.damages import Damage

LONG = ("delete_records", {"table": "contacts", "where": "x" * 6_000})
LESS = '{"order_id":"1182","amount":200.00}'
HOUR_S = 3_600
ROUNDS = (120, 180, 180, 5 * HOUR_S, 1_000, 1_000, 200)  # seconds between them; the long one brings deadlines


def about(name: str, **more: Any) -> dict[str, Any]:
    """What a pause of this name is captured with."""
    return {"run": f"run-{name}", "checkpoint": f"cp-{name}", "entity": f"order:{name}", **more}


def _new(gateway: Gateway, name: str) -> str:
    """Captured, and its stream record was lost."""
    pause = gateway.capture(REFUND, **about(name)).head.pause
    gateway.table.changes.clear()
    return pause


def _queue(gateway: Gateway, name: str) -> str:
    return gateway.shown(REFUND, **about(name)).pause


def _accepted(gateway: Gateway, name: str, **more: Any) -> str:
    head = gateway.shown(REFUND, **about(name, **more))
    gateway.decide(head, 1, Verdict.ACCEPT)
    return head.pause


def _called(gateway: Gateway, name: str) -> str:
    return _accepted(gateway, name, agent=BILLING)


def _rejected(gateway: Gateway, name: str) -> str:
    head = gateway.shown(REFUND, **about(name))
    gateway.decide(head, 1, Verdict.REJECT)
    return head.pause


def _edited(gateway: Gateway, name: str) -> str:
    from placet.model.canonical import digest, parse

    head = gateway.shown(REFUND, **about(name))
    gateway.decide(head, 1, Verdict.EDIT, arguments=LESS, new_digest=digest(parse(LESS)))
    return head.pause


def _answered(gateway: Gateway, name: str) -> str:
    """Its agent was asked about it, and has answered."""
    pause = gateway.shown(REFUND, **about(name)).pause
    ask(gateway.ports, gateway.maria, call_id(pause, 1), "Which order?", 1)
    answer(gateway.ports, SUPPORT, call_id(pause, 1), 1, f"Order {name}.", ())
    return pause


def _long(gateway: Gateway, name: str) -> str:
    """Its body lies in the bucket."""
    head = gateway.shown(LONG, **about(name))
    gateway.decide(head, 1, Verdict.ACCEPT)
    return head.pause


def _claimed(gateway: Gateway, name: str) -> str:
    """A worker claimed it and never came back."""
    pause = _accepted(gateway, name)
    claim(gateway.ports, SUPPORT, call_id(pause, 1), gateway.head(pause).calls[0].digest, "gone")
    return pause


def _passed(gateway: Gateway, name: str) -> str:
    return gateway.capture(SMALL, **about(name)).head.pause


def _stuck(gateway: Gateway, name: str) -> str:
    head = gateway.shown(REFUND, **about(name))
    list_stuck(gateway.ports, gateway.head(head.pause), "wait_failed")
    return head.pause


STATES = {
    "new": _new,
    "queue": _queue,
    "accepted": _accepted,
    "called": _called,
    "rejected": _rejected,
    "edited": _edited,
    "answered": _answered,
    "long": _long,
    "claimed": _claimed,
    "passed": _passed,
    "stuck": _stuck,
}
AGENT_OF = {"called": BILLING}


@dataclass(frozen=True)
class Case:
    """One item that is hurt.

    Attributes:
        kind: of the item; state: of its pause.
        vital: whether its pause cannot end without it.
    """

    kind: str
    state: str
    damage: str
    hurt: Damage
    vital: bool = True


@dataclass
class Outcome:
    """What became of a case.

    Attributes:
        stopped: healthy pauses that did not come to their end.
        unlisted: pauses that neither ended nor were listed, with whether it was the hurt one.
        alarms: how often the hurt pause rang.
        repaired: whether it went on once its item was back.
        errors: server errors, by where.
    """

    stopped: list[str] = field(default_factory=list)
    unlisted: list[str] = field(default_factory=list)
    alarms: int = 0
    listed: bool = False
    repaired: bool = False
    errors: dict[str, int] = field(default_factory=dict)
    codes: set[str] = field(default_factory=set)


@contextmanager
def wired(gateway: Gateway) -> Iterator[None]:
    """Every handler works on this gateway."""

    def ports(*names: str) -> Any:
        return gateway.ports

    def log(name: str, facts: dict[str, Any]) -> None:
        gateway.log.append((name, dict(facts)))

    with (
        mock.patch.object(wiring, "ports", ports),
        mock.patch.object(wiring, "log", log),
        mock.patch.object(wiring, "operators", return_value=frozenset({"placet-operator"})),
        mock.patch.object(wiring, "base_url", return_value=BASE),
    ):
        yield


def play(case: Case, hurts: Any) -> Outcome:
    """Play one case to its end. `hurts(gateway, crew, pause, case)` hurts the item and gives back what mends it."""
    gateway = Gateway()
    with wired(gateway):
        healthy = {state: make(gateway, f"well-{state}") for state, make in STATES.items()}
        pause = STATES[case.state](gateway, "hurt")
        crew = Crew(gateway, decisions={healthy["stuck"]: "nothing", healthy["queue"]: "nothing", pause: "accept"})
        crew.notified |= set(gateway.waits.started)
        mend = hurts(gateway, crew, pause, case)
        outcome = Outcome()
        for at, seconds in enumerate(ROUNDS):
            if at in (1, 5):
                crew.touches(pause, AGENT_OF.get(case.state, SUPPORT))
            if at == 2:
                crew.operates("thaw", {})
            crew.round(seconds)
        _judge(outcome, case, gateway, crew, healthy, pause)
        _mended(outcome, gateway, crew, pause, mend)
        outcome.errors, outcome.codes = dict(crew.errors), set(crew.codes)
        return outcome


def has_ended(gateway: Gateway, pause: str) -> bool:
    """Whether its run went on, by its own readable record."""
    item = gateway.table.items.get(gateway.keys.head(pause), {})
    return (item.get("state"), item.get("resume_state")) == (PauseState.ENDED.value, ResumeState.DONE.value)


def _judge(outcome: Outcome, case: Case, gateway: Gateway, crew: Crew, healthy: dict[str, str], pause: str) -> None:
    stuck, found = crew.operators("order:hurt")
    listed = {one["pause"]: one["reason"] for one in stuck}
    for state, one in healthy.items():
        if not has_ended(gateway, one) and (state, listed.get(one)) != ("claimed", "permit_unknown"):
            outcome.stopped.append(state)
        runs = state not in ("rejected", "queue", "claimed", "stuck")
        if crew.effects[call_id(one, 1)] != (1 if runs else 0):
            outcome.stopped.append(f"{state} was executed {crew.effects[call_id(one, 1)]} times")
    outcome.alarms = sum(name == "stuck" and facts.get("pause") == pause for name, facts in gateway.log)
    outcome.listed = listed.get(pause) in ("damaged", "parked")
    erased = gateway.keys.head(pause) not in gateway.table.items
    if not (has_ended(gateway, pause) or pause in listed or erased):
        outcome.unlisted.append(f"{case.state}: {gateway.table.items[gateway.keys.head(pause)].get('wpk')}")
    if not erased and pause not in {one["pause"] for one in found} and not case.damage.startswith(("keys", "gone")):
        outcome.unlisted.append(f"{case.state} is not found")


def _mended(outcome: Outcome, gateway: Gateway, crew: Crew, pause: str, mend: Any) -> None:
    """Its item is put back as it was, where it stands now, and the operator repairs it."""
    if not outcome.listed:
        return
    mend()
    status, _ = crew.operates("pauses/{id}/repair", {}, pause)
    for seconds in (120, 180, 180, 200):
        crew.round(seconds)
    outcome.repaired = status == 200 and (has_ended(gateway, pause) or gateway.head(pause).stuck in ("permit_unknown",))


def put_back(gateway: Gateway, key: Key) -> Any:
    """What puts an item back as it is now; the place where its pause stands by then stays."""
    before = copy.deepcopy(gateway.table.items[key])

    def mend() -> None:
        now = gateway.table.items.get(key, {})
        if now.get("stuck") not in ("damaged", "parked"):  # it stands where it stood
            gateway.table.items[key] = before
            return
        place = {name: now[name] for name in ("wpk", "wsk", "stuck") if name in now}
        gateway.table.items[key] = {
            name: one for name, one in before.items() if name not in ("wpk", "wsk", "stuck")
        } | place

    return mend


def agent_of(state: str) -> Agent:
    """Whose pause of this state it is."""
    return AGENT_OF.get(state, SUPPORT)
