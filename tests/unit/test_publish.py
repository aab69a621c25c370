"""What happened is told on the bus: every kind of it, under a name that stays, and no word of what nobody may know."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

import jsonschema
import pytest

from local.ports import MemoryBus
from placet.model.bus import COMMON, FIELDS, FROM_THE_HEAD, SCHEMAS, TOLD, BusEvent, Kind, schema_of
from placet.model.errors import Conflict, PlacetError
from placet.model.events import CATALOGUE, EventName
from placet.model.pauses import call_id
from placet.model.states import PermitState, Verdict
from placet.records import writes
from placet.service import execute, operate
from placet.service.answer import answer
from placet.service.ask import ask
from placet.service.cancel import cancel
from placet.service.comment import comment
from placet.service.escalate import escalate
from placet.service.extend import extend
from placet.service.publish import Change, publish
from placet.service.reassign import reassign
from placet.service.sweep import sweep
from placet.service.undo import undo
from placet.service.went_on import resumed
from tests.gateway import DELETE, REFUND, SMALL, SUPPORT, Gateway

ELSEWHERE = {Kind.RULED, Kind.REMINDED, Kind.WIDENED, Kind.UNDO_PROPOSED}  # what the flow here does not come to
SECRETS = ("240.5", "elif@example.com", "Maria", "maria@example.com", "because", "age > 90", "not this", "1182")


@dataclass
class Heard(Gateway):
    """A gateway whose stream has a second reader."""

    bus: MemoryBus = field(default_factory=MemoryBus)

    @property
    def ports(self) -> Any:
        return replace(super().ports, bus=self.bus, base_url="https://placet.example.com")

    def deliver(self) -> None:
        changes = list(self.table.changes)
        super().deliver()
        publish(self.ports, [Change(old, new, self.clock.now_ms()) for old, new in changes])

    @property
    def kinds(self) -> list[str]:
        self.deliver()
        return [one.kind.value for one in self.bus.events]

    def last(self, kind: Kind) -> dict[str, Any]:
        self.deliver()
        return dict([one for one in self.bus.events if one.kind is kind][-1].detail)


@pytest.fixture
def gateway() -> Heard:
    return Heard()


def whole_course(gateway: Heard) -> None:
    """Everything that can happen to pauses."""
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND, run="run-1")
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, gateway.jonas)
    at, digest = call_id(head.pause, 1), head.calls[0].digest
    with pytest.raises(PlacetError):
        execute.claim(gateway.ports, SUPPORT, at, "0" * 64, "w-0")
    gateway.clock.move(86_400 * 2)
    with pytest.raises(Conflict):
        execute.claim(gateway.ports, SUPPORT, at, digest, "w-1")
    sweep(gateway.ports)
    gateway.show(gateway.head(head.pause))
    for who in (gateway.maria, gateway.jonas):
        gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, who)
    execute.claim(gateway.ports, SUPPORT, at, digest, "w-2")
    execute.outcome(gateway.ports, SUPPORT, at, "w-2", PermitState.UNKNOWN, "refund of 240.5")
    operate.reconcile(gateway.ports, "ops@example.com", at, PermitState.DONE, "not this")
    resumed(gateway.ports, SUPPORT, head.pause)
    gateway.deliver()

    left = gateway.capture(SMALL, run="run-2", checkpoint="cp-2").head
    resumed(gateway.ports, SUPPORT, left.pause)
    late = gateway.shown(DELETE, run="run-3", checkpoint="cp-3")
    comment(gateway.ports, gateway.maria, late.pause, "order 1182, because of 240.5")
    extend(gateway.ports, gateway.maria, call_id(late.pause, 1), late.deadline_ms + 60_000, "not this week")
    ask(gateway.ports, gateway.maria, call_id(late.pause, 1), "because of 240.5?", 1)
    answer(gateway.ports, SUPPORT, call_id(late.pause, 1), 1, "not this one, 1182", ())
    gateway.clock.move(86_400 * 30)
    assert escalate(gateway.ports, late.pause) == "expired"
    handed = gateway.shown(DELETE, run="run-9", checkpoint="cp-9")
    reassign(gateway.ports, gateway.maria, call_id(handed.pause, 1), group="approvers")
    gone = gateway.shown(DELETE, run="run-4", checkpoint="cp-4")
    cancel(gateway.ports, SUPPORT, gone.pause, "not this any more")
    stuck = gateway.shown(DELETE, run="run-5", checkpoint="cp-5")
    gateway.table.write(writes.list_stuck(gateway.keys, stuck, "resume_failed", gateway.clock.now_ms()))
    operate.repair(gateway.ports, "ops@example.com", stuck.pause)
    gateway.with_policy(quorum=1, undo_s=60)
    back = gateway.shown(REFUND, run="run-6", checkpoint="cp-6")
    gateway.decide(back, 1, Verdict.ACCEPT)
    undo(gateway.ports, gateway.jonas, call_id(back.pause, 1), 1)
    gateway.deliver()


def test_a_decision_that_may_be_taken_back_says_until_when(gateway: Heard) -> None:
    gateway.with_policy(undo_s=60)
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    assert gateway.last(Kind.DECIDED)["held_until_ms"] == gateway.head(head.pause).held_ms
    undo(gateway.ports, gateway.jonas, call_id(head.pause, 1), 1)
    told = gateway.last(Kind.UNDONE)
    assert (told["call"], told["revision"], told["by"], told["group"], told["open_calls"]) == (
        1,
        1,
        "jonas",
        "finance",
        1,
    )
    gateway.decide(gateway.head(head.pause), 1, Verdict.REJECT)
    assert gateway.last(Kind.DECIDED)["held_until_ms"] == 0


def test_every_kind_occurs_and_fits_its_schema(gateway: Heard) -> None:
    whole_course(gateway)
    for one in gateway.bus.events:
        jsonschema.Draft202012Validator({**schema_of(one.kind), "additionalProperties": False}).validate(
            json.loads(json.dumps(one.detail))
        )
    written = {TOLD[name][0] for name in EventName if name in TOLD} | {
        Kind.CAPTURED,
        Kind.VISIBLE,
        Kind.RESUMED,
        Kind.STUCK,
    }
    assert {one.kind for one in gateway.bus.events} >= written - ELSEWHERE
    assert len({one.id for one in gateway.bus.events}) == len(gateway.bus.events)


def test_nothing_is_told_that_nobody_may_know(gateway: Heard) -> None:
    whole_course(gateway)
    told = json.dumps([dict(one.detail) for one in gateway.bus.events])
    assert [word for word in SECRETS if word in told] == []


def test_the_way_of_one_call(gateway: Heard) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    at = call_id(head.pause, 1)
    execute.claim(gateway.ports, SUPPORT, at, head.calls[0].digest, "w")
    execute.outcome(gateway.ports, SUPPORT, at, "w", PermitState.DONE, "fine")
    resumed(gateway.ports, SUPPORT, head.pause)
    assert gateway.kinds == ["captured", "visible", "decided", "outcome", "resumed"]
    decided = gateway.last(Kind.DECIDED)
    assert (decided["agent"], decided["tools"], decided["classes"]) == (
        "support-agent",
        ["issue_refund"],
        ["money-out"],
    )
    assert (decided["verdict"], decided["state"], decided["by"], decided["group"]) == (
        "accept", "accepted", "maria", "finance",
    )  # fmt: skip
    assert decided["link"] == f"https://placet.example.com/reviews/{head.pause}"
    assert gateway.last(Kind.VISIBLE)["deadline_ms"] == head.deadline_ms


def test_what_comes_twice_has_the_same_id(gateway: Heard) -> None:
    gateway.capture(REFUND)
    changes = [Change(old, new, 1) for old, new in gateway.table.changes]
    publish(gateway.ports, changes)
    publish(gateway.ports, [Change(one.old, one.new, 2) for one in changes])
    first, second = gateway.bus.events
    assert first.id == second.id


def test_only_what_was_not_taken_comes_again(gateway: Heard) -> None:
    for number in range(3):
        gateway.capture(REFUND, run=f"run-{number}", checkpoint=f"cp-{number}")
    changes = [Change(old, new, 1) for old, new in gateway.table.changes if new and new["kind"] == "HEAD"]
    refused = changes[1].new["pk"].rpartition("#")[2]
    gateway.bus.refused = lambda event: event.detail["pause"] == refused
    assert publish(gateway.ports, changes) == [True, False, True]
    gateway.bus.refused = lambda event: False
    assert publish(gateway.ports, changes[1:2]) == [True]
    assert len({one.detail["pause"] for one in gateway.bus.events}) == 3


@pytest.mark.parametrize("odd", [{}, {"name": 7}, {"name": "a later one"}, {"kind": "EVENT", "name": "decided"}])
def test_an_item_of_another_shape_stops_nobody(gateway: Heard, odd: dict[str, Any]) -> None:
    head = gateway.capture(REFUND).head
    item = {"pk": f"T#main#P#{head.pause}", "sk": "E#x", "kind": "EVENT", **odd}
    changes = [Change(None, item, 1), *(Change(old, new, 1) for old, new in gateway.table.changes)]
    assert all(publish(gateway.ports, changes))
    assert [one.kind for one in gateway.bus.events] == [Kind.CAPTURED]


def test_a_head_of_another_shape_is_told_with_what_it_has(gateway: Heard) -> None:
    head = gateway.capture(REFUND).head
    gateway.deliver()
    stored = gateway.table.items[gateway.keys.head(head.pause)]
    del stored["card"]
    gateway.table.write(writes.list_unreadable(gateway.keys, stored, "damaged", gateway.clock.now_ms()))
    told = gateway.last(Kind.STUCK)
    assert (told["reason"], told["agent"], told["tools"]) == ("damaged", "support-agent", [])


def test_every_stored_event_is_told_or_said_not_to_be() -> None:
    assert set(EventName) - set(TOLD) - FROM_THE_HEAD == {EventName.FROZEN}, "which is of no pause"
    for name, (kind, fields) in TOLD.items():
        assert set(fields) == FIELDS[kind]
        assert name not in set(EventName) or set(fields.values()) <= CATALOGUE[EventName(name)]


@pytest.mark.parametrize("kind", Kind)
def test_the_schemas_are_those_of_the_catalogue(kind: Kind) -> None:
    schema = schema_of(kind)
    assert set(schema["properties"]) == set(schema["required"]) == COMMON | FIELDS[kind]
    assert schema["title"] == kind.detail_type
    assert all(one.get("description") for one in schema["properties"].values())


def test_there_are_no_schemas_of_nothing() -> None:
    assert {path.stem for path in SCHEMAS.glob("*.json")} == {kind.detail_type for kind in Kind}


def test_an_event_with_a_field_more_is_none() -> None:
    with pytest.raises(ValueError, match="arguments"):
        BusEvent(Kind.RESUMED, {**dict.fromkeys(COMMON, ""), "arguments": "{}"})
