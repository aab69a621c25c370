"""Whose decision a call waits for once somebody has agreed: nobody of whom one has a vote is mailed, and the vote counts."""

from __future__ import annotations

import pytest

from placet.model.pauses import Reviewer, call_id
from placet.model.states import Verdict
from placet.policy import Level
from placet.records.heads import Head
from placet.service import members
from placet.service.asking import GROUP_EMPTY, TOO_FEW, Groups, asked, shortage
from placet.service.away import away, back
from placet.service.escalate import escalate
from placet.service.notify import mail_again
from placet.service.reassign import reassign
from placet.service.review import detail
from placet.service.sweep import sweep
from tests.gateway import REFUND, Gateway

HOUR = 3_600_000


@pytest.fixture
def house(gateway: Gateway) -> Gateway:
    gateway.with_policy(quorum=2, remind_after_s=(3600,))
    gateway.lena = gateway.person("lena", "Lena Brandt", "finance")  # type: ignore[attr-defined]
    gateway.ingrid = gateway.person("ingrid", "Ingrid Solberg", "gardeners")  # type: ignore[attr-defined]
    return gateway


def leave(house: Gateway, who: str, delegate: str = "", hours: int = 24) -> None:
    now = house.clock.now_ms()
    away(house.ports, members.reviewer(house.ports, who), now, now + hours * HOUR, delegate, who)


def agrees(house: Gateway, head: Head, who: str) -> None:
    house.decide(head, 1, Verdict.ACCEPT, members.reviewer(house.ports, who))


def waits_for(house: Gateway, head: Head) -> set[str]:
    head = house.head(head.pause)
    return {*asked(house.ports, Groups(house.ports), head, head.calls[0])}


def short(house: Gateway, head: Head) -> str:
    head = house.head(head.pause)
    return shortage(house.ports, Groups(house.ports), head, head.calls[0])


def reminded(house: Gateway, head: Head) -> set[str]:
    """Who is mailed by the reminder."""
    house.clock.at_ms = head.calls[0].remind_ms[0]
    house.mail.sent.clear()
    assert escalate(house.ports, head.pause) == "reminded"
    mail_again(house.ports, head.pause)
    return {note.to for note in house.mail.sent}


def test_nobody_is_reminded_in_place_of_somebody_who_has_agreed(house: Gateway) -> None:
    head = house.shown(REFUND)
    agrees(house, head, "maria")
    leave(house, "maria", "ingrid")
    assert waits_for(house, head) == {"jonas", "lena"}
    assert reminded(house, head) == {"jonas", "lena"}


def test_who_stands_in_for_two_is_reminded_for_the_one_who_has_not_agreed(house: Gateway) -> None:
    head = house.shown(REFUND)
    agrees(house, head, "maria")
    leave(house, "maria", "ingrid")
    leave(house, "jonas", "ingrid")
    assert reminded(house, head) == {"ingrid", "lena"}


def test_who_agreed_in_anothers_place_is_asked_no_more_nor_is_the_other(house: Gateway) -> None:
    head = house.shown(REFUND)
    leave(house, "jonas", "lena", hours=2)
    agrees(house, head, "lena")
    assert waits_for(house, head) == {"maria"}, "hers is one vote, whomever she stands in for"
    leave(house, "maria", "ingrid")
    agrees_for_jonas = house.shown(REFUND, checkpoint="cp-2")
    leave(house, "jonas", "ingrid", hours=2)
    agrees(house, agrees_for_jonas, "ingrid")
    assert waits_for(house, agrees_for_jonas) == {"lena"}
    back(house.ports, members.reviewer(house.ports, "jonas"), "jonas")
    back(house.ports, members.reviewer(house.ports, "maria"), "maria")
    assert waits_for(house, agrees_for_jonas) == {"maria", "jonas", "lena"}, "a vote for him ended with his absence"


def test_who_agreed_with_one_account_is_not_reminded_with_the_other(house: Gateway) -> None:
    members.add(house.ports, Reviewer("google_9", "Maria Keller", "MARIA@example.com"), "finance")
    head = house.shown(REFUND)
    agrees(house, head, "maria")
    assert reminded(house, head) == {"jonas", "lena"}


def may_decide(house: Gateway, head: Head, who: str) -> bool:
    return detail(house.ports, members.reviewer(house.ports, who), head.pause).calls[0].may_decide


def test_who_is_back_decides_on_the_page_whatever_was_agreed_in_their_place(house: Gateway) -> None:
    head = house.shown(REFUND)
    leave(house, "jonas", "ingrid", hours=2)
    agrees(house, head, "ingrid")
    assert may_decide(house, head, "jonas"), "the right was lent: the vote in their place gives way to theirs"
    back(house.ports, members.reviewer(house.ports, "jonas"), "jonas")
    assert may_decide(house, head, "jonas")
    assert reassign(house.ports, house.maria, call_id(head.pause, 1), to="jonas").to == "jonas"
    agrees(house, house.head(head.pause), "jonas")
    assert not may_decide(house, head, "jonas")


def test_whose_other_account_left_the_group_decides_on_the_page(house: Gateway) -> None:
    members.add(house.ports, Reviewer("google_9", "Maria Keller", "MARIA@example.com"), "finance")
    head = house.shown(REFUND)
    agrees(house, head, "google_9")
    assert not may_decide(house, head, "maria")
    house.table.items.pop(house.keys.member("google_9", "finance"))
    assert may_decide(house, head, "maria")
    agrees(house, head, "maria")


def test_in_place_of_who_agreed_and_left_another_still_may(house: Gateway) -> None:
    """Jonas agreed in Maria's place and is in no group any more: Ingrid, whom she names next, agrees for her."""
    head = house.shown(REFUND)
    leave(house, "maria", "jonas")
    house.decide(head, 1, Verdict.ACCEPT, members.reviewer(house.ports, "jonas"))
    for group in ("finance", "approvers"):
        house.table.items.pop(house.keys.member("jonas", group))
    leave(house, "maria", "ingrid")
    assert may_decide(house, head, "ingrid")
    agrees(house, head, "ingrid")


def test_whose_vote_ended_with_their_right_is_asked_again_once_they_are_back(house: Gateway) -> None:
    head = house.shown(REFUND)
    agrees(house, head, "maria")
    house.table.items.pop(house.keys.member("maria", "finance"))
    assert waits_for(house, head) >= {"jonas", "lena"}
    assert short(house, head) == ""


def test_a_vote_that_stands_counts_to_those_who_can_decide(house: Gateway) -> None:
    """Maria agreed and went away: Jonas alone closes the call, and nobody else has to be asked, nor an operator."""
    house.with_policy(levels=(Level(("finance",)), Level(("leads",), 7200)))
    house.person("bea", "Bea Baum", "leads")
    head = house.shown(REFUND)
    agrees(house, head, "maria")
    leave(house, "maria")
    leave(house, "lena")
    assert short(house, head) == ""
    house.clock.move(60)
    sweep(house.ports)
    assert escalate(house.ports, head.pause) == "early"
    assert (house.head(head.pause).level, house.head(head.pause).stuck) == (0, "")
    leave(house, "jonas")
    assert short(house, head) == TOO_FEW


def test_without_any_vote_nobody_is_there(house: Gateway) -> None:
    head = house.shown(REFUND)
    for who in ("maria", "jonas", "lena"):
        leave(house, who)
    assert short(house, head) == GROUP_EMPTY


def test_a_level_is_told_without_who_has_agreed_already(house: Gateway) -> None:
    house.with_policy(levels=(Level(("finance",)), Level(("leads",), 1800)))
    for sub, name in (("bea", "Bea Baum"), ("rolf", "Rolf Ruhe")):
        house.person(sub, name, "leads")
    head = house.shown(REFUND)
    reassign(house.ports, house.maria, call_id(head.pause, 1), to="bea")
    agrees(house, house.head(head.pause), "bea")
    leave(house, "bea", "ingrid")
    house.clock.at_ms = head.calls[0].levels_ms[0]
    house.mail.sent.clear()
    assert escalate(house.ports, head.pause) == "widened"
    mail_again(house.ports, head.pause)
    assert {note.to for note in house.mail.sent} == {"rolf"}
