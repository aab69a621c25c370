"""One person has one vote, one seat and one turn, with however many accounts."""

from __future__ import annotations

import pytest

from placet.model.errors import Busy, Conflict, Invalid
from placet.model.limits import MOST_COMMENTS_EACH
from placet.model.pauses import Reviewer, call_id
from placet.model.people import address_marks, how_many
from placet.model.states import CallState, Verdict
from placet.records.ops import update
from placet.records.writes import APART_MS
from placet.service import members, people, review
from placet.service.asking import GROUP_EMPTY, TOO_FEW, Groups, shortage
from placet.service.comment import comment
from placet.service.notify import mail_again
from placet.service.ports import Note
from placet.service.reassign import candidates, reassign
from tests.gateway import REFUND, Gateway
from tests.unit.test_votes import leaves


@pytest.fixture
def company(gateway: Gateway) -> Reviewer:
    """Maria's account with the company, beside the one that she has of the pool."""
    gateway.with_policy(quorum=2)
    members.add(gateway.ports, Reviewer("google_123", "Maria Keller", "Maria@Example.com"), "finance")
    return members.reviewer(gateway.ports, "google_123")


def test_two_accounts_of_one_person_are_no_quorum(gateway: Gateway, company: Reviewer) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    (mark,) = address_marks(("maria@example.com",))
    assert gateway.head(head.pause).calls[0].marks == {mark: "maria"}
    with pytest.raises(Conflict) as raised:
        gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, company)
    assert raised.value.code == "vote_given"
    shown = review.detail(gateway.ports, company, head.pause).calls[0]
    assert (shown.hindered, shown.votes) == ("vote_given", 1)
    assert gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, gateway.jonas).state is CallState.ACCEPTED


def test_the_same_where_an_earlier_release_wrote_the_vote(gateway: Gateway, company: Reviewer) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.table.write([update(gateway.keys.head(head.pause), [], remove=["calls.1.voted"])])
    assert not gateway.head(head.pause).calls[0].marks
    with pytest.raises(Conflict) as raised:
        gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, company)
    assert raised.value.code == "vote_given"


def test_of_two_accounts_that_vote_at_once_one_has_the_vote(gateway: Gateway, company: Reviewer) -> None:
    head = gateway.shown(REFUND)
    write, raced = gateway.table.write, []

    def race(ops: object) -> None:
        if not raced:
            raced.append(True)
            gateway.decide(head, 1, Verdict.ACCEPT, company)
        write(ops)  # type: ignore[arg-type]

    gateway.table.write = race  # type: ignore[method-assign, assignment]
    with pytest.raises(Conflict) as raised:
        gateway.decide(head, 1, Verdict.ACCEPT)
    assert raised.value.code == "vote_given"
    assert set(gateway.head(head.pause).calls[0].votes) == {"google_123"}


def test_the_vote_of_an_account_that_left_keeps_the_other_from_nothing(gateway: Gateway, company: Reviewer) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    leaves(gateway, gateway.maria, "finance")
    assert gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, company).state is CallState.PENDING
    assert gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, gateway.jonas).state is CallState.ACCEPTED


def test_where_one_decides_no_votes_are_written(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    call = gateway.head(head.pause).calls[0]
    assert (call.votes, call.marks) == ({}, {})


def test_nobody_hands_a_call_on_to_their_second_account(gateway: Gateway, company: Reviewer) -> None:
    head = gateway.shown(REFUND)
    for to in ("google_123", "maria@example.com", "maria"):
        with pytest.raises(Invalid) as raised:
            reassign(gateway.ports, gateway.maria, call_id(head.pause, 1), to=to)
        assert raised.value.code == "reassign_self"
    found, _ = candidates(gateway.ports, gateway.maria, head, head.calls[0])
    assert [one.sub for one in found] == ["jonas"]


def test_people_are_counted_and_not_accounts(gateway: Gateway, company: Reviewer) -> None:
    head = gateway.shown(REFUND)
    short = lambda: shortage(gateway.ports, Groups(gateway.ports), head, head.calls[0])  # noqa: E731
    assert short() == ""
    leaves(gateway, gateway.jonas, "finance")
    assert short() == TOO_FEW
    assert next(one for one in people.people(gateway.ports).classes if one.name == "money-out").people == 1
    leaves(gateway, gateway.maria, "finance")
    leaves(gateway, company, "finance")
    assert short() == GROUP_EMPTY


def test_accounts_that_share_an_address_by_way_of_a_third_are_one_persons() -> None:
    assert how_many([("a", "x@y.example"), ("b", "z@y.example")]) == 2
    assert how_many([("a", "x@y.example"), ("b", "z@y.example"), ("c", "Z@y.example", "X@Y.example")]) == 1
    assert how_many([]) == 0


def test_one_person_has_one_share_of_the_comments(gateway: Gateway, company: Reviewer) -> None:
    head = gateway.shown(REFUND)
    for number in range(MOST_COMMENTS_EACH):
        comment(gateway.ports, company if number % 2 else gateway.maria, head.pause, f"{number}")
    for who in (company, gateway.maria):
        with pytest.raises(Conflict) as raised:
            comment(gateway.ports, who, head.pause, "one more")
        assert (raised.value.code, raised.value.members) == ("comments_full", {"limit": MOST_COMMENTS_EACH})
    assert comment(gateway.ports, gateway.jonas, head.pause, "mine").number == MOST_COMMENTS_EACH + 1


def test_one_address_gets_one_mail_of_a_call(gateway: Gateway, company: Reviewer) -> None:
    head = gateway.shown(REFUND)
    assert sorted(note.to_email.casefold() for note in gateway.mail.sent) == ["jonas@example.com", "maria@example.com"]
    gateway.mail.sent.clear()
    reassign(gateway.ports, gateway.jonas, call_id(head.pause, 1), group="finance")
    gateway.clock.move(APART_MS / 1000)
    mail_again(gateway.ports, head.pause)
    assert [note.to_email.casefold() for note in gateway.mail.sent] == ["maria@example.com"]


def test_a_mail_that_one_account_is_to_get_again_goes_once(gateway: Gateway, company: Reviewer) -> None:
    def send(note: Note) -> bool:
        raise Busy

    real, gateway.mail.send = gateway.mail.send, send  # type: ignore[method-assign]
    head = gateway.shown(REFUND)
    assert head.mails_missed == ("google_123", "jonas")
    gateway.mail.send = real  # type: ignore[method-assign]
    gateway.clock.at_ms = head.wsk
    assert mail_again(gateway.ports, head.pause) == 0
    assert len(gateway.mail.sent) == 2
