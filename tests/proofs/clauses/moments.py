"""What a pause's moments do: reminding, widening, and what decides beside them."""

from __future__ import annotations

from placet.model.states import Verdict
from placet.policy import Level
from placet.records import writes
from placet.records.heads import Head
from placet.service.escalate import escalate
from placet.service.notify import mail_again
from tests.gateway import DELETE, REFUND, SMALL, SUPPORT
from tests.proofs.clauses.stage import Stage, scenario

HOUR = 3_600
TWO_LEVELS = (Level(("finance",)), Level(("leads",), HOUR))
BOARD = (*TWO_LEVELS, Level(("board",), 2 * HOUR))


def reminded(stage: Stage, *calls: tuple[str, dict]) -> Head:
    """A shown pause whose first reminder is due."""
    stage.with_policy(remind_after_s=(HOUR, 2 * HOUR))
    head = stage.shown(*calls or (REFUND,))
    stage.clock.move(HOUR)
    return head


def widened(stage: Stage, *calls: tuple[str, dict], levels: tuple[Level, ...] = TWO_LEVELS) -> Head:
    """A shown pause whose next level is due."""
    stage.person("lea", "Lea Lang", "leads")
    stage.person("bea", "Bea Baum", "board")
    stage.with_policy(levels=levels)
    head = stage.shown(*calls or (REFUND,))
    stage.clock.move(HOUR)
    return head


def reminds(stage: Stage, head: Head) -> bool:
    """Another timer, that read the head before, tells its first reminder."""
    return stage.write("remind", head, {1: 1}, ["jonas", "maria"], stage.clock.now_ms())


def widens(stage: Stage, head: Head) -> bool:
    """Another timer, that read the head before, widens it by one level."""
    return stage.write("widen", head, {1: head.calls[0].level + 1}, ["lea"], "after", stage.clock.now_ms())


def sends(stage: Stage, head: Head) -> None:
    """The mails that are to be sent are."""
    mail_again(stage.ports, head.pause)


@scenario("remind", "reminded_as_seen")
def a_slow_timer_makes_a_reminder_due_again(stage: Stage) -> bool:
    head = reminded(stage)

    def two_more() -> None:
        stage.clock.move(HOUR)
        escalate(stage.ports, head.pause)
        sends(stage, head)

    stage.meanwhile = two_more
    return reminds(stage, head)


@scenario("remind", "call_pending")
def people_are_reminded_of_a_call_that_was_decided(stage: Stage) -> bool:
    head = reminded(stage, REFUND, REFUND)
    stage.meanwhile = lambda: stage.decide(stage.head(head.pause), 1, Verdict.REJECT)
    return reminds(stage, stage.head(head.pause))


@scenario("remind", "my_generation")
def a_reminder_of_yesterday_counts_for_a_pause_that_waits_anew(stage: Stage) -> bool:
    """Set by hand: what waits anew stands on another list, which same_work_list sees too."""
    head = reminded(stage)
    stage.meanwhile = lambda: stage.force(head.pause, gen=2)
    return reminds(stage, head)


@scenario("remind", "mails_as_seen")
def who_was_mailed_is_mailed_again(stage: Stage) -> bool:
    """Of several calls, the people of the other one: they are told already, and nothing of theirs is due."""
    head = reminded(stage)
    stage.force(head.pause, mails_missed=["tom"], wsk=stage.clock.now_ms() - 1)
    seen = stage.head(head.pause)
    stage.meanwhile = lambda: sends(stage, head)
    reminds(stage, seen)
    return "tom" in stage.head(head.pause).mails_missed


@scenario("remind", "first")
def a_reminder_is_written_over_another(stage: Stage) -> bool:
    head = reminded(stage)
    fact = "reminded#1#1x1"
    stage.tell(head.pause, fact)
    reminds(stage, head)
    return stage.told_again(head.pause, fact)


@scenario("widen", "level_as_seen")
def a_level_is_passed_over_backwards(stage: Stage) -> bool:
    """A slow timer, that saw the level before, takes the pause back from the people of the one after."""
    head = widened(stage, levels=BOARD)

    def two_more() -> None:
        stage.clock.move(HOUR)
        escalate(stage.ports, head.pause)
        sends(stage, head)
        stage.force(head.pause, wpk=head.wpk)  # as of two calls of which another is there already

    stage.meanwhile = two_more
    widens(stage, head)
    return stage.head(head.pause).calls[0].level < 2


@scenario("widen", "open_as_seen")
def a_pause_stands_in_the_queue_of_a_call_that_was_decided(stage: Stage) -> bool:
    """Set by hand, in the same queue: a decision leaves it, which same_work_list sees too."""
    head = widened(stage, REFUND, DELETE)
    stage.meanwhile = lambda: stage.force(head.pause, open_calls=1, calls__2__state="rejected")
    return widens(stage, head)


@scenario("widen", "same_work_list")
def a_cancelled_pause_is_widened(stage: Stage) -> bool:
    """Set by hand: what takes it off the queue changes its open calls as well."""
    head = widened(stage)
    stage.meanwhile = lambda: stage.force(head.pause, wpk=stage.keys.out(SUPPORT.name))
    return widens(stage, head)


@scenario("widen", "my_generation")
def a_pause_that_waits_anew_begins_at_a_later_level(stage: Stage) -> bool:
    head = widened(stage)
    stage.meanwhile = lambda: stage.force(head.pause, gen=2)
    return widens(stage, head)


@scenario("widen", "mails_as_seen")
def who_was_mailed_is_mailed_again_because_of_a_later_level(stage: Stage) -> bool:
    head = widened(stage)
    stage.force(head.pause, mails_missed=["tom"], wsk=stage.clock.now_ms() - 1)
    seen = stage.head(head.pause)
    stage.meanwhile = lambda: sends(stage, head)
    widens(stage, seen)
    return "tom" in stage.head(head.pause).mails_missed


@scenario("widen", "as_listed")
def a_listed_pause_is_widened(stage: Stage) -> bool:
    """Set by hand: listing moves it too, which same_work_list sees."""
    head = widened(stage)
    stage.meanwhile = lambda: stage.force(head.pause, stuck="wait_failed")
    return widens(stage, head)


@scenario("widen", "permits_as_seen")
def a_claim_that_ends_sooner_is_overlooked(stage: Stage) -> bool:
    """Nobody is told, so the next moment is written: the end of a claim that came meanwhile is before it."""
    head = widened(stage, SMALL, REFUND)
    stage.meanwhile = lambda: stage.claim(head, "w1")
    stage.write("widen", head, {2: 1}, [], "after", stage.clock.now_ms())
    now = stage.head(head.pause)
    return now.wsk > writes.next_look(now)


@scenario("widen", "first")
def a_widening_is_written_over_another(stage: Stage) -> bool:
    head = widened(stage)
    fact = "widened#1#1x1"
    stage.tell(head.pause, fact)
    widens(stage, head)
    return stage.told_again(head.pause, fact)


def over(stage: Stage, head: Head) -> Head:
    """The first call's deadline has passed, and the other's has not."""
    stage.force(head.pause, calls__1__deadline_ms=stage.clock.now_ms(), deadline_ms=stage.clock.now_ms())
    return stage.head(head.pause)
