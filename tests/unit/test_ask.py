"""ask: a question decides nothing, stands in the record, and its agent gets it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from placet.model.errors import Frozen, Gone, Invalid, NotAllowed, NotFound, NotYet
from placet.model.pauses import Reviewer, call_id
from placet.model.states import Verdict
from placet.policy import Level
from placet.records.ops import Delete
from placet.records.questions import Questions
from placet.service import members, operate, review
from placet.service.questions import open_questions
from tests.gateway import REFUND, Gateway
from tests.questioned import answers, asks, meanwhile, refused, told


@pytest.fixture
def house() -> Gateway:
    return Gateway()


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


def test_while_an_operator_holds_everything_nothing_is_asked_or_answered(house: Gateway) -> None:
    head = house.shown(REFUND)
    asks(house, head)
    operate.freeze(house.ports, "ops/olga", "restore")
    assert isinstance(refused(house, head, lambda: asks(house, head, "Now?")), Frozen)
    assert isinstance(refused(house, head, lambda: answers(house, head)), Frozen)


def test_what_placet_proposed_itself_nobody_answers(house: Gateway) -> None:
    head = house.shown(REFUND)
    house.table.items[house.keys.head(head.pause)]["framework"] = "placet"
    assert refused(house, head, lambda: asks(house, head)).code == "nobody_answers"


def test_one_person_has_one_share_with_however_many_accounts(house: Gateway) -> None:
    head = house.shown(REFUND)
    for number in range(5):
        asks(house, head, f"Question {number}?")
    members.add(house.ports, Reviewer("maria-2", "Maria Keller", "MARIA@example.com"), "finance")
    error = refused(house, head, lambda: asks(house, head, who=members.reviewer(house.ports, "maria-2")))
    assert (error.code, error.members) == ("questions_full", {"limit": 5})
