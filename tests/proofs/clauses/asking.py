"""ask and answer: beside decisions, the clock, other questions and other answers."""

from __future__ import annotations

from placet.model.pauses import Reviewer, call_id
from placet.model.states import Verdict
from placet.records import writes
from placet.records.heads import Head
from placet.records.ops import Delete
from placet.service.answer import Answered, answer
from placet.service.ask import Asked, ask
from tests.gateway import DELETE, REFUND, SUPPORT
from tests.proofs.clauses.handing import hands, waiting
from tests.proofs.clauses.moments import widened
from tests.proofs.clauses.signing_in import signed_in
from tests.proofs.clauses.stage import Stage, scenario
from tests.proofs.clauses.standing_in import scenarios_of_a_delegate


def asks(stage: Stage, head: Head, who: Reviewer | None = None, number: int = 1, text: str = "Which order?") -> bool:
    """Whether somebody is told that they asked about what the head shows of a call."""
    call = head.calls[number - 1]
    found = stage.attempt(ask, stage.ports, who or stage.maria, call_id(head.pause, number), text, call.rev)
    return isinstance(found, Asked) and not found.replayed


def answers(stage: Stage, head: Head, question: int = 1, number: int = 1) -> bool:
    """Whether the agent is told that its answer was taken."""
    call = call_id(head.pause, number)
    found = stage.attempt(answer, stage.ports, SUPPORT, call, question, "Order 1182.", ())
    return isinstance(found, Answered) and not found.replayed


def asked(stage: Stage, *calls: tuple[str, dict], number: int = 1, **policy: object) -> Head:
    """A shown pause of which a call is asked about."""
    stage.with_policy(**policy)
    head = stage.shown(*calls or (REFUND,))
    asks(stage, head, number=number)
    return stage.head(head.pause)


@scenario("ask", "call_pending")
def a_decided_call_is_asked_about(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.meanwhile = lambda: stage.decide(head, 1, Verdict.ACCEPT)
    return asks(stage, head)


@scenario("ask", "shown_revision")
def somebody_asks_from_a_page_that_does_not_show_the_answer(stage: Stage) -> bool:
    head = asked(stage)
    answers(stage, head)
    return asks(stage, head, text="And the amount?")


@scenario("ask", "in_time")
def a_call_whose_time_is_over_is_asked_about(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.clock.at_ms = head.deadline_ms
    return asks(stage, head)


@scenario("ask", "not_requester")
def the_requester_asks_about_their_own_call(stage: Stage) -> bool:
    return asks(stage, stage.shown(REFUND, requester="maria@example.com"))


@scenario("ask", "not_kept_out")
def who_had_no_say_in_a_call_asks_about_its_undo(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    return asks(stage, stage.keep_out(head, "maria@example.com"))


@scenario("ask", "not_owner")
def the_owner_of_an_agent_asks_about_its_call(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.force(head.pause, owner="maria@example.com")
    return asks(stage, head)


@scenario("ask", "level_reached")
def somebody_of_a_later_level_asks_before_they_are_asked(stage: Stage) -> bool:
    head = widened(stage)
    return asks(stage, head, stage.person("lea", "Lea Lang", "leads"))


@scenario("ask", "handed_over")
def somebody_asks_about_what_was_asked_for_anew(stage: Stage) -> bool:
    head = waiting(stage)
    hands(stage, head)
    lea = stage.person("lea", "Lea Lang", "leads")
    stage.meanwhile = lambda: stage.force(head.pause, remove=("calls.1.handed",))
    return asks(stage, stage.head(head.pause), lea)


@scenario("ask", "questions_as_seen")
def a_question_opens_one_again_that_was_just_answered(stage: Stage) -> bool:
    """Set by hand to the same revision, so that no other clause sees it."""
    head = asked(stage)
    call = stage.head(head.pause).calls[0]

    def answered_as_the_same_revision() -> None:
        answers(stage, head)
        stage.force(head.pause, calls__1__rev=call.rev)

    stage.meanwhile = answered_as_the_same_revision
    asks(stage, head, stage.jonas, text="Why?")
    return 1 in stage.head(head.pause).calls[0].questions.open


@scenario("ask", "first")
def a_question_is_told_over_another(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.tell(head.pause, "1#asked#01")
    asks(stage, head)
    return stage.told_again(head.pause, "1#asked#01")


@scenario("ask", "still_member")
def somebody_who_left_asks(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.meanwhile = lambda: stage.table.write([Delete(stage.keys.member("maria", "finance"))])
    return asks(stage, head)


@scenario("ask", "badge_lasts")
def somebody_asks_who_is_in_the_group_no_more(stage: Stage) -> bool:
    head, clara, ends = signed_in(stage)
    stage.meanwhile = ends
    return asks(stage, head, clara)


scenarios_of_a_delegate("ask", asks)


@scenario("answer", "call_pending")
def an_answer_changes_a_call_that_is_decided(stage: Stage) -> bool:
    """Beside another one, which keeps the pause open; set by hand, for a decision may move it to another list too."""
    head = asked(stage, REFUND, DELETE)
    stage.meanwhile = lambda: stage.force(head.pause, calls__1__state="rejected")
    return answers(stage, head)


@scenario("answer", "shown_revision")
def an_answer_gives_back_the_revision_of_an_edit_that_was_taken_back(stage: Stage) -> bool:
    """Set by hand: nothing else of the call is another one than when it was read."""
    head = asked(stage)
    stage.meanwhile = lambda: stage.force(head.pause, calls__1__rev=3, calls__1__same_as=1)
    answers(stage, head)
    return stage.head(head.pause).calls[0].rev < 3


@scenario("answer", "in_time")
def an_answer_is_taken_when_the_time_of_its_call_is_over(stage: Stage) -> bool:
    head = asked(stage)
    stage.clock.at_ms = head.deadline_ms
    late = writes.Answering(head.calls[0], 1, "d" * 64, ())
    return stage.write("answer", head, late, stage.clock.now_ms())


@scenario("answer", "questions_as_seen")
def of_two_answers_at_once_one_is_lost(stage: Stage) -> bool:
    """As the same revision, so that no other clause sees it."""
    head = asked(stage)
    asks(stage, head, stage.jonas, text="Why?")
    head = stage.head(head.pause)

    def the_other() -> None:
        answers(stage, head, 2)
        stage.force(head.pause, calls__1__rev=head.calls[0].rev, remove=("mails_missed", "mails_why"))

    stage.meanwhile = the_other
    answers(stage, head)
    return bool(stage.head(head.pause).calls[0].questions.open)


@scenario("answer", "questions_as_seen")
def a_list_says_that_all_is_answered_while_another_call_is_asked_about(stage: Stage) -> bool:
    head = asked(stage, REFUND, DELETE)
    stage.meanwhile = lambda: asks(stage, head, stage.jonas, number=2)
    answers(stage, head)
    return stage.head(head.pause).card.question != "open"


@scenario("answer", "mails_as_seen")
def who_is_to_be_mailed_is_forgotten_for_who_asked(stage: Stage) -> bool:
    head = asked(stage)
    stage.meanwhile = lambda: stage.force(head.pause, mails_missed=["jonas"])
    answers(stage, head)
    return "jonas" not in stage.head(head.pause).mails_missed


@scenario("answer", "first")
def an_answer_is_told_over_another(stage: Stage) -> bool:
    head = asked(stage)
    stage.tell(head.pause, "1#answered#01")
    answers(stage, head)
    return stage.told_again(head.pause, "1#answered#01")
