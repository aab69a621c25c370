"""A table full of pauses of every kind: live ones that somebody has to come to, and among them dead ones that nobody can use."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from local.ports import MemoryClock
from placet.model.canonical import parse
from placet.model.pauses import Agent, call_id
from placet.model.states import Verdict
from placet.records.heads import Head
from placet.service.execute import claim
from placet.service.resume import take
from placet.service.stuck import list_stuck
from tests.gateway import BILLING, DELETE, REFUND, SMALL, SUPPORT, Gateway, native, without_class

ENTITY = "shop:everything"
RUNS = 5  # names, each of both agents
GONE = Agent("old-agent", "placet-old-agent", "owner@example.com", "pick_up")
LARGE = {"table": '"' * 120_000, "where": "x"}  # half a megabyte as an answer
Mix = dict[str, int]

# How many of each kind; the dead ones are captured first, so that they stand in front.
FULL: Mix = {
    "unusable": 130, "claimed": 40, "damaged": 40, "body lost": 20, "agent gone": 40, "class gone": 40, "listed": 23,
    "large": 14, "waiting": 233, "several classes": 100, "decided": 180, "passed": 40, "event lost": 100,
}  # fmt: skip
QUICK: Mix = {
    "unusable": 104, "claimed": 8, "damaged": 9, "body lost": 5, "agent gone": 9, "class gone": 9, "listed": 6,
    "large": 14, "waiting": 70, "several classes": 30, "decided": 30, "passed": 6, "event lost": 20,
}  # fmt: skip
DEAD = ("unusable", "claimed", "damaged", "body lost", "agent gone", "class gone", "listed")
FOR_PEOPLE = ("waiting", "several classes", "event lost")
FOR_WORKERS = ("large", "decided", "passed")
OFFERED = ("unusable", "claimed", "damaged", "body lost", *FOR_WORKERS)  # what stands on the pick-up list of one agent


@dataclass
class Crowd:
    """The gateway, the pauses by kind, and the run of each."""

    gateway: Gateway
    pauses: dict[str, list[str]] = field(default_factory=dict)
    runs: dict[str, str] = field(default_factory=dict)

    def of(self, *kinds: str) -> set[str]:
        """The pauses of these kinds."""
        return {pause for kind in kinds for pause in self.pauses[kind]}


def made(mix: Mix) -> Crowd:
    """Every pause of a mix, on one gateway."""
    crowd = Crowd(Gateway())
    number = 0
    for kind, many in mix.items():
        crowd.pauses[kind] = []
        for _ in range(many):
            number += 1
            pause = MAKES[kind](crowd.gateway, number)
            crowd.pauses[kind].append(pause)
            crowd.runs[pause] = crowd.gateway.table.items[crowd.gateway.keys.head(pause)]["run"]
    crowd.gateway.clock.move(61)  # what passed at once is offered to others from now on
    return crowd


def copied(crowd: Crowd) -> Crowd:
    """Another crowd of the same pauses, where they stand."""
    old, new = crowd.gateway, Gateway(clock=MemoryClock(crowd.gateway.clock.at_ms))
    new.table.items = copy.deepcopy(old.table.items)
    new.bodies.texts = dict(old.bodies.texts)
    new.waits.started = dict(old.waits.started)
    return Crowd(new, crowd.pauses, crowd.runs)


def about(number: int) -> dict[str, Any]:
    """What a pause is captured with: few runs, one entity."""
    return {"run": f"run-{number % RUNS}", "checkpoint": f"cp-{number}", "entity": ENTITY}


def _decided(gateway: Gateway, number: int, **facts: Any) -> Head:
    head = gateway.shown(REFUND, **about(number) | facts)
    gateway.decide(head, 1, Verdict.ACCEPT)
    return gateway.head(head.pause)


def _usable(gateway: Gateway, number: int) -> str:
    return _decided(gateway, number).pause


def _claimed(gateway: Gateway, number: int) -> str:
    """Taken by a worker who claimed its call and died."""
    head = _decided(gateway, number)
    (taken,) = take(gateway.ports, SUPPORT, head.pause)
    claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w", taken["fence"])
    return head.pause


def _damaged(gateway: Gateway, number: int) -> str:
    """Its head has another shape: while it waits for people, or decided."""
    facts = {**about(number), "run": "run-damaged"}
    head = gateway.shown(REFUND, **facts) if number % 2 else _decided(gateway, number, run="run-damaged")
    gateway.deliver()
    gateway.table.items[gateway.keys.head(head.pause)]["card"] = "no card"
    return head.pause


def _body_lost(gateway: Gateway, number: int) -> str:
    head = _decided(gateway, number)
    gateway.deliver()
    del gateway.table.items[gateway.keys.body(head.pause, head.body)]
    return head.pause


def _agent_gone(gateway: Gateway, number: int) -> str:
    return _decided(gateway, number, agent=GONE).pause


def _class_gone(gateway: Gateway, number: int) -> str:
    """Shown under a policy that had another class."""
    today = gateway.policy
    gateway.policy = without_class(today, "general", "old-class")
    try:
        return gateway.shown(DELETE, **about(number)).pause
    finally:
        gateway.policy = today


def _listed(gateway: Gateway, number: int) -> str:
    head = gateway.shown(REFUND, **about(number), agent=BILLING)
    list_stuck(gateway.ports, gateway.head(head.pause), "wait_failed")
    return head.pause


def _large(gateway: Gateway, number: int) -> str:
    raw = parse(json.dumps(native(("delete_records", LARGE), checkpoint=f"cp-{number}")))
    facts = {name: one for name, one in about(number).items() if name != "checkpoint"}
    head = gateway.show(gateway.hand_in(raw, **facts).head)
    gateway.decide(head, 1, Verdict.ACCEPT)
    return head.pause


def _waiting(gateway: Gateway, number: int) -> str:
    agent = BILLING if number % 3 == 0 else SUPPORT
    return gateway.shown(REFUND if number % 2 else DELETE, **about(number), agent=agent).pause


def _several(gateway: Gateway, number: int) -> str:
    return gateway.shown(REFUND, DELETE, **about(number)).pause


def _passed(gateway: Gateway, number: int) -> str:
    return gateway.capture(SMALL, **about(number)).head.pause


def _event_lost(gateway: Gateway, number: int) -> str:
    """Captured, and nothing came of its event."""
    pause = gateway.capture(REFUND, **about(number)).head.pause
    gateway.table.changes.clear()
    return pause


MAKES: dict[str, Callable[[Gateway, int], str]] = {
    "unusable": _usable, "claimed": _claimed, "damaged": _damaged, "body lost": _body_lost, "agent gone": _agent_gone,
    "class gone": _class_gone, "listed": _listed, "large": _large, "waiting": _waiting, "several classes": _several,
    "decided": _usable, "passed": _passed, "event lost": _event_lost,
}  # fmt: skip
