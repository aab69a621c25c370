"""reassign: who hands a call on, to whom, and what others do beside it."""

from __future__ import annotations

from placet.model.pauses import Reviewer, call_id
from placet.model.states import Verdict
from placet.policy import Level
from placet.records import writes
from placet.records.heads import Head
from placet.records.ops import Delete
from placet.service.decide import Decided
from placet.service.notify import mail_again
from placet.service.reassign import Reassigned, reassign
from tests.gateway import REFUND, SUPPORT
from tests.proofs.clauses.stage import Stage, scenario
from tests.proofs.clauses.standing_in import scenarios_of_a_delegate

HOUR = 3_600
LEVELS = (Level(("finance",)), Level(("leads",), HOUR), Level(("board",), 2 * HOUR))


def waiting(stage: Stage, **facts: object) -> Head:
    """A call of three levels, of which the first is asked; Lea and Bea belong to the later ones."""
    stage.with_policy(levels=LEVELS)
    stage.person("lea", "Lea Lang", "leads")
    stage.person("bea", "Bea Baum", "board")
    return stage.shown(REFUND, **facts)


def hands(stage: Stage, head: Head, to: str = "lea", who: Reviewer | None = None) -> bool:
    """Whether Maria is told that she handed it on."""
    job = stage.attempt(reassign, stage.ports, who or stage.maria, call_id(head.pause, 1), to=to)
    return isinstance(job, Reassigned)


def written(stage: Stage, head: Head, now: int = 0, level: int = 0, told: tuple[str, ...] = ("lea",)) -> bool:
    """The same by the write alone, which judges what the service judged before it."""
    hand = writes.Hand(
        by=stage.maria,
        call=head.calls[0],
        group="finance",
        level=level,
        handed="",
        in_place_of=None,
        to="lea",
        to_name="Lea Lang",
        to_group="leads",
        to_level=1,
        to_names=frozenset({"lea", "lea@example.com"}),
        told=told,
    )
    return stage.write("reassign", head, hand, stage.epoch, now or stage.clock.now_ms())


@scenario("reassign", "call_pending")
def a_decided_call_is_handed_on(stage: Stage) -> bool:
    head = waiting(stage)
    stage.meanwhile = lambda: stage.force(head.pause, calls__1__state="rejected", open_calls=0)
    return hands(stage, head)


@scenario("reassign", "in_time")
def a_call_is_handed_on_at_its_deadline(stage: Stage) -> bool:
    head = waiting(stage)
    return written(stage, head, head.deadline_ms)


@scenario("reassign", "not_cancelled")
def a_cancelled_call_is_handed_on(stage: Stage) -> bool:
    head = waiting(stage)
    stage.force(head.pause, cancelled="the user left")
    return written(stage, head)


@scenario("reassign", "not_requester")
def the_requester_gets_it(stage: Stage) -> bool:
    head = waiting(stage, requester="Lea <LEA@example.com>")
    return written(stage, head)


@scenario("reassign", "not_requester")
def the_requester_hands_it_on(stage: Stage) -> bool:
    return written(stage, waiting(stage, requester="maria"))


@scenario("reassign", "not_kept_out")
def who_had_no_say_in_a_call_gets_its_undo(stage: Stage) -> bool:
    head = waiting(stage)
    stage.keep_out(head, "lea@example.com")
    return written(stage, stage.head(head.pause))


@scenario("reassign", "not_owner")
def the_owner_gets_it(stage: Stage) -> bool:
    head = waiting(stage)
    stage.force(head.pause, owner="lea@example.com")
    return written(stage, stage.head(head.pause))


@scenario("reassign", "level_reached")
def somebody_hands_it_on_before_their_level(stage: Stage) -> bool:
    head = waiting(stage)
    return written(stage, head, level=1)


@scenario("reassign", "handed_over")
def somebody_hands_on_what_they_have_no_more(stage: Stage) -> bool:
    """Set by hand: it is forgotten only when the call is asked for anew."""
    head = waiting(stage)
    hands(stage, head)
    lea = stage.person("lea", "Lea Lang", "leads")
    stage.meanwhile = lambda: stage.force(head.pause, calls__1__handed={"U#olga": {}})
    return hands(stage, head, "bea", lea)


@scenario("decide", "handed_over")
def somebody_decides_what_was_asked_for_anew(stage: Stage) -> bool:
    """Set by hand, in the round that they saw: a new one has another deadline as well."""
    head = waiting(stage)
    hands(stage, head)
    lea = stage.person("lea", "Lea Lang", "leads")
    stage.meanwhile = lambda: stage.force(head.pause, remove=("calls.1.handed",))
    return isinstance(stage.attempt(stage.decide, stage.head(head.pause), 1, Verdict.ACCEPT, lea), Decided)


@scenario("reassign", "handed_as_seen")
def whom_another_handed_it_to_is_forgotten(stage: Stage) -> bool:
    """Both to the same level, so that the pause stays in its queue."""
    head = waiting(stage)
    hands(stage, head, "bea")
    stage.person("ben", "Ben Berg", "board")
    stage.person("bo", "Bo Born", "board")
    mail_again(stage.ports, head.pause)
    stage.meanwhile = lambda: (hands(stage, head, "ben", stage.jonas), mail_again(stage.ports, head.pause))
    hands(stage, head, "bo")
    return set(stage.head(head.pause).calls[0].handed) != {"U#bea", "U#ben", "U#bo"}


@scenario("reassign", "my_generation")
def a_pause_that_waits_anew_is_handed_on(stage: Stage) -> bool:
    """Set by hand: what waits anew stands on another list, which same_work_list sees too."""
    head = waiting(stage)
    stage.meanwhile = lambda: stage.force(head.pause, gen=2)
    return written(stage, head)


@scenario("reassign", "same_work_list")
def a_pause_is_taken_back_to_its_people(stage: Stage) -> bool:
    """Set by hand: what takes it off the queue changes its open calls as well."""
    head = waiting(stage)
    stage.meanwhile = lambda: stage.force(head.pause, wpk=stage.keys.out(SUPPORT.name))
    return written(stage, head)


@scenario("reassign", "mails_as_seen")
def who_was_mailed_is_mailed_again_because_of_another(stage: Stage) -> bool:
    head = waiting(stage)
    stage.force(head.pause, mails_missed=["tom"], wsk=stage.clock.now_ms() - 1)
    seen = stage.head(head.pause)
    stage.meanwhile = lambda: mail_again(stage.ports, head.pause)
    written(stage, seen)
    return "tom" in stage.head(head.pause).mails_missed


@scenario("reassign", "mails_as_seen")
def whom_another_call_was_handed_to_is_mailed_by_nobody(stage: Stage) -> bool:
    """One name goes as another comes: the list is as long as before. At the moment at which it stood."""
    head = waiting(stage)
    stage.force(head.pause, mails_missed=["tom"], wsk=stage.clock.now_ms() - 1)
    seen = stage.head(head.pause)
    stage.meanwhile = lambda: stage.force(head.pause, mails_missed=["nora"])
    written(stage, seen)
    return "nora" not in stage.head(head.pause).mails_missed


@scenario("reassign", "same_epoch")
def a_restored_call_is_handed_on_before_it_entered_the_epoch(stage: Stage) -> bool:
    head = waiting(stage)
    stage.epoch = 2
    return written(stage, head)


@scenario("reassign", "as_listed")
def a_pause_that_was_just_listed_is_handed_on(stage: Stage) -> bool:
    """Set by hand: listing moves it too, which same_work_list sees."""
    head = waiting(stage)
    stage.meanwhile = lambda: stage.force(head.pause, stuck="wait_failed")
    return written(stage, head)


@scenario("reassign", "first")
def a_handing_on_is_told_over_another(stage: Stage) -> bool:
    head = waiting(stage)
    fact = "1#reassigned#U#lea"
    stage.tell(head.pause, fact)
    written(stage, head)
    return stage.told_again(head.pause, fact)


@scenario("reassign", "still_member")
def somebody_hands_it_on_who_left(stage: Stage) -> bool:
    head = waiting(stage)
    stage.meanwhile = lambda: stage.table.write([Delete(stage.keys.member("maria", "finance"))])
    return hands(stage, head)


@scenario("reassign", "still_member")
def somebody_gets_it_who_left(stage: Stage) -> bool:
    head = waiting(stage)
    stage.meanwhile = lambda: stage.table.write([Delete(stage.keys.member("lea", "leads"))])
    return hands(stage, head)


def hands_on(stage: Stage, head: Head, who: Reviewer) -> bool:
    """Whether somebody else is told that they handed it to Maria."""
    return hands(stage, head, "maria", who)


scenarios_of_a_delegate("reassign", hands_on)
