"""cancel, the stuck list, and the epoch after a restore."""

from __future__ import annotations

from typing import Any

from placet.model.errors import Damaged, Parked
from placet.model.pauses import call_id
from placet.model.states import PermitState, Verdict
from placet.records import writes
from placet.records.heads import Head
from placet.service import operate
from placet.service.cancel import supersede
from placet.service.escalate import escalate
from placet.service.execute import claim, outcome
from placet.service.stuck import list_stuck
from placet.service.sweep import PATIENCE_MS, sweep
from placet.service.unreadable import list_unreadable
from placet.service.went_on import resumed
from tests.gateway import REFUND, SMALL, SUPPORT
from tests.proofs.clauses.acting import freed_and_forgotten, frees, lists, reports, stops
from tests.proofs.clauses.stage import Stage, scenario


def _set_aside(stage: Stage, head: Head, **more: Any) -> None:
    stage.force(head.pause, schema_version=2, **more)
    list_unreadable(stage.ports, head.pause, Parked(2))


@scenario("list_unreadable", "same_work_list")
def a_pause_is_set_aside_that_a_later_release_has_resumed(stage: Stage) -> bool:
    head = stage.approved()
    stage.meanwhile = lambda: stage.force(head.pause, state="ended", remove=("wpk", "wsk"))
    _set_aside(stage, head)
    return "wpk" in stage.table.items[stage.keys.head(head.pause)]


@scenario("list_unreadable", "not_resumed")
def a_pause_that_has_ended_is_set_aside(stage: Stage) -> bool:
    head = stage.approved()
    resumed(stage.ports, SUPPORT, head.pause)
    stage.force(head.pause, calls="x")
    list_unreadable(stage.ports, head.pause, Damaged("head"))
    return "wpk" in stage.table.items[stage.keys.head(head.pause)]


@scenario("list_unreadable", "head_known")
def a_head_that_is_erased_comes_back_as_a_stub(stage: Stage) -> bool:
    head = stage.approved()
    stage.force(head.pause, calls="x", remove=("wpk", "wsk"))
    stage.meanwhile = lambda: stage.table.items.pop(stage.keys.head(head.pause))
    list_unreadable(stage.ports, head.pause, Damaged("head"))
    return stage.keys.head(head.pause) in stage.table.items


@scenario("cancel", "not_cancelled")
def a_reason_is_written_over_another(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.meanwhile = lambda: stage.force(head.pause, cancelled="asked_again")
    stops(stage, head)
    return stage.head(head.pause).cancelled != "asked_again"


@scenario("cancel", "not_resumed")
def a_run_that_went_on_is_told_that_it_was_cancelled(stage: Stage) -> bool:
    head = stage.approved()
    stage.meanwhile = lambda: resumed(stage.ports, SUPPORT, head.pause)
    stops(stage, head)
    return stage.head(head.pause).cancelled != ""


@scenario("cancel", "call_pending")
def a_decision_is_undone(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.meanwhile = lambda: stage.decide(head, 1, Verdict.REJECT)
    stops(stage, head)
    return stage.head(head.pause).open_calls < 0


@scenario("cancel", "permits_as_seen")
def a_call_that_runs_is_forgotten(stage: Stage) -> bool:
    """Set by hand: a claim leaves its moment, which never_tried sees too."""
    head = stage.approved()
    stage.meanwhile = lambda: stage.force(head.pause, calls__1__permit__state="claimed")
    stops(stage, head)
    return stage.astray(head.pause)


@scenario("cancel", "never_tried")
def an_attempt_that_was_freed_meanwhile_is_cancelled_off_every_list(stage: Stage) -> bool:
    head = stage.approved()
    stage.meanwhile = lambda: frees(stage, head)
    stops(stage, head)
    return freed_and_forgotten(stage, head)


@scenario("cancel", "first")
def a_cancellation_is_told_over_another(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.tell(head.pause, "cancelled")
    stops(stage, head)
    return stage.told_again(head.pause, "cancelled")


@scenario("cancel", "as_listed")
def a_listed_pause_is_cancelled_off_the_list(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.meanwhile = lambda: lists(stage, head)
    stops(stage, head)
    return stage.astray(head.pause)


@scenario("cancel", "successor_waits")
def a_pause_gives_way_to_one_that_was_just_taken_back(stage: Stage) -> bool:
    first = stage.shown(REFUND)
    second = stage.shown(REFUND, checkpoint="cp-2")
    stage.meanwhile = lambda: stops(stage, second)
    supersede(stage.ports, SUPPORT, "thread-1", second.pause)
    return stage.head(first.pause).open_calls == 0


@scenario("list_stuck", "my_generation")
def a_new_wait_is_listed_for_the_failure_of_the_old(stage: Stage) -> bool:
    head = stage.capture(REFUND).head
    stage.meanwhile = lambda: stage.write("next_generation", head, stage.clock.now_ms())
    list_stuck(stage.ports, stage.head(head.pause), "wait_failed")
    return stage.head(head.pause).stuck != ""


@scenario("list_stuck", "same_moment")
def a_pause_that_was_repaired_is_listed_for_its_time_before(stage: Stage) -> bool:
    head = stage.approved()
    stage.clock.move(PATIENCE_MS / 1000 + 1)
    lists(stage, head)
    repairs(stage, head)
    list_stuck(stage.ports, head, "not_picked_up")
    return stage.head(head.pause).stuck != ""


@scenario("list_stuck", "same_work_list")
def a_reason_is_listed_over_another_of_the_same_millisecond(stage: Stage) -> bool:
    head = stage.approved()
    stage.meanwhile = lambda: stage.force(head.pause, wpk=stage.keys.stuck(), stuck="framework_differs")
    list_stuck(stage.ports, head, "not_picked_up")
    return stage.head(head.pause).stuck != "framework_differs"


@scenario("list_stuck", "open_as_seen")
def a_decided_pause_is_listed_for_want_of_people(stage: Stage) -> bool:
    """Two last calls of an earlier release, closed at once: neither took it out of its queue."""
    head = stage.shown(REFUND)
    stage.meanwhile = lambda: stage.force(head.pause, calls__1__state="rejected", open_calls=0)
    list_stuck(stage.ports, head, "group_empty")
    return stage.head(head.pause).stuck != ""


@scenario("list_stuck", "not_resumed")
def a_run_that_went_on_is_listed(stage: Stage) -> bool:
    """Its permit is still out, so it stands on the same list as before."""
    head = stage.claimed()
    stage.meanwhile = lambda: resumed(stage.ports, SUPPORT, head.pause)
    list_stuck(stage.ports, stage.head(head.pause), "resume_failed")
    return stage.head(head.pause).stuck != ""


@scenario("list_stuck", "first")
def a_listing_is_told_over_another(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    fact = f"listed#wait_failed#{stage.clock.now_ms()}"
    stage.tell(head.pause, fact)
    list_stuck(stage.ports, stage.head(head.pause), "wait_failed")
    return stage.told_again(head.pause, fact)


def repairs(stage: Stage, head: Head) -> None:
    """An operator sets it going again."""
    stage.attempt(operate.repair, stage.ports, "ops/olga", head.pause)


def listed(stage: Stage, head: Head) -> Head:
    """On the stuck list."""
    lists(stage, head)
    return stage.head(head.pause)


@scenario("unlist", "as_listed")
def a_pause_is_repaired_that_was_listed_for_another_reason_meanwhile(stage: Stage) -> bool:
    head = listed(stage, stage.approved())

    def repaired_and_listed() -> None:
        stage.clock.move(0.001)
        repairs(stage, head)
        list_stuck(stage.ports, stage.head(head.pause), "framework_differs")

    stage.meanwhile = repaired_and_listed
    place = {"wpk": stage.keys.out(head.agent), "wsk": stage.clock.now_ms()}
    return stage.write("unlist", head, writes.Move(head, place), "ops/olga", operate.OFFERED, stage.clock.now_ms() + 2)


@scenario("unlist", "permits_as_seen")
def a_second_unknown_is_repaired_off_the_list(stage: Stage) -> bool:
    """Both were listed for the same reason; a person settled the first."""
    head = stage.shown(SMALL, REFUND)
    stage.decide(head, 2, Verdict.ACCEPT)
    for number in (1, 2):
        claim(stage.ports, SUPPORT, call_id(head.pause, number), head.calls[number - 1].digest, f"w{number}")
    told_by(stage, head, 1)
    stage.attempt(operate.reconcile, stage.ports, "ops/olga", call_id(head.pause, 1), PermitState.DONE, "bank")
    stage.meanwhile = lambda: told_by(stage, head, 2)
    repairs(stage, head)
    return not stage.head(head.pause).stuck


def told_by(stage: Stage, head: Head, number: int) -> None:
    """A worker reports that it does not know."""
    at = call_id(head.pause, number)
    stage.attempt(outcome, stage.ports, SUPPORT, at, f"w{number}", PermitState.UNKNOWN, "")


@scenario("unlist", "open_as_seen")
def a_pause_that_closed_and_was_listed_again_waits_for_people(stage: Stage) -> bool:
    head = listed(stage, stage.shown(REFUND))

    def over_and_listed() -> None:
        stage.clock.at_ms = head.deadline_ms
        escalate(stage.ports, head.pause)
        lists(stage, head)

    stage.meanwhile = over_and_listed
    repairs(stage, head)
    return stage.head(head.pause).wpk == stage.keys.new()


@scenario("unlist", "my_generation")
def an_execution_that_ended_is_started_again(stage: Stage) -> bool:
    head = listed(stage, stage.shown(REFUND))

    def repaired_and_stuck_again() -> None:
        stage.clock.move(0.001)
        repairs(stage, head)
        lists(stage, head)
        stage.clock.move(0.001)

    stage.meanwhile = repaired_and_stuck_again
    repairs(stage, head)
    return stage.head(head.pause).gen == 2


@scenario("unlist", "first")
def a_repair_is_told_over_another(stage: Stage) -> bool:
    head = listed(stage, stage.shown(REFUND))
    fact = f"repaired#{stage.clock.now_ms()}"
    stage.tell(head.pause, fact)
    repairs(stage, head)
    return stage.told_again(head.pause, fact)


@scenario("into_epoch", "old_epoch")
def a_restored_pause_waits_twice(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.epoch, stage.clock.at_ms = 2, head.deadline_ms
    stage.meanwhile = lambda: sweep(stage.ports)
    sweep(stage.ports)
    return stage.head(head.pause).gen != 2


@scenario("into_epoch", "permits_as_seen")
def what_is_known_to_be_done_becomes_unknown(stage: Stage) -> bool:
    """A worker of before the restore reports while the sweep looks."""
    head = stage.shown(SMALL, REFUND)
    claim(stage.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w1")
    stage.epoch, stage.clock.at_ms = 2, head.deadline_ms
    stage.meanwhile = lambda: reports(stage, head)
    sweep(stage.ports)
    return stage.head(head.pause).calls[0].permit is PermitState.UNKNOWN


@scenario("into_epoch", "open_as_seen")
def a_pause_that_closed_meanwhile_waits_again(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.epoch, stage.clock.at_ms = 2, head.deadline_ms
    stage.meanwhile = lambda: escalate(stage.ports, head.pause)
    sweep(stage.ports)
    return stage.head(head.pause).wpk == stage.keys.new()


@scenario("into_epoch", "as_listed")
def a_listed_pause_enters_the_epoch_off_the_list(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.epoch, stage.clock.at_ms = 2, head.deadline_ms
    stage.meanwhile = lambda: lists(stage, head)
    sweep(stage.ports)
    return stage.astray(head.pause)
