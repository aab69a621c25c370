"""dispatch, notify and escalate: from a stored pause to people who know of it, and to its end when nobody comes."""

import pytest

from placet.model.states import CallState, PauseState, PermitState, ResumeState, Verdict
from placet.service.dispatch import Edge, dispatch, edge_of
from placet.service.escalate import escalate
from placet.service.notify import notify
from tests.gateway import DELETE, REFUND, Gateway


def test_a_new_pause_starts_one_execution_named_by_it_with_ids_only(gateway: Gateway) -> None:
    pause = gateway.capture(REFUND).head.pause
    for _ in range(3):
        dispatch(gateway.ports, Edge.CAPTURED, pause)
    assert list(gateway.waits.started) == [f"{pause}-1"]
    assert set(gateway.waits.started[f"{pause}-1"]) == {"tenant", "pause", "gen", "timeout_s"}


def test_notify_shows_the_pause_starts_its_clock_and_mails_every_reviewer_once(gateway: Gateway) -> None:
    pause = gateway.capture(REFUND).head.pause
    gateway.clock.move(600)
    notify(gateway.ports, pause, 1, "t1")
    head = gateway.head(pause)
    assert head.deadline_ms == gateway.clock.now_ms() + 4 * 3_600_000
    assert head.wpk == gateway.keys.queue("money-out", 0)
    assert gateway.timers.moments[pause] == head.deadline_ms
    assert sorted(note.to_email for note in gateway.mail.sent) == ["jonas@example.com", "maria@example.com"]


def test_notify_again_takes_the_new_token_and_moves_nothing_else(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.clock.move(60)
    notify(gateway.ports, head.pause, 1, "t2")
    assert gateway.head(head.pause) == head
    assert len(gateway.mail.sent) == 2
    assert gateway.table.get(gateway.keys.token(head.pause, 1))["token"] == "t2"


def test_the_requester_and_the_owner_get_no_mail(gateway: Gateway) -> None:
    gateway.person("elif", "Elif Demir", "finance")
    gateway.person("owner", "The Owner", "finance")
    gateway.shown(REFUND)
    assert sorted(note.to_email for note in gateway.mail.sent) == ["jonas@example.com", "maria@example.com"]


def test_a_refused_mail_is_logged_and_holds_nothing_up(gateway: Gateway) -> None:
    gateway.mail.refused.add("maria@example.com")
    head = gateway.shown(REFUND)
    assert head.wpk == gateway.keys.queue("money-out", 0)
    assert ("mail_not_sent", {"pause": head.pause}) in gateway.log


def test_a_decision_answers_the_token_once_per_wait(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    records = list(gateway.table.changes)
    gateway.deliver()
    gateway.table.changes[:] = records
    gateway.deliver()
    assert gateway.waits.answered == [f"token of {head.pause}-1"]


def test_a_decision_that_came_before_the_token_is_delivered_when_the_token_comes(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    del gateway.table.items[gateway.keys.token(head.pause, 1)]
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.deliver()
    assert gateway.waits.answered == []
    notify(gateway.ports, head.pause, 1, "late")
    gateway.deliver()
    assert gateway.waits.answered == ["late"]


def test_tokens_of_earlier_generations_are_answered_too(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.table.items[gateway.keys.head(head.pause)]["gen"] = 2
    notify(gateway.ports, head.pause, 2, "second")
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT)
    gateway.deliver()
    assert gateway.waits.answered == [f"token of {head.pause}-1", "second"]


def test_dispatch_is_woken_by_edges_and_never_by_what_follows(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    edges = [edge_of(old, new) for old, new in gateway.table.changes]
    assert [edge for edge in edges if edge] == [Edge.CLOSED]
    gateway.deliver()
    item = gateway.table.get(gateway.keys.head(head.pause))
    for later in ({"fence": 9}, {"resume_state": "done"}, {"wsk": 1}, {"state": "ended"}):
        assert edge_of(item, {**item, **later}) is None
    assert edge_of(item, None) is None


def test_two_last_calls_that_raced_are_put_on_the_list_by_dispatch(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.decide(gateway.head(head.pause), 2, Verdict.ACCEPT)
    item = gateway.table.items[gateway.keys.head(head.pause)]
    item.update(
        state="open", wpk=gateway.keys.queue("general", 0), resume_state="not_due"
    )  # as the race would leave it
    gateway.deliver()
    after = gateway.head(head.pause)
    assert (after.state, after.wpk, after.resume_state) == (
        PauseState.CLOSED,
        gateway.keys.out("support-agent"),
        ResumeState.DUE,
    )


def test_nobody_decided_is_an_expiry_and_never_a_yes(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    assert escalate(gateway.ports, head.pause) == "early"
    gateway.clock.move(4 * 3600)
    assert escalate(gateway.ports, head.pause) == "expired"
    assert escalate(gateway.ports, head.pause) == "over"
    after = gateway.head(head.pause)
    assert (after.calls[0].state, after.calls[0].permit) == (CallState.EXPIRED, PermitState.NONE)
    assert (after.state, after.open_calls) == (PauseState.CLOSED, 0)
    gateway.deliver()
    assert gateway.waits.answered == [f"token of {head.pause}-1"]


def test_each_call_has_its_own_deadline_and_the_timer_moves_on(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)  # four hours and a day
    gateway.clock.move(4 * 3600)
    assert escalate(gateway.ports, head.pause) == "expired"
    after = gateway.head(head.pause)
    assert [call.state for call in after.calls] == [CallState.EXPIRED, CallState.PENDING]
    assert (after.wpk, after.deadline_ms) == (gateway.keys.queue("general", 0), after.calls[1].deadline_ms)
    assert gateway.timers.moments[head.pause] == after.calls[1].deadline_ms


def test_a_timer_that_fires_for_nothing_does_nothing(gateway: Gateway) -> None:
    assert escalate(gateway.ports, "nosuchpause") == "gone"


@pytest.mark.parametrize("seconds", [0, 1, 14_399])
def test_a_timer_that_fires_early_expires_nothing(gateway: Gateway, seconds: int) -> None:
    head = gateway.shown(REFUND)
    gateway.clock.move(seconds)
    assert escalate(gateway.ports, head.pause) == "early"
    assert gateway.head(head.pause).open_calls == 1
