"""What stands beside the flow and is noticed late: alarms, timers that are set again, edges that wake nobody, other levels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from local.memory import MemoryTable
from placet.model.errors import Busy
from placet.model.states import Verdict
from placet.policy import Level
from placet.records.ops import ConditionFailed, Op, Put
from placet.service.asking import reviewers_of
from placet.service.dispatch import Edge, edge_of
from placet.service.escalate import escalate
from placet.service.execute import claim
from placet.service.notify import notify
from placet.service.resume import REDELIVER_MS, handed_over
from placet.service.sweep import sweep
from tests.gateway import BILLING, DELETE, REFUND, SUPPORT, Gateway, approved


class Before(MemoryTable):
    """A table on which something happens just before a write of one kind, once."""

    def __init__(self) -> None:
        super().__init__()
        self.waits_for: Any = lambda op: False
        self.happens: Any = None

    def write(self, ops: list[Op]) -> None:
        if self.happens is not None and any(self.waits_for(op) for op in ops):
            happens, self.happens = self.happens, None
            happens()
        super().write(ops)


def is_token(op: Op) -> bool:
    return isinstance(op, Put) and op.item.get("kind") == "TOKEN"


def test_a_decision_just_before_its_token_is_stored_is_told_to_that_token() -> None:
    """Else the execution would stay open until its time-out."""
    table = Before()
    gateway = Gateway(table=table)
    head = gateway.shown(REFUND)

    def decided() -> None:
        gateway.decide(head, 1, Verdict.ACCEPT)
        gateway.deliver()

    table.waits_for, table.happens = is_token, decided
    notify(gateway.ports, head.pause, 1, "second")
    gateway.deliver()
    assert table.happens is None
    assert gateway.waits.answered == [f"token of {head.pause}-1", "second"]


def test_decisions_of_a_new_round_are_not_those_that_were_handed_over(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    now = gateway.clock.now_ms()
    again = replace(head, gen=2, delivered_gen=1, delivered_ms=now)
    assert not handed_over(again, now)
    assert handed_over(replace(again, delivered_gen=2), now + REDELIVER_MS - 1)
    assert not handed_over(replace(again, delivered_gen=2), now + REDELIVER_MS)


@pytest.mark.parametrize("claim_s", [60, 900])
def test_a_permit_that_nobody_reported_rings_after_the_time_of_its_class(gateway: Gateway, claim_s: int) -> None:
    gateway.with_policy(claim_s=claim_s)
    head, call = approved(gateway)
    claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w")
    gateway.clock.move(claim_s - 1)
    assert sweep(gateway.ports).given_up == 0
    gateway.clock.move(1)
    swept = sweep(gateway.ports)
    assert (swept.given_up, swept.listed) == (1, 1)
    assert ("stuck", {"pause": head.pause, "reason": "permit_unknown"}) in gateway.log
    gateway.log.clear()
    sweep(gateway.ports)
    assert "stuck" not in [name for name, _ in gateway.log], "it rings once"


def test_a_pause_that_fails_in_a_sweep_is_told_with_its_code(gateway: Gateway) -> None:
    pause = gateway.capture(REFUND).head.pause
    gateway.clock.move(120)

    class Away:
        def start(self, name: str, facts: dict[str, Any]) -> bool:
            raise Busy

        def answer(self, token: str, facts: dict[str, Any]) -> bool:
            raise Busy

    gateway.waits = Away()  # type: ignore[assignment]
    assert sweep(gateway.ports).failed == 1
    assert ("sweep_failed", {"pause": pause, "code": "busy"}) in gateway.log


def test_a_fault_of_our_own_at_one_pause_is_told_and_the_others_go_on(gateway: Gateway) -> None:
    first = gateway.capture(REFUND).head.pause
    second = gateway.capture(REFUND, checkpoint="cp-2").head.pause
    gateway.clock.move(120)
    real = gateway.waits.start

    def start(name: str, facts: dict[str, Any]) -> bool:
        if facts["pause"] == first:
            raise ZeroDivisionError
        return real(name, facts)

    gateway.waits.start = start  # type: ignore[method-assign]
    swept = sweep(gateway.ports)
    assert (swept.failed, swept.started) == (1, 1)
    assert f"{second}-1" in gateway.waits.started
    told = [facts for name, facts in gateway.log if name == "sweep_failed"]
    assert [one["pause"] for one in told] == [first]
    assert "ZeroDivisionError" in repr(told)


def test_a_sweep_says_what_it_did(gateway: Gateway) -> None:
    swept = sweep(gateway.ports)
    assert ("swept", vars(swept)) in gateway.log
    assert set(vars(swept).values()) == {0}


def test_the_sweep_asks_for_the_generation_that_is_decided(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, agent=BILLING)
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.clock.move(3_600)
    assert sweep(gateway.ports).resumed == 1
    assert gateway.verbs.called == [("resume", {"tenant": "main", "pause": head.pause, "gen": 1})]


def test_a_timer_that_fired_early_is_set_again_for_the_deadline(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.timers.moments.clear()
    assert escalate(gateway.ports, head.pause) == "early"
    assert gateway.timers.moments == {head.pause: head.deadline_ms}


def test_a_timer_of_a_pause_that_is_not_shown_yet_sets_none(gateway: Gateway) -> None:
    pause = gateway.capture(REFUND).head.pause
    assert escalate(gateway.ports, pause) == "early"
    assert gateway.timers.moments == {}


def test_after_a_partial_expiry_the_timer_holds_the_next_deadline(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    first, second = (call.deadline_ms for call in head.calls)
    gateway.clock.at_ms = first
    gateway.timers.moments.clear()
    assert escalate(gateway.ports, head.pause) == "expired"
    assert gateway.timers.moments == {head.pause: second}


class Losing(MemoryTable):
    """A table on which the next expiries meet somebody who was quicker."""

    losses = 0

    def write(self, ops: list[Op]) -> None:
        if self.losses and any(isinstance(op, Put) and "#expired#" in f"#{op.item['sk']}" for op in ops):
            self.losses -= 1
            raise ConditionFailed(0, self.get(ops[0].key))
        super().write(ops)


@pytest.mark.parametrize(("losses", "result"), [(0, "expired"), (1, "expired"), (7, "expired"), (8, "early")])
def test_an_expiry_that_loses_a_race_looks_again_and_then_leaves_it_to_the_sweep(losses: int, result: str) -> None:
    table = Losing()
    gateway = Gateway(table=table)
    head = gateway.shown(REFUND)
    gateway.clock.at_ms = head.deadline_ms
    table.losses = losses
    assert escalate(gateway.ports, head.pause) == result
    assert gateway.head(head.pause).open_calls == (result == "early")


HEAD = {"kind": "HEAD", "state": "open", "open_calls": 2}
TOKEN = {"kind": "TOKEN", "token": "t"}
EDGES: list[tuple[dict[str, Any] | None, dict[str, Any] | None, Edge | None]] = [
    (None, HEAD, Edge.CAPTURED),
    (None, {"kind": "HEAD", "open_calls": 2}, Edge.CAPTURED),
    (None, HEAD | {"state": "closed", "open_calls": 0}, None),
    (HEAD, HEAD | {"open_calls": 1}, None),
    (HEAD, HEAD | {"open_calls": 0}, Edge.CLOSED),
    (HEAD | {"open_calls": 0}, HEAD | {"open_calls": 0, "stuck": "wait_failed"}, None),
    (HEAD, HEAD | {"cancelled": 1}, Edge.CANCELLED),
    (HEAD, HEAD | {"cancelled": 1, "open_calls": 0}, Edge.CANCELLED),
    (HEAD | {"cancelled": 1}, HEAD | {"cancelled": 1, "stuck": "x"}, None),
    (HEAD, None, None),
    (None, TOKEN, None),
    (None, TOKEN | {"answer_now": True}, Edge.WAIT_LATE),
    (TOKEN, TOKEN | {"answer_now": True}, Edge.WAIT_LATE),
    (TOKEN | {"answer_now": True}, TOKEN | {"answer_now": True, "at_ms": 2}, None),
    (TOKEN | {"answer_now": True}, TOKEN, None),
    (None, {"kind": "EVENT"}, None),
    (None, None, None),
]


@pytest.mark.parametrize(("old", "new", "edge"), EDGES)
def test_an_edge_is_what_became_different_and_nothing_else(old: Any, new: Any, edge: Edge | None) -> None:
    assert edge_of(old, new) is edge


def test_who_is_of_a_level_that_is_not_reached_is_not_mailed(gateway: Gateway) -> None:
    gateway.person("olga", "Olga Board", "board")
    gateway.with_policy(levels=(Level(("finance",)), Level(("board",), 60)))
    head = gateway.shown(REFUND)
    assert set(reviewers_of(gateway.ports, head)) == {"maria", "jonas"}
    assert {note.to_email for note in gateway.mail.sent} == {"maria@example.com", "jonas@example.com"}
    assert set(reviewers_of(gateway.ports, replace(head, calls=(replace(head.calls[0], level=1),)))) == {
        "maria",
        "jonas",
        "olga",
    }


def test_a_mail_says_what_its_reader_needs_and_no_argument(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    note = next(one for one in gateway.mail.sent if one.to_email == "maria@example.com")
    assert (note.to_name, note.pause, note.agent) == ("Maria Keller", head.pause, "support-agent")
    assert (note.requester, note.entity) == ("elif@example.com", "order:1182")
    assert (note.asked_ms, note.deadline_ms, note.calls) == (head.captured_ms, head.deadline_ms, 2)
    assert note.action_class == ", ".join(head.card.classes)
    assert note.tools == head.card.tools
    assert note.effect == head.card.effect
    assert "240.5" not in repr(note)


def test_an_execution_is_asked_for_with_the_facts_of_the_record(gateway: Gateway) -> None:
    head = gateway.capture(REFUND).head
    gateway.deliver()
    facts = {"tenant": "main", "pause": head.pause, "gen": 1, "timeout_s": head.timeout_s}
    assert gateway.waits.started == {f"{head.pause}-1": facts}
