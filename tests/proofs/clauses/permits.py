"""The permit: claimed, reported, given up, freed, settled."""

from __future__ import annotations

from inspect import signature
from typing import Any

from placet.model.pauses import call_id
from placet.model.states import PermitState, Verdict
from placet.records import writes
from placet.records.heads import Head
from placet.service import operate
from placet.service.execute import claim
from placet.service.resume import LEASE_MS
from placet.service.sweep import sweep
from tests.gateway import REFUND, SMALL, SUPPORT
from tests.proofs.clauses.acting import LEASE_S, ends, grows_stale, lists, permit_of, reports, stops, takes
from tests.proofs.clauses.stage import Stage, is_permit, scenario


@scenario("claim", "may_run")
def a_rejected_call_is_released(stage: Stage) -> bool:
    head = stage.approved()
    stage.force(head.pause, calls__1__state="rejected")
    return is_permit(stage.claim(head, "w1"))


@scenario("claim", "permit_free")
def a_call_is_released_twice(stage: Stage) -> bool:
    head = stage.approved()
    stage.meanwhile = lambda: stage.claim(head, "w1")
    return is_permit(stage.claim(head, "w2"))


@scenario("claim", "not_cancelled")
def a_call_of_a_cancelled_pause_is_released(stage: Stage) -> bool:
    head = stage.approved()
    stage.force(head.pause, cancelled="the user left")
    return is_permit(stage.claim(head, "w1"))


@scenario("claim", "not_resumed")
def a_call_is_released_after_its_run_ended(stage: Stage) -> bool:
    head = stage.approved()
    ends(stage, head)
    return is_permit(stage.claim(head, "w1"))


@scenario("claim", "still_fresh")
def an_old_approval_is_released(stage: Stage) -> bool:
    return is_permit(grows_stale(stage, stage.approved()))


@scenario("claim", "digest_named")
def a_worker_with_other_arguments_gets_the_permit(stage: Stage) -> bool:
    at = call_id(stage.approved().pause, 1)
    return is_permit(stage.attempt(claim, stage.ports, SUPPORT, at, "f" * 64, "w1"))


@scenario("claim", "same_epoch")
def a_restored_permit_is_released(stage: Stage) -> bool:
    head = stage.approved()
    stage.epoch = 2
    return is_permit(stage.claim(head, "w1"))


@scenario("claim", "my_fence")
def a_worker_that_lost_its_lease_gets_the_permit(stage: Stage) -> bool:
    head = stage.approved()
    takes(stage, head)
    stage.clock.move(LEASE_MS / 1000)
    takes(stage, head)
    return is_permit(stage.claim(head, "w1", fence=1))


@scenario("refuse_claim", "first")
def a_refusal_is_told_over_the_first(stage: Stage) -> bool:
    head = stage.claimed()
    stage.tell(head.pause, "1#refused#permit_claimed#w2")
    stage.claim(head, "w2")
    return stage.told_again(head.pause, "1#refused#permit_claimed#w2")


@scenario("outcome", "permit_used")
def what_is_done_becomes_failed(stage: Stage) -> bool:
    head = stage.claimed()
    stage.meanwhile = lambda: reports(stage, head)
    reports(stage, head, PermitState.FAILED)
    return permit_of(stage, head) is PermitState.FAILED


@scenario("outcome", "my_permit")
def an_old_attempt_reports_for_a_fresh_one(stage: Stage) -> bool:
    head = stage.claimed()
    stage.meanwhile = lambda: again(stage, head)
    reports(stage, head)
    return permit_of(stage, head) is PermitState.DONE


@scenario("outcome", "as_listed")
def an_unknown_is_listed_over_another_reason(stage: Stage) -> bool:
    head = stage.claimed()
    stage.meanwhile = lambda: lists(stage, head)
    return unknown_by_itself(stage, head)


@scenario("outcome", "open_as_seen")
def an_unknown_is_left_with_people_who_have_decided(stage: Stage) -> bool:
    head = running_beside_an_open_call(stage)
    unknown_by_itself(stage, head)
    return permit_of(stage, head) is PermitState.UNKNOWN and not stage.head(head.pause).stuck


def unknown_by_itself(stage: Stage, head: Head) -> bool:
    """A worker reports that it does not know; whether that was written on what it had read."""
    return stage.write("outcome", head, 1, "w1", PermitState.UNKNOWN, "", stage.clock.now_ms())


def running_beside_an_open_call(stage: Stage) -> Head:
    """One call runs, the other is decided just now."""
    head = stage.shown(SMALL, REFUND)
    stage.claim(head, "w1")
    stage.meanwhile = lambda: stage.decide(head, 2, Verdict.ACCEPT)
    return stage.head(head.pause)


@scenario("give_up", "as_listed")
def giving_up_is_listed_over_another_reason(stage: Stage) -> bool:
    head = stage.claimed()
    stage.meanwhile = lambda: lists(stage, head)
    return stage.write("give_up", *old_view(stage, "give_up", head))


@scenario("give_up", "open_as_seen")
def what_was_given_up_is_left_with_people_who_have_decided(stage: Stage) -> bool:
    head = running_beside_an_open_call(stage)
    stage.write("give_up", *old_view(stage, "give_up", head))
    return permit_of(stage, head) is PermitState.UNKNOWN and not stage.head(head.pause).stuck


@scenario("outcome", "first")
def an_outcome_is_told_over_another(stage: Stage) -> bool:
    head = stage.claimed()
    stage.tell(head.pause, "1#done")
    reports(stage, head)
    return stage.told_again(head.pause, "1#done")


@scenario("give_up", "permit_claimed")
def a_call_that_is_done_becomes_unknown(stage: Stage) -> bool:
    head = stage.claimed()
    stage.clock.move(LEASE_S)
    stage.meanwhile = lambda: reports(stage, head)
    sweep(stage.ports)
    return permit_of(stage, head) is PermitState.UNKNOWN


@scenario("give_up", "same_worker")
def a_fresh_attempt_is_given_up_for_an_old_one(stage: Stage) -> bool:
    head = stage.claimed()
    again(stage, head)
    stage.write("give_up", *old_view(stage, "give_up", head))
    return permit_of(stage, head) is PermitState.UNKNOWN


@scenario("give_up", "first")
def a_giving_up_is_told_over_another(stage: Stage) -> bool:
    head = stage.claimed()
    stage.tell(head.pause, "1#unknown")
    stage.clock.move(LEASE_S)
    sweep(stage.ports)
    return stage.told_again(head.pause, "1#unknown")


def again(stage: Stage, head: Head) -> None:
    """The first attempt is freed, another one claims."""
    stage.write("free_again", *old_view(stage, "free_again", head))
    stage.claim(head, "w2")


def old_view(stage: Stage, name: str, head: Head) -> tuple[Any, ...]:
    """What a sweep hands to the write that looked when the first attempt held the permit."""
    moment = (stage.clock.now_ms(),) if name == "give_up" else ()
    return (pause_or_head(name, head), head.calls[0], *moment)


def pause_or_head(name: str, head: Head) -> Any:
    """The first argument of a write, as its signature has it."""
    return head if "head" in signature(getattr(writes, name)).parameters else head.pause


@scenario("free_again", "permit_claimed")
def a_call_that_is_done_may_run_again(stage: Stage) -> bool:
    head = stage.claimed()
    stage.force(head.pause, calls__1__takes_key=True)
    stage.clock.move(LEASE_S)
    stage.meanwhile = lambda: reports(stage, head)
    sweep(stage.ports)
    return permit_of(stage, head) is PermitState.FREE


@scenario("free_again", "same_worker")
def a_fresh_attempt_loses_its_permit(stage: Stage) -> bool:
    head = stage.claimed()
    again(stage, head)
    stage.write("free_again", *old_view(stage, "free_again", head))
    return permit_of(stage, head) is PermitState.FREE


@scenario("free_again", "not_resumed")
def a_call_that_may_have_run_is_free_on_an_ended_pause(stage: Stage) -> bool:
    head = stage.claimed()
    stage.force(head.pause, calls__1__takes_key=True)
    stage.clock.move(LEASE_S)
    stage.meanwhile = lambda: ends(stage, head)
    sweep(stage.ports)
    return permit_of(stage, head) is PermitState.FREE


@scenario("free_again", "not_resumed")
def a_call_that_may_have_run_is_free_on_a_cancelled_pause(stage: Stage) -> bool:
    head = stage.claimed()
    stage.force(head.pause, calls__1__takes_key=True)
    stage.clock.move(LEASE_S)
    stage.meanwhile = lambda: stops(stage, head)
    sweep(stage.ports)
    return permit_of(stage, head) is PermitState.FREE


def given_up(stage: Stage) -> Head:
    """A call of which nobody knows whether it ran."""
    head = stage.claimed()
    stage.clock.move(LEASE_S)
    sweep(stage.ports)
    return head


@scenario("reconcile", "permit_unknown")
def a_person_settles_what_its_worker_has_settled(stage: Stage) -> bool:
    head = given_up(stage)
    stage.meanwhile = lambda: reports(stage, head)
    at = call_id(head.pause, 1)
    stage.attempt(operate.reconcile, stage.ports, "ops/olga", at, PermitState.FAILED, "no trace of it")
    return permit_of(stage, head) is PermitState.FAILED


@scenario("reconcile", "first")
def a_settlement_is_told_over_another(stage: Stage) -> bool:
    head = given_up(stage)
    stage.tell(head.pause, "1#reconciled")
    at = call_id(head.pause, 1)
    stage.attempt(operate.reconcile, stage.ports, "ops/olga", at, PermitState.DONE, "bank statement 7")
    return stage.told_again(head.pause, "1#reconciled")
