"""Expiry, and the mending of a decided pause."""

from __future__ import annotations

from placet.model.states import CallState, PauseState, PermitState, ResumeState, Verdict
from placet.records.heads import Head
from placet.service.dispatch import Edge, dispatch
from placet.service.escalate import escalate
from placet.service.stuck import list_stuck
from placet.service.went_on import resumed
from tests.gateway import REFUND, SUPPORT
from tests.proofs.clauses.acting import reports
from tests.proofs.clauses.deciding import (
    asked_again_beside,
    beside_a_stale_approval,
    closed_with_an_open_call,
    left_behind,
    lost_to_its_people,
    two_money_and_one,
    unknown_meanwhile,
    unlisted,
)
from tests.proofs.clauses.stage import Stage, scenario


def raced(stage: Stage) -> Head:
    """A decided pause of which neither last decision saw itself as the last."""
    head = stage.approved()
    stage.force(head.pause, state="open", resume_state="not_due", wpk=stage.keys.queue("money-out", 0))
    return stage.head(head.pause)


@scenario("mend_closed", "all_decided")
def a_call_that_was_asked_for_again_is_hidden_from_reviewers(stage: Stage) -> bool:
    """Set by hand: a call that is really asked for again loses its permit, which permits_as_seen sees too."""
    head = raced(stage)
    stage.meanwhile = lambda: stage.force(head.pause, open_calls=1, calls__1__state="pending")
    dispatch(stage.ports, Edge.CLOSED, head.pause)
    return stage.head(head.pause).state is not PauseState.OPEN


@scenario("mend_closed", "not_resumed")
def a_run_that_went_on_is_offered_again(stage: Stage) -> bool:
    head = raced(stage)
    stage.meanwhile = lambda: resumed(stage.ports, SUPPORT, head.pause)
    dispatch(stage.ports, Edge.CLOSED, head.pause)
    return stage.head(head.pause).resume_state is not ResumeState.DONE


@scenario("mend_closed", "as_listed")
def a_listed_pause_is_mended_off_the_list(stage: Stage) -> bool:
    head = raced(stage)
    stage.meanwhile = lambda: list_stuck(stage.ports, stage.head(head.pause), "wait_failed")
    dispatch(stage.ports, Edge.CLOSED, head.pause)
    return stage.astray(head.pause)


@scenario("expire", "call_pending")
def a_call_expires_that_was_accepted_at_the_last_moment(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.clock.at_ms = head.deadline_ms

    def accept() -> None:
        stage.clock.at_ms -= 1
        stage.decide(head, 1, Verdict.ACCEPT)

    stage.meanwhile = accept
    escalate(stage.ports, head.pause)
    after = stage.head(head.pause)
    return after.calls[0].state is CallState.EXPIRED or after.open_calls < 0


@scenario("expire", "deadline_passed")
def a_call_expires_early(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    return stage.write("expire", head, list(head.pending), head.deadline_ms - 1)


@scenario("expire", "not_notified")
def a_pause_stays_where_its_expired_call_was_shown(stage: Stage) -> bool:
    head = asked_again_beside(stage)
    stage.clock.at_ms = head.deadline_ms
    escalate(stage.ports, head.pause)
    return lost_to_its_people(stage, head)


@scenario("expire", "urgent_pending")
def an_expiry_leaves_what_is_left_in_the_queue_of_a_decided_call(stage: Stage) -> bool:
    head = two_money_and_one(stage)
    stage.force(head.pause, calls__1__deadline_ms=head.deadline_ms - 1, deadline_ms=head.deadline_ms - 1)
    stage.clock.at_ms = head.deadline_ms - 1
    stage.meanwhile = lambda: stage.decide(stage.head(head.pause), 2, Verdict.ACCEPT)
    escalate(stage.ports, head.pause)
    return left_behind(stage, head)


@scenario("expire", "permits_as_seen")
def an_expiry_hides_a_call_that_just_became_unknown(stage: Stage) -> bool:
    head = unknown_meanwhile(stage)
    stage.clock.at_ms = head.deadline_ms
    escalate(stage.ports, head.pause)
    return unlisted(stage, head)


@scenario("mend_closed", "permits_as_seen")
def mending_hides_a_call_that_just_became_unknown(stage: Stage) -> bool:
    """Listed for another unknown, which a person has settled: the listing looks the same."""
    head = raced(stage)
    stage.claim(head, "w1")
    stage.force(head.pause, stuck="permit_unknown", wpk=stage.keys.stuck())
    stage.meanwhile = lambda: reports(stage, head, PermitState.UNKNOWN)
    dispatch(stage.ports, Edge.CLOSED, head.pause)
    return unlisted(stage, head)


@scenario("expire", "permits_as_seen")
def an_expiry_closes_a_pause_that_was_just_opened_again(stage: Stage) -> bool:
    head = beside_a_stale_approval(stage)
    stage.clock.at_ms = head.deadline_ms
    escalate(stage.ports, head.pause)
    return closed_with_an_open_call(stage, head)


@scenario("expire", "first")
def an_expiry_is_told_over_another(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.tell(head.pause, "expired#1")
    stage.clock.at_ms = head.deadline_ms
    stage.attempt(escalate, stage.ports, head.pause)
    return stage.told_again(head.pause, "expired#1")


@scenario("expire", "as_listed")
def a_listed_pause_expires_off_the_list(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.clock.at_ms = head.deadline_ms
    stage.meanwhile = lambda: list_stuck(stage.ports, stage.head(head.pause), "wait_failed")
    escalate(stage.ports, head.pause)
    return stage.astray(head.pause)
