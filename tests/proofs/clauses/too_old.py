"""The permit of an approval that got too old: asked for again, or given up when it may have run."""

from __future__ import annotations

from typing import Any

from placet.model.states import PermitState, Verdict
from placet.records.heads import Head
from tests.gateway import DELETE, SMALL
from tests.proofs.clauses.acting import DAY_S, ends, lists, permit_of
from tests.proofs.clauses.permits import old_view
from tests.proofs.clauses.stage import Stage, scenario


def reopens(stage: Stage, head: Head) -> bool:
    """Ask again for the first call, as an attempt does that found it too old; whether that was written."""
    return stage.write("reopen", head, head.calls[0], "late", stage.clock.now_ms())


def stale(stage: Stage) -> Head:
    """An approval that is too old to run."""
    head = stage.approved()
    stage.clock.move(DAY_S)
    return head


@scenario("reopen", "may_run")
def a_rejected_call_is_asked_for_again(stage: Stage) -> bool:
    head = stale(stage)
    stage.force(head.pause, calls__1__state="rejected")
    return reopens(stage, head)


@scenario("reopen", "permit_free")
def a_call_that_runs_is_asked_for_again(stage: Stage) -> bool:
    """Set by hand: a claim leaves its moment, which never_tried sees too."""
    head = stale(stage)
    stage.meanwhile = lambda: stage.force(head.pause, calls__1__permit__state="claimed")
    return reopens(stage, head)


@scenario("reopen", "never_tried")
def a_call_that_may_have_run_is_asked_for_again(stage: Stage) -> bool:
    return reopens(stage, tried(stage))


@scenario("reopen", "too_old")
def a_fresh_approval_is_taken_back(stage: Stage) -> bool:
    return reopens(stage, stage.approved())


@scenario("reopen", "not_cancelled")
def a_cancelled_pause_opens_again(stage: Stage) -> bool:
    head = stale(stage)
    stage.force(head.pause, cancelled="the user left")
    return reopens(stage, head)


@scenario("reopen", "not_resumed")
def an_ended_pause_opens_again(stage: Stage) -> bool:
    head = stale(stage)
    stage.meanwhile = lambda: ends(stage, head)
    return reopens(stage, head)


@scenario("reopen", "first")
def a_round_is_told_over_another(stage: Stage) -> bool:
    head = stale(stage)
    stage.tell(head.pause, "1#reopened#2")
    reopens(stage, head)
    return stage.told_again(head.pause, "1#reopened#2")


@scenario("reopen", "as_listed")
def a_listed_pause_opens_off_the_list(stage: Stage) -> bool:
    head = stale(stage)
    stage.meanwhile = lambda: lists(stage, head)
    reopens(stage, head)
    return stage.astray(head.pause)


def tried(stage: Stage, *calls: tuple[str, dict[str, Any]]) -> Head:
    """A stale approval of a keyed tool, claimed once by a worker that never reported, and free again."""
    head = stage.shown(*calls) if calls else stage.approved()
    stage.claim(head, "w1")
    stage.write("free_again", *old_view(stage, "free_again", stage.head(head.pause)))
    stage.clock.move(DAY_S)
    return stage.head(head.pause)


def gives_up(stage: Stage, head: Head) -> bool:
    """Nobody will try it again: written down as unknown."""
    return stage.write("give_up_tried", head, head.calls[0], stage.clock.now_ms())


@scenario("give_up_tried", "permit_free")
def an_attempt_that_runs_is_called_unknown(stage: Stage) -> bool:
    head = tried(stage)
    stage.meanwhile = lambda: just_in_time(stage, head)
    return gives_up(stage, head)


def just_in_time(stage: Stage, head: Head) -> None:
    """Another worker, whose clock is behind, claims."""
    stage.clock.at_ms -= 1
    stage.claim(head, "w2")


@scenario("give_up_tried", "too_old")
def a_retry_that_is_in_time_is_called_unknown(stage: Stage) -> bool:
    head = tried(stage)
    stage.clock.move(-1)
    return gives_up(stage, head)


@scenario("give_up_tried", "not_cancelled")
def a_cancelled_call_is_called_unknown(stage: Stage) -> bool:
    head = tried(stage)
    stage.force(head.pause, cancelled="the user left")
    return gives_up(stage, head)


@scenario("give_up_tried", "as_listed")
def a_retry_is_listed_over_another_reason(stage: Stage) -> bool:
    head = tried(stage)
    stage.meanwhile = lambda: lists(stage, head)
    return gives_up(stage, head)


@scenario("give_up_tried", "open_as_seen")
def a_retry_is_left_with_people_who_have_decided(stage: Stage) -> bool:
    head = tried(stage, SMALL, DELETE)
    stage.clock.at_ms = head.deadline_ms - 1
    stage.force(head.pause, calls__1__permit__until_ms=0)
    stage.meanwhile = lambda: stage.decide(head, 2, Verdict.ACCEPT)
    gives_up(stage, head)
    return permit_of(stage, head) is PermitState.UNKNOWN and not stage.head(head.pause).stuck


@scenario("give_up_tried", "first")
def a_retry_that_is_given_up_is_told_over_another(stage: Stage) -> bool:
    head = tried(stage)
    stage.tell(head.pause, "1#unknown")
    gives_up(stage, head)
    return stage.told_again(head.pause, "1#unknown")
