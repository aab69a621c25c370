"""Handing a call on: more people may decide it, of those whom the policy names for its class, and nothing else moves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from placet.model.errors import Conflict, Gone, Invalid, NotAllowed, NotFound, NotYet
from placet.model.pauses import Reviewer
from placet.model.states import CallState, Verdict
from placet.records.ops import Delete
from placet.service import members, review
from placet.service.asking import Groups, asked
from placet.service.away import away
from placet.service.escalate import escalate
from placet.service.notify import mail_again
from placet.service.reassign import check_may_reassign
from placet.service.sweep import sweep
from tests.gateway import REFUND, Gateway
from tests.unit.hands import LEVELS, accept, hand, may

HOUR = 3_600_000


def test_whom_it_is_handed_to_may_decide_and_nobody_else_more_than_before(gateway: Gateway, people) -> None:
    head = gateway.shown(REFUND)
    assert not any(may(gateway, head, who) for who in people.values())
    found = hand(gateway, head, to="bea@example.com")
    assert (found.to, found.group, found.to_name, found.by_name) == ("bea", "board", "Bea Baum", "Maria Keller")
    assert [sub for sub, who in people.items() if may(gateway, head, who)] == ["bea"]
    assert may(gateway, head, gateway.jonas), "who could decide it still can"
    with pytest.raises(NotFound):
        accept(gateway, head, people["lea"])
    assert accept(gateway, head, people["bea"]).state is CallState.ACCEPTED


def test_a_group_gets_it_as_it_is_when_somebody_decides(gateway: Gateway, people) -> None:
    head = gateway.shown(REFUND)
    assert hand(gateway, head, group="leads").to == ""
    assert [sub for sub, who in people.items() if may(gateway, head, who)] == ["lea", "leo"]
    nina = gateway.person("nina", "Nina Neu", "leads")
    assert may(gateway, head, nina)
    gateway.table.write([Delete(gateway.keys.member("lea", "leads"))])
    assert not may(gateway, head, members.reviewer(gateway.ports, "lea"))
    assert accept(gateway, head, nina).state is CallState.ACCEPTED


def test_somebody_of_a_group_beyond_the_one_it_was_handed_to_is_handed_nothing(gateway: Gateway, people) -> None:
    both = gateway.person("lea", "Lea Lang", "board")
    head = gateway.shown(REFUND)
    hand(gateway, head, group="board")
    assert may(gateway, head, both), "by the board, and not by the leads, whose time has not come"
    told = gateway.decide(gateway.head(head.pause), 1, Verdict.REJECT, both)
    assert told.state is CallState.REJECTED
    assert gateway.table.get(gateway.keys.event(head.pause, "1#decided"))["membership"] == "board"


def test_the_deadline_the_quorum_and_the_moments_stay(gateway: Gateway, people) -> None:
    gateway.with_policy(levels=LEVELS, remind_after_s=(1800,), quorum=2)
    head = gateway.shown(REFUND)
    gateway.clock.move(60)
    hand(gateway, head, to="bea")
    after = gateway.head(head.pause)
    for name in ("deadline_ms", "levels_ms", "remind_ms", "reminded", "level", "quorum", "votes", "rev", "digest"):
        assert getattr(after.calls[0], name) == getattr(head.calls[0], name), name
    assert (after.deadline_ms, after.open_calls, after.state) == (head.deadline_ms, 1, head.state)
    assert accept(gateway, head, people["bea"]).state is CallState.PENDING
    assert accept(gateway, head, gateway.jonas).state is CallState.ACCEPTED


def test_one_who_has_agreed_asks_for_the_other_one(gateway: Gateway, people) -> None:
    gateway.with_policy(levels=LEVELS, quorum=2)
    head = gateway.shown(REFUND)
    accept(gateway, head, gateway.maria)
    hand(gateway, head, to="lea")
    assert accept(gateway, head, people["lea"]).state is CallState.ACCEPTED
    assert gateway.head(head.pause).calls[0].votes.keys() == {"maria", "lea"}


def test_the_one_it_is_handed_to_gets_a_mail_and_both_names_are_recorded(gateway: Gateway, people) -> None:
    head = gateway.shown(REFUND)
    before = len(gateway.mail.sent)
    gateway.clock.move(400)
    hand(gateway, head, to="lea")
    assert gateway.head(head.pause).mails_missed == ("lea",)
    sweep(gateway.ports)
    assert gateway.verbs.called[-1] == ("notify", {"tenant": "main", "pause": head.pause, "mail_again": True})
    mail_again(gateway.ports, head.pause)
    assert [(note.to, note.why) for note in gateway.mail.sent[before:]] == [("lea", "handed")]
    told = gateway.table.get(gateway.keys.event(head.pause, "1#reassigned#U#lea"))
    assert (told["by"], told["by_name"], told["to"], told["to_name"]) == ("maria", "Maria Keller", "lea", "Lea Lang")
    assert (told["to_group"], told["membership"], told["name"]) == ("leads", "finance", "reassigned")
    shown = review.detail(gateway.ports, gateway.jonas, head.pause).calls[0].handed
    assert [(one.by_name, one.to_name) for one in shown] == [("Maria Keller", "Lea Lang")]


def test_again_is_the_same_and_sends_nothing_more(gateway: Gateway, people) -> None:
    head = gateway.shown(REFUND)
    first = hand(gateway, head, to="lea")
    mail_again(gateway.ports, head.pause)
    again = hand(gateway, head, gateway.jonas, to="lea")
    assert (again.replayed, again.at_ms, again.by_name) == (True, first.at_ms, "Maria Keller")
    assert not gateway.head(head.pause).mails_missed


@pytest.mark.parametrize(
    ("to", "error", "code"),
    [
        ({}, Invalid, "reassign_unclear"),
        ({"to": "lea", "group": "leads"}, Invalid, "reassign_unclear"),
        ({"to": "gert"}, Invalid, "reassign_unknown"),
        ({"to": "nobody@example.com"}, Invalid, "reassign_unknown"),
        ({"to": "\u202e"}, Invalid, "reassign_unknown"),
        ({"group": "gardeners"}, Invalid, "reassign_unknown"),
        ({"group": "approvers"}, Invalid, "reassign_unknown"),
        ({"to": "maria"}, Invalid, "reassign_self"),
        ({"to": "<Maria@EXAMPLE.com>"}, Invalid, "reassign_self"),
    ],
)
def test_who_cannot_get_it_is_said_by_its_code(gateway: Gateway, people, to, error, code) -> None:
    head = gateway.shown(REFUND)
    with pytest.raises(error) as caught:
        hand(gateway, head, **to)
    assert caught.value.code == code
    assert not gateway.head(head.pause).calls[0].handed


@pytest.mark.parametrize(
    "requester", ["lea", "Lea <LEA@example.com>", "mailto:lea%40example.com", "role/lea@example.com"]
)
def test_neither_requester_nor_owner_gets_it_under_any_name(gateway: Gateway, people, requester: str) -> None:
    head = gateway.shown(REFUND, requester=requester)
    with pytest.raises(NotAllowed) as caught:
        hand(gateway, head, to="lea")
    assert caught.value.code == "reassign_kept_out"
    hand(gateway, head, group="leads")
    assert gateway.head(head.pause).mails_missed == ("leo",)
    assert (
        not may(gateway, head, people["leo"])
        or not review.detail(gateway.ports, people["lea"], head.pause).calls[0].may_decide
    )
    with pytest.raises(NotAllowed):
        accept(gateway, head, people["lea"])
    owner = gateway.person("olaf", "Olaf Otte", "leads")
    members.add(gateway.ports, Reviewer("olaf", "Olaf Otte", "owner@example.com"), "leads")
    with pytest.raises(NotAllowed):
        hand(gateway, head, to=owner.sub)


def test_only_who_may_decide_it_now_hands_it_on(gateway: Gateway, people) -> None:
    head = gateway.shown(REFUND, requester="jonas@example.com")
    for who, error in ((people["lea"], NotFound), (people["gert"], NotFound), (gateway.jonas, NotAllowed)):
        with pytest.raises(error):
            hand(gateway, head, who, to="bea")
    hand(gateway, head, to="lea")
    hand(gateway, head, people["lea"], to="bea")
    assert may(gateway, head, people["bea"]), "whom it was handed to may hand it on as well"
    gateway.clock.at_ms = head.deadline_ms
    with pytest.raises(Gone):
        hand(gateway, head, to="leo")
    escalate(gateway.ports, head.pause)
    with pytest.raises(Conflict, match="decided already"):
        hand(gateway, head, to="leo")


def test_it_is_handed_to_nobody_who_is_away_without_a_stand_in(gateway: Gateway, people) -> None:
    head = gateway.shown(REFUND)
    now = gateway.clock.now_ms()
    away(gateway.ports, people["bea"], now, now + HOUR, "", "bea")
    for to in ({"to": "bea"}, {"group": "board"}):
        with pytest.raises(Conflict) as caught:
            hand(gateway, head, **to)
        assert caught.value.code == "reassign_away"
    away(gateway.ports, people["bea"], now, now + HOUR, "gert", "bea")
    hand(gateway, head, to="bea")
    assert gateway.head(head.pause).mails_missed == ("gert",)
    assert accept(gateway, head, people["gert"]).by == "Gert Grün for Bea Baum"


def test_a_delegate_hands_on_under_both_names(gateway: Gateway, people) -> None:
    head = gateway.shown(REFUND)
    now = gateway.clock.now_ms()
    away(gateway.ports, gateway.jonas, now, now + HOUR, "gert", "jonas")
    assert hand(gateway, head, people["gert"], to="lea").by_name == "Gert Grün for Jonas Weber"
    told = gateway.table.get(gateway.keys.event(head.pause, "1#reassigned#U#lea"))
    assert (told["by"], told["in_place_of"]) == ("gert", "jonas")


@pytest.mark.parametrize("to", ["lea", "bea"])
def test_only_who_it_was_handed_to_is_reminded_and_not_the_rest_of_their_group(gateway: Gateway, people, to) -> None:
    head = gateway.shown(REFUND)
    hand(gateway, head, to=to)
    assert asked(gateway.ports, Groups(gateway.ports), head, gateway.head(head.pause).calls[0]).keys() == {
        "maria",
        "jonas",
        to,
    }


def test_what_nobody_sees_yet_is_handed_to_nobody(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    check_may_reassign(gateway.ports, head, None)
    with pytest.raises(NotYet):
        check_may_reassign(gateway.ports, replace(head, notified_ms=0), None)
