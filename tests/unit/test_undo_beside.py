"""undo beside other calls, other moments and other clocks."""

from __future__ import annotations

import pytest

from placet.model.errors import Conflict, Gone
from placet.model.pauses import call_id
from placet.model.states import CallState, PermitState, Verdict
from placet.policy.classes import MOST_UNDO_S, ActionClass, Level
from placet.service.answers import as_resume
from placet.service.cancel import cancel
from placet.service.escalate import escalate
from placet.service.execute import claim
from placet.service.notify import notify
from placet.service.resume import take
from placet.service.went_on import resumed
from tests.gateway import DELETE, REFUND, SUPPORT, Gateway
from tests.unit.windows import WINDOW_S, accepted, take_back, verbs, windowed


@pytest.fixture
def gateway() -> Gateway:
    return windowed()


def test_a_pause_of_several_calls_goes_on_when_the_last_window_is_over(gateway: Gateway) -> None:
    head = accepted(gateway, REFUND, DELETE)
    assert (head.open_calls, head.held_ms) == (1, 0)
    gateway.clock.move(10)
    gateway.decide(head, 2, Verdict.ACCEPT)
    closed = gateway.head(head.pause)
    assert closed.held_ms == head.calls[0].undo_ms
    gateway.clock.move(10)
    take_back(gateway, closed)
    assert gateway.head(head.pause).pending[0].number == 1
    gateway.decide(gateway.head(head.pause), 1, Verdict.REJECT)
    after = gateway.head(head.pause)
    assert (after.held_ms, after.open_calls, after.wsk) == (0, 0, gateway.clock.now_ms())


def test_taken_back_beside_an_open_call_it_is_in_the_queue_of_both(gateway: Gateway) -> None:
    head = accepted(gateway, REFUND, DELETE)
    assert head.wpk == gateway.keys.queue("general", 0)
    take_back(gateway, head)
    after = gateway.head(head.pause)
    assert after.wpk.startswith(gateway.keys.queue("several", 0)[:14])
    assert after.card.classes == (
        "general",
        "money-out",
    )
    assert (after.open_calls, after.deadline_ms) == (2, after.calls[0].deadline_ms)


def test_a_moment_that_passes_while_a_decision_may_be_taken_back_rings_no_timer(gateway: Gateway) -> None:
    gateway.with_policy(undo_s=600, remind_after_s=(60,))
    head = accepted(gateway, REFUND, DELETE)
    gateway.clock.move(90)
    assert [escalate(gateway.ports, head.pause) for _ in range(2)] == ["early", "early"]
    assert gateway.timers.moments[head.pause] == gateway.head(head.pause).pending[0].deadline_ms


def test_past_its_deadline_it_ends_at_once_and_does_not_run(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.clock.at_ms = head.deadline_ms - 1_000
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.deliver()
    gateway.clock.move(30)
    take_back(gateway, gateway.head(head.pause))
    gateway.deliver()
    assert "escalate" in verbs(gateway)
    gateway.deliver()
    after = gateway.head(head.pause)
    assert (after.calls[0].state, after.calls[0].permit, after.open_calls) == (CallState.EXPIRED, PermitState.NONE, 0)
    assert gateway.waits.answered


def test_a_run_that_is_cancelled_while_it_is_held_is_neither_run_nor_taken_back(gateway: Gateway) -> None:
    head = accepted(gateway)
    cancel(gateway.ports, SUPPORT, head.pause, "the user left")
    gateway.deliver()
    assert gateway.waits.answered
    with pytest.raises(Conflict) as refused:
        take_back(gateway, head)
    assert refused.value.code == "call_cancelled"
    gateway.clock.move(WINDOW_S)
    assert escalate(gateway.ports, head.pause) == "over"
    assert not take(gateway.ports, SUPPORT, head.pause)


def test_a_token_that_comes_late_is_answered_when_the_hold_ends(gateway: Gateway) -> None:
    head = accepted(gateway)
    gateway.deliver()
    notify(gateway.ports, head.pause, head.gen, "a second token")
    gateway.deliver()
    assert not gateway.waits.answered
    gateway.clock.move(WINDOW_S)
    escalate(gateway.ports, head.pause)
    gateway.deliver()
    assert len(gateway.waits.answered) >= 1


def test_a_class_says_how_long_within_its_bounds() -> None:
    def of(undo_s: object, **more: object) -> ActionClass:
        return ActionClass("a", (Level(("g",)),), 3_600, 7_200, 3_600, undo_s=undo_s, **more)  # type: ignore[arg-type]

    assert of(MOST_UNDO_S).undo_s == 900
    for wrong in (-1, MOST_UNDO_S + 1, True, 0.5):
        with pytest.raises(ValueError, match="undo_s"):
            of(wrong)
    with pytest.raises(ValueError, match="undo_s must be shorter than freshness_s"):
        ActionClass("a", (Level(("g",)),), 3_600, 7_200, 60, undo_s=60)
    with pytest.raises(ValueError, match="observes"):
        of(60, observe=True)


def test_what_is_handed_out_is_not_turned_away_by_a_clock_that_is_behind(gateway: Gateway) -> None:
    head = accepted(gateway)
    gateway.clock.at_ms = head.held_ms
    (taken,) = take(gateway.ports, SUPPORT)
    gateway.clock.move(-1)
    at = call_id(head.pause, 1)
    claim(gateway.ports, SUPPORT, at, head.calls[0].digest, "w1", taken["fence"])
    with pytest.raises(Gone) as refused:
        take_back(gateway, head)
    assert refused.value.code == "undo_over"
    assert not resumed(gateway.ports, SUPPORT, head.pause, taken["fence"])


def test_a_run_that_may_go_on_is_not_told_by_a_clock_that_is_behind_that_a_call_waits(gateway: Gateway) -> None:
    head = accepted(gateway)
    gateway.clock.at_ms = head.held_ms
    assert escalate(gateway.ports, head.pause) == "released"
    gateway.clock.move(-1)
    told = as_resume(gateway.ports, gateway.head(head.pause))
    assert told["state"] == "decided"
    assert [(one["state"], "native" in one) for one in told["calls"]] == [("accepted", True)]
