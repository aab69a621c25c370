"""answer: a new revision of the call, which is read afresh; nothing that was shown is another text later."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from placet.model.canonical import MAX_BODY_BYTES, digest, parse
from placet.model.errors import Conflict, NotFound, PlacetError, TooLarge
from placet.model.pauses import call_id
from placet.model.states import CallState, Verdict
from placet.records import writes
from placet.records.ops import Delete
from placet.records.questions import Questions
from placet.service import notify, review
from placet.service.away import away
from placet.service.cancel import cancel
from placet.service.notify import mail_again
from placet.service.questions import open_questions
from placet.service.sweep import sweep
from placet.service.undo import undo
from tests.gateway import BILLING, DELETE, REFUND, SUPPORT, Gateway
from tests.questioned import TERMS, answers, asks, meanwhile, refused, told


@pytest.fixture
def house() -> Gateway:
    return Gateway()


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


@pytest.mark.parametrize("named", ["olga", "lea", ""])
def test_for_who_is_away_whoever_stands_in_is_mailed_once(
    house: Gateway, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    house.with_policy(quorum=2)
    house.person("lea", "Lea Lang", "finance")
    house.person("olga", "Olga Ost", "ops")
    head = house.shown(REFUND)
    asks(house, head)
    house.decide(head, 1, Verdict.ACCEPT, house.jonas)
    now = house.clock.now_ms()
    away(house.ports, house.jonas, now, now + 3_600_000, named, "jonas")
    away(house.ports, house.maria, now, now + 3_600_000, named, "maria")
    house.clock.move(600)
    house.mail.sent.clear()
    answers(house, head)
    with monkeypatch.context() as slow:
        slow.setattr(notify, "MAIL_BUDGET_MS", 0)
        assert mail_again(house.ports, head.pause) == (1 if named else 0)
    house.clock.move(600)
    assert mail_again(house.ports, head.pause) == 0
    assert [(note.to, note.why) for note in house.mail.sent] == ([(named, "answered")] if named else [])
    assert house.head(head.pause).mails_missed == ()


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


def test_the_answers_about_a_pause_are_together_no_more_than_a_request(house: Gateway) -> None:
    head = house.shown(REFUND, DELETE)
    for number in (1, 2):
        asks(house, head, number=number)
    asks(house, head, "Why?", house.jonas, number=2)
    large = (replace(TERMS, text="'" * 20_000),)
    done = answers(house, head, evidence=large * 6)
    assert answers(house, house.head(head.pause), evidence=large * 6) == replace(done, replayed=True)
    meanwhile(house, lambda: answers(house, head, number=2, evidence=large * 6))
    with pytest.raises(TooLarge) as full:
        answers(house, head, 2, number=2, evidence=large * 2)
    left = int(re.findall(r"(\d+) are left", full.value.detail)[0])
    assert (full.value.code, full.value.members) == ("answers_full", {"limit": MAX_BODY_BYTES})
    assert 20_000 < left < 25_000
    assert [call.rev for call in house.head(head.pause).calls] == [2, 2]
    assert answers(house, head, 2, number=2, evidence=large).revision == 3


def test_a_long_answer_goes_through_the_bucket(house: Gateway) -> None:
    head = house.shown(REFUND)
    asks(house, head)
    piece = replace(TERMS, text="\u202e<b>" + "x" * 15_000)
    answers(house, head, evidence=(piece,) * 3)
    (shown,) = review.detail(house.ports, house.jonas, head.pause).questions
    assert shown.answer is not None
    assert shown.answer.evidence == (piece,) * 3
