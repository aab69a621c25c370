"""ask and answer: a question decides nothing, its answer is a new revision, and nothing that was shown changes later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from placet.model.canonical import digest, parse
from placet.model.errors import Conflict, Frozen, Gone, Invalid, NotAllowed, NotFound, NotYet, PlacetError
from placet.model.pauses import Evidence, Reviewer, call_id
from placet.model.states import CallState, Verdict
from placet.policy import Level
from placet.records import writes
from placet.records.heads import Head
from placet.records.ops import Delete, Op
from placet.records.questions import Questions
from placet.service import operate, review
from placet.service.answer import Answered, answer
from placet.service.ask import Asked, ask
from placet.service.cancel import cancel
from placet.service.notify import mail_again
from placet.service.questions import open_questions
from placet.service.sweep import sweep
from placet.service.undo import undo
from tests.gateway import BILLING, DELETE, REFUND, SUPPORT, Gateway

TERMS = Evidence("Refund terms", "wiki/9", False, "Within 30 days.", "retrieved", 7)


@pytest.fixture
def house() -> Gateway:
    return Gateway()


def asks(
    house: Gateway, head: Head, text: str = "Which order?", who: Reviewer | None = None, number: int = 1, rev: int = 0
) -> Asked:
    call = head.calls[number - 1]
    return ask(house.ports, who or house.maria, call_id(head.pause, number), text, rev or call.rev)


def answers(
    house: Gateway, head: Head, question: int = 1, text: str = "Order 1182.", number: int = 1, **more: Any
) -> Answered:
    given = {"agent": SUPPORT, "evidence": (TERMS,), **more}
    return answer(house.ports, given["agent"], call_id(head.pause, number), question, text, given["evidence"])


def refused(house: Gateway, head: Head, do: Callable[[], object]) -> PlacetError:
    before = house.head(head.pause)
    with pytest.raises(PlacetError) as raised:
        do()
    assert house.head(head.pause) == before
    return raised.value


def meanwhile(house: Gateway, action: Callable[[], object]) -> None:
    """`action` happens between the read and the next write of a head."""
    write = house.table.write

    def once(ops: list[Op]) -> None:
        if ops[0].key.sk == "HEAD":
            house.table.write = write  # type: ignore[method-assign]
            action()
        write(ops)

    house.table.write = once  # type: ignore[method-assign]


def told(house: Gateway, head: Head) -> list[tuple[str, str, int, str | None, int | None]]:
    found = review.detail(house.ports, house.jonas, head.pause).questions
    return [
        (one.by, one.text, one.revision, one.answer and one.answer.text, one.answer and one.answer.revision)
        for one in found
    ]


def test_a_question_leaves_the_call_as_it_is_and_its_agent_gets_it(house: Gateway) -> None:
    head = house.shown(REFUND)
    found = asks(house, head, " Which order? ")
    assert (found.question, found.revision, found.by, found.replayed) == (1, 1, "Maria Keller", False)
    now = house.head(head.pause)
    card = replace(head.card, question="open")
    call = replace(head.calls[0], questions=Questions(1, (1,)))
    assert now == replace(head, said=True, card=card, calls=(call,))
    (question,) = open_questions(house.ports, now)
    assert (question.call, question.question, question.group) == (call_id(head.pause, 1), 1, "finance")
    assert (question.revision, question.text) == (1, "Which order?")
    assert told(house, head) == [("Maria Keller", "Which order?", 1, None, None)]


def test_an_answer_is_a_new_revision_with_the_same_arguments_and_is_read_afresh(house: Gateway) -> None:
    head = house.shown(REFUND)
    asks(house, head)
    house.clock.move(60)
    done = answers(house, head)
    assert (done.revision, done.at_ms, done.replayed) == (2, house.clock.now_ms(), False)
    now = house.head(head.pause)
    assert (now.calls[0].rev, now.calls[0].same_as, now.calls[0].digest) == (2, 1, head.calls[0].digest)
    assert now.calls[0].questions == Questions(1, (), now.calls[0].questions.answer)
    assert (now.card.question, now.deadline_ms, now.wpk) == ("answered", head.deadline_ms, head.wpk)
    assert open_questions(house.ports, now) == ()
    (shown,) = review.detail(house.ports, house.jonas, head.pause).questions
    assert shown.answer is not None
    assert (shown.answer.text, shown.answer.evidence, shown.answer.revision) == ("Order 1182.", (TERMS,), 2)
    stale = refused(house, head, lambda: house.decide(head, 1, Verdict.ACCEPT))
    assert (stale.code, stale.members["revision"]) == ("revision_differs", 2)
    view = review.detail(house.ports, house.maria, head.pause).calls[0]
    assert (view.revision, view.proposed, view.text) == (2, True, '{"order_id":"1182","amount":240.5}')
    assert house.decide(now, 1, Verdict.ACCEPT).state is CallState.ACCEPTED


def test_votes_that_were_given_before_an_answer_are_gone(house: Gateway) -> None:
    house.with_policy(quorum=2)
    head = house.shown(REFUND)
    asks(house, head)
    house.decide(head, 1, Verdict.ACCEPT, house.jonas)
    assert house.head(head.pause).calls[0].votes
    answers(house, head)
    now = house.head(head.pause)
    assert (now.calls[0].votes, now.calls[0].marks, now.calls[0].stand_ins) == ({}, {}, {})
    assert refused(house, head, lambda: house.decide(head, 1, Verdict.ACCEPT, house.jonas)).code == "revision_differs"
    assert house.decide(now, 1, Verdict.ACCEPT).state is CallState.PENDING
    assert house.decide(now, 1, Verdict.ACCEPT, house.jonas).state is CallState.ACCEPTED


def test_the_other_calls_of_a_pause_are_not_touched(house: Gateway) -> None:
    head = house.shown(REFUND, DELETE)
    asks(house, head, number=2)
    answers(house, head, number=2)
    now = house.head(head.pause)
    assert [call.rev for call in now.calls] == [1, 2]
    assert now.calls[0] == head.calls[0]
    assert house.decide(head, 1, Verdict.ACCEPT).state is CallState.ACCEPTED


def test_a_list_says_answered_only_when_nothing_is_open_on_any_call(house: Gateway) -> None:
    head = house.shown(REFUND, DELETE)
    asks(house, head)
    asks(house, head, number=2)
    answers(house, head)
    assert house.head(head.pause).card.question == "open"
    meanwhile(house, lambda: asks(house, house.head(head.pause), "Why?", house.jonas))
    answers(house, head, number=2)
    assert house.head(head.pause).card.question == "open", "another one was asked meanwhile"
    answers(house, head, 2)
    assert house.head(head.pause).card.question == "answered"


def test_several_questions_are_answered_one_by_one_and_each_answer_names_the_one_before(house: Gateway) -> None:
    head = house.shown(REFUND)
    asks(house, head)
    asks(house, head, "Since when?", house.jonas)
    answers(house, head, 2, "Since May.", evidence=())
    assert answers(house, head, 1).revision == 3
    assert told(house, head) == [
        ("Maria Keller", "Which order?", 1, "Order 1182.", 3),
        ("Jonas Weber", "Since when?", 1, "Since May.", 2),
    ]
    stored = house.table.query(house.keys.pause(head.pause), "ANSWER#1#")
    house.table.write([Delete(house.keys.answer(head.pause, 1, stored[0]["sk"].rpartition("#")[2]))])
    with pytest.raises(PlacetError) as lost:
        told(house, head)
    assert lost.value.code == "answer_lost"


def test_the_same_question_is_one_and_asked_of_a_later_revision_it_is_another(house: Gateway) -> None:
    head = house.shown(REFUND)
    first = asks(house, head)
    assert asks(house, head) == replace(first, replayed=True)
    assert asks(house, head, who=house.jonas).question == 2
    answers(house, head)
    assert asks(house, head) == replace(first, replayed=True)
    again = asks(house, house.head(head.pause))
    assert (again.question, again.revision, again.replayed) == (3, 2, False)
    house.decide(house.head(head.pause), 1, Verdict.REJECT)
    assert asks(house, head) == replace(first, replayed=True)


def test_the_same_answer_is_one_and_another_is_refused(house: Gateway) -> None:
    head = house.shown(REFUND)
    asks(house, head)
    first = answers(house, head)
    house.clock.move(60)
    assert answers(house, head) == replace(first, replayed=True)
    assert refused(house, head, lambda: answers(house, head, text="Another.")).code == "question_answered"
    assert refused(house, head, lambda: answers(house, head, evidence=())).code == "question_answered"
    house.decide(house.head(head.pause), 1, Verdict.REJECT)
    assert answers(house, head) == replace(first, replayed=True)


def test_a_page_that_is_old_asks_nothing(house: Gateway) -> None:
    head = house.shown(REFUND)
    asks(house, head)
    answers(house, head)
    error = refused(house, head, lambda: asks(house, head, "And the amount?"))
    assert (error.code, error.members["revision"]) == ("revision_differs", 2)


def test_a_call_takes_ten_questions_and_five_of_one_person(house: Gateway) -> None:
    head = house.shown(REFUND)
    lea = house.person("lea", "Lea Lang", "finance")
    for number in range(5):
        asks(house, head, f"Question {number}?")
    error = refused(house, head, lambda: asks(house, head, "One more?"))
    assert (error.code, error.members) == ("questions_full", {"limit": 5})
    for number in range(5):
        asks(house, head, f"Question {number}?", house.jonas)
    error = refused(house, head, lambda: asks(house, head, who=lea))
    assert (error.code, error.members) == ("questions_full", {"limit": 10})
    assert not review.detail(house.ports, lea, head.pause).calls[0].may_ask
    assert asks(house, head, "Question 3?").replayed


@pytest.mark.parametrize("text", ["", " \n", "\u200b"])
def test_nothing_is_asked_or_answered_that_nobody_can_see(house: Gateway, text: str) -> None:
    head = house.shown(REFUND)
    assert refused(house, head, lambda: asks(house, head, text)).code == "text_missing"
    assert refused(house, head, lambda: asks(house, head, "x" * 1_001)).code == "text_too_long"
    asks(house, head, "x" * 1_000)
    assert isinstance(refused(house, head, lambda: answers(house, head, text=text)), Invalid)
    assert refused(house, head, lambda: answers(house, head, text="x" * 4_001)).code == "text_too_long"
    assert answers(house, head, text="x" * 4_000).revision == 2


def test_who_may_not_decide_asks_nothing(house: Gateway) -> None:
    house.with_policy(levels=(Level(("finance",)), Level(("leads",), 3_600)))
    lea, olga = house.person("lea", "Lea Lang", "leads"), house.person("olga", "Olga Brandt", "gardeners")
    head = house.shown(REFUND, requester="Maria <MARIA@example.com>")
    assert refused(house, head, lambda: asks(house, head)).code == "requester_may_not_decide"
    assert isinstance(refused(house, head, lambda: asks(house, head, who=lea)), NotFound)
    assert isinstance(refused(house, head, lambda: asks(house, head, who=olga)), NotFound)
    other = house.shown(REFUND, checkpoint="cp-2")
    house.table.items[house.keys.head(other.pause)]["owner"] = "MARIA@example.com"
    assert isinstance(refused(house, other, lambda: asks(house, other)), NotAllowed)
    assert not review.detail(house.ports, house.maria, other.pause).calls[0].may_ask


def test_who_has_agreed_already_may_ask(house: Gateway) -> None:
    house.with_policy(quorum=2)
    head = house.shown(REFUND)
    house.decide(head, 1, Verdict.ACCEPT)
    assert review.detail(house.ports, house.maria, head.pause).calls[0].may_ask
    asks(house, head)
    assert house.head(head.pause).calls[0].votes == {"maria": head.calls[0].digest}


def test_who_left_the_group_meanwhile_asks_nothing(house: Gateway) -> None:
    head = house.shown(REFUND)
    meanwhile(house, lambda: house.table.write([Delete(house.keys.member("maria", "finance"))]))
    assert isinstance(refused(house, head, lambda: asks(house, head)), NotFound)


def test_of_two_who_ask_at_once_both_are_heard(house: Gateway) -> None:
    head = house.shown(REFUND)
    meanwhile(house, lambda: asks(house, head, "Why?", house.jonas))
    assert asks(house, head).question == 2
    assert [text for _, text, *_ in told(house, head)] == ["Why?", "Which order?"]


def test_a_write_whose_answer_is_lost_is_one_question_and_one_answer(house: Gateway) -> None:
    head = house.shown(REFUND)
    meanwhile(house, lambda: asks(house, head))
    assert (asks(house, head).replayed, house.head(head.pause).calls[0].questions.asked) == (True, 1)
    meanwhile(house, lambda: answers(house, head))
    assert (answers(house, head).replayed, house.head(head.pause).calls[0].rev) == (True, 2)


def test_not_before_it_is_shown_and_not_after_its_time(house: Gateway) -> None:
    head = house.capture(REFUND).head
    assert isinstance(refused(house, head, lambda: asks(house, head)), NotYet)
    shown = house.show(head)
    asks(house, shown)
    house.clock.at_ms = shown.deadline_ms
    assert isinstance(refused(house, head, lambda: asks(house, shown, "Now?")), Gone)
    assert refused(house, head, lambda: answers(house, shown)).code == "answer_too_late"


@pytest.mark.parametrize("how", ["decided", "cancelled", "meanwhile"])
def test_what_nobody_decides_any_more_takes_no_answer(house: Gateway, how: str) -> None:
    head = house.shown(REFUND)
    asks(house, head)
    if how == "cancelled":
        cancel(house.ports, SUPPORT, head.pause, "the user left")
    elif how == "decided":
        house.decide(head, 1, Verdict.ACCEPT)
    else:
        meanwhile(house, lambda: house.decide(head, 1, Verdict.ACCEPT))
    with pytest.raises(Conflict) as late:
        answers(house, head)
    assert (late.value.code, late.value.members) == ("answer_too_late", {}), "an agent learns nothing by it"
    assert house.head(head.pause).calls[0].rev == 1
    with pytest.raises(Conflict) as closed:
        asks(house, head, "Why?")
    assert closed.value.code == ("call_cancelled" if how == "cancelled" else "already_decided")


def test_a_decision_that_may_be_taken_back_is_not_told_and_taken_back_it_is_answered(house: Gateway) -> None:
    house.with_policy(undo_s=60)
    head = house.shown(REFUND)
    asks(house, head)
    house.decide(head, 1, Verdict.ACCEPT)
    with pytest.raises(Conflict) as late:
        answers(house, head)
    assert (late.value.code, late.value.members) == ("answer_too_late", {})
    undo(house.ports, house.maria, call_id(head.pause, 1), 1)
    assert answers(house, head).revision == 3


def test_an_edit_after_an_answer_has_its_own_arguments(house: Gateway) -> None:
    house.with_policy(undo_s=60)
    head = house.shown(REFUND)
    asks(house, head)
    answers(house, head)
    text = '{"order_id":"1182","amount":200.00}'
    edit = {"arguments": text, "new_digest": digest(parse(text))}
    assert house.decide(house.head(head.pause), 1, Verdict.EDIT, **edit).state is CallState.EDITED
    now = house.head(head.pause).calls[0]
    assert (now.rev, now.same_as, now.back_rev) == (3, 0, 1)
    undo(house.ports, house.maria, call_id(head.pause, 1), 3)
    back = house.head(head.pause).calls[0]
    assert (back.rev, back.same_as, back.digest) == (4, 1, head.calls[0].digest)
    assert told(house, head) == [("Maria Keller", "Which order?", 1, "Order 1182.", 2)]


def test_only_its_own_agent_answers_and_only_what_was_asked(house: Gateway) -> None:
    head = house.shown(REFUND)
    assert isinstance(refused(house, head, lambda: answers(house, head)), NotFound)
    asks(house, head)
    assert isinstance(refused(house, head, lambda: answers(house, head, agent=BILLING)), NotFound)
    for question in (0, 2, -1):
        assert isinstance(refused(house, head, lambda question=question: answers(house, head, question)), NotFound)
    assert isinstance(refused(house, head, lambda: answers(house, head, number=2)), NotFound)


def test_while_an_operator_holds_everything_nothing_is_asked_or_answered(house: Gateway) -> None:
    head = house.shown(REFUND)
    asks(house, head)
    operate.freeze(house.ports, "ops/olga", "restore")
    assert isinstance(refused(house, head, lambda: asks(house, head, "Now?")), Frozen)
    assert isinstance(refused(house, head, lambda: answers(house, head)), Frozen)


def test_who_asked_and_whose_vote_is_gone_get_one_mail_by_the_sweep(house: Gateway) -> None:
    house.with_policy(quorum=2)
    house.person("lea", "Lea Lang", "finance")
    head = house.shown(REFUND)
    asks(house, head)
    house.decide(head, 1, Verdict.ACCEPT, house.jonas)
    house.clock.move(600)
    house.mail.sent.clear()
    answers(house, head)
    now = house.head(head.pause)
    assert (now.mails_missed, now.mails_why, now.wsk) == (("jonas", "maria"), "answered", house.clock.now_ms())
    house.clock.move(60)
    sweep(house.ports)
    assert house.verbs.called[-1] == ("notify", {"tenant": "main", "pause": head.pause, "mail_again": True})
    assert mail_again(house.ports, head.pause) == 0
    assert [(note.to, note.why) for note in house.mail.sent] == [("jonas", "answered"), ("maria", "answered")]
    done = house.head(head.pause)
    assert (done.mails_missed, done.mails_why, done.wsk) == ((), "", head.deadline_ms)


def test_a_listed_pause_keeps_its_place_and_its_age(house: Gateway) -> None:
    head = house.shown(REFUND)
    asks(house, head)
    house.table.write(writes.list_stuck(house.keys, house.head(head.pause), "wait_failed", house.clock.now_ms()))
    listed = house.head(head.pause)
    house.clock.move(60)
    answers(house, head)
    now = house.head(head.pause)
    assert (now.wpk, now.wsk, now.stuck, now.mails_missed) == (listed.wpk, listed.wsk, listed.stuck, ())
    assert now.calls[0].rev == 2


def test_a_long_answer_goes_through_the_bucket(house: Gateway) -> None:
    head = house.shown(REFUND)
    asks(house, head)
    piece = replace(TERMS, text="\u202e<b>" + "x" * 15_000)
    answers(house, head, evidence=(piece,) * 3)
    (shown,) = review.detail(house.ports, house.jonas, head.pause).questions
    assert shown.answer is not None
    assert shown.answer.evidence == (piece,) * 3


def test_what_placet_proposed_itself_nobody_answers(house: Gateway) -> None:
    head = house.shown(REFUND)
    house.table.items[house.keys.head(head.pause)]["framework"] = "placet"
    assert refused(house, head, lambda: asks(house, head)).code == "nobody_answers"
