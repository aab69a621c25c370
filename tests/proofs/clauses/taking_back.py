"""undo, and the hold of a run for it: what is taken back does not run, what runs is not taken back."""

from __future__ import annotations

from collections.abc import Callable

from placet.model.pauses import Reviewer, call_id
from placet.model.states import CallState, Verdict
from placet.records import writes
from placet.records.heads import Head
from placet.records.ops import Delete
from placet.service.dispatch import Edge, dispatch
from placet.service.escalate import escalate
from placet.service.undo import Undone, undo
from tests.gateway import DELETE, REFUND
from tests.proofs.clauses.acting import ends, takes
from tests.proofs.clauses.stage import Stage, is_permit, scenario
from tests.proofs.clauses.standing_in import left, scenarios_of_a_delegate

WINDOW_S = 60


def windowed(stage: Stage, *calls: tuple[str, dict], **more: object) -> Head:
    """A shown pause of a class whose decisions may be taken back."""
    stage.with_policy(undo_s=WINDOW_S, **more)
    return stage.shown(*calls or (REFUND,))


def held(stage: Stage, *calls: tuple[str, dict], **more: object) -> Head:
    """The same, its first call accepted just now."""
    head = windowed(stage, *calls, **more)
    stage.decide(head, 1, Verdict.ACCEPT)
    return stage.head(head.pause)


def takes_back(stage: Stage, head: Head, who: Reviewer | None = None) -> bool:
    """Whether somebody, Maria, is told that she took back what the head shows of its first call."""
    at, revision = call_id(head.pause, 1), head.calls[0].rev
    answer = stage.attempt(undo, stage.ports, who or stage.maria, at, revision)
    return isinstance(answer, Undone) and not answer.replayed


def taking(stage: Stage, head: Head) -> writes.TakingBack:
    """What Maria's write is made of."""
    return writes.TakingBack(stage.maria, head.calls[0], head.calls[0].rev, "finance")


def again(stage: Stage, head: Head) -> Callable[[], None]:
    """Jonas takes it back and accepts it anew, by a clock that is a second behind."""

    def back_and_forth() -> None:
        stage.clock.move(-1)
        takes_back(stage, head, stage.jonas)
        stage.decide(stage.head(head.pause), 1, Verdict.ACCEPT, stage.jonas)
        stage.clock.move(1)

    return back_and_forth


def opens(stage: Stage, head: Head) -> bool:
    """Whether the run may go on although a decision may still be taken back."""
    after = stage.head(head.pause)
    return after.held_ms < max(call.undo_ms for call in after.calls)


@scenario("claim", "window_over")
def a_call_runs_that_may_still_be_taken_back(stage: Stage) -> bool:
    return is_permit(stage.claim(held(stage), "early"))


@scenario("lease", "not_held")
def a_run_is_taken_up_whose_decision_was_made_again(stage: Stage) -> bool:
    head = held(stage)
    stage.clock.move(WINDOW_S)
    stage.meanwhile = again(stage, head)
    return bool(takes(stage, head))


@scenario("resumed", "not_held")
def a_run_goes_on_whose_decision_was_made_again(stage: Stage) -> bool:
    head = held(stage)
    stage.clock.move(WINDOW_S)
    stage.meanwhile = again(stage, head)
    return ends(stage, head) is False


@scenario("end_hold", "hold_as_seen")
def a_slow_timer_ends_the_time_of_another_decision(stage: Stage) -> bool:
    head = held(stage)
    stage.clock.move(WINDOW_S)
    stage.meanwhile = again(stage, head)
    escalate(stage.ports, head.pause)
    return opens(stage, head)


@scenario("decide", "window_as_seen")
def the_last_decision_holds_the_run_for_too_short(stage: Stage) -> bool:
    head = held(stage, REFUND, REFUND)
    stage.clock.move(WINDOW_S / 2)
    anew = again(stage, head)
    stage.meanwhile = lambda: (stage.clock.move(10), anew(), stage.clock.move(-10))
    stage.decide(head, 2, Verdict.ACCEPT)
    return opens(stage, head)


@scenario("expire", "window_as_seen")
def an_expiry_holds_the_run_for_too_short(stage: Stage) -> bool:
    head = windowed(stage, REFUND, DELETE)
    stage.force(head.pause, calls__2__deadline_ms=head.deadline_ms - 10_000)
    stage.clock.at_ms = head.deadline_ms - 11_000
    stage.decide(head, 1, Verdict.ACCEPT)
    head = stage.head(head.pause)
    stage.clock.at_ms += 1_500
    stage.meanwhile = again(stage, head)
    escalate(stage.ports, head.pause)
    return opens(stage, head)


@scenario("mend_closed", "window_as_seen")
def mending_holds_the_run_for_too_short(stage: Stage) -> bool:
    """Set by hand: two last calls that an earlier release let race past each other."""
    head = held(stage)
    stage.force(head.pause, ("held_ms",), state="open", wpk=stage.keys.queue("money-out", 0))
    stage.clock.move(2)
    stage.meanwhile = again(stage, head)
    dispatch(stage.ports, Edge.CLOSED, head.pause)
    return opens(stage, head)


@scenario("undo", "window_open")
def a_decision_is_taken_back_when_its_time_is_over(stage: Stage) -> bool:
    head = held(stage)
    return stage.write("undo", head, taking(stage, head), 1, head.held_ms)


@scenario("undo", "first")
def a_decision_is_taken_back_that_was_made_since(stage: Stage) -> bool:
    head = held(stage)
    stage.meanwhile = again(stage, head)
    return takes_back(stage, head)


@scenario("undo", "not_handed_out")
def a_decision_is_taken_back_that_a_worker_has(stage: Stage) -> bool:
    head = held(stage)

    def picks_up() -> None:
        stage.clock.move(WINDOW_S)
        takes(stage, head)
        stage.clock.move(-WINDOW_S)

    stage.meanwhile = picks_up
    return takes_back(stage, head)


@scenario("undo", "permits_as_seen")
def a_call_waits_that_runs(stage: Stage) -> bool:
    head = held(stage)

    def claims() -> None:
        stage.clock.move(WINDOW_S)
        stage.claim(head, "w1")
        stage.clock.move(-WINDOW_S)

    stage.meanwhile = claims
    return takes_back(stage, head)


@scenario("undo", "same_epoch")
def a_restored_decision_is_taken_back_that_may_have_run(stage: Stage) -> bool:
    head = held(stage)
    return stage.write("undo", head, taking(stage, head), 2, stage.clock.now_ms())


@scenario("undo", "as_listed")
def a_listed_pause_is_taken_back_off_the_list(stage: Stage) -> bool:
    """Set by hand: listing moves it too, which same_work_list sees."""
    head = held(stage)
    stage.meanwhile = lambda: stage.force(head.pause, stuck="wait_failed")
    takes_back(stage, head)
    return stage.head(head.pause).calls[0].state is CallState.PENDING and stage.astray(head.pause)


@scenario("undo", "still_member")
def somebody_who_left_takes_a_decision_back(stage: Stage) -> bool:
    head = held(stage)
    stage.meanwhile = lambda: stage.table.write([Delete(stage.keys.member("maria", "finance"))])
    return takes_back(stage, head)


def stood_in(stage: Stage) -> tuple[Head, Reviewer]:
    """A decision of Maria's, and Ingrid, who may take it back for as long as Jonas is away."""
    ingrid = stage.person("ingrid", "Ingrid Solberg", "gardeners")
    head = held(stage)
    left(stage, ingrid)
    return head, ingrid


scenarios_of_a_delegate("undo", takes_back, stood_in)


@scenario("undo", "first")
def a_taking_back_is_told_over_another(stage: Stage) -> bool:
    head = held(stage)
    stage.tell(head.pause, "1#undone#1")
    takes_back(stage, head)
    return stage.told_again(head.pause, "1#undone#1")
