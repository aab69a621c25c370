"""Away, with a quorum: nobody has two votes, whoever stands in for whom."""

from __future__ import annotations

import pytest

from placet.model.errors import Conflict
from placet.model.pauses import Reviewer
from placet.model.states import CallState
from placet.service import members, review
from placet.service.away import back
from tests.gateway import REFUND
from tests.unit.leaving import accept, leave, meanwhile


def test_one_person_has_one_vote_whoever_they_vote_for(gateway, ingrid) -> None:
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, gateway.maria)
    assert accept(gateway, head, gateway.maria).by == "Maria Keller"
    assert accept(gateway, head, gateway.maria).state is CallState.PENDING
    assert gateway.head(head.pause).calls[0].votes.keys() == {"maria"}


def test_two_delegates_of_two_people_are_one_vote_when_they_are_one_person(gateway, ingrid) -> None:
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, ingrid)
    leave(gateway, gateway.maria, ingrid)
    accept(gateway, head, ingrid)
    assert accept(gateway, head, ingrid).state is CallState.PENDING


def test_two_delegates_of_one_person_are_one_vote(gateway, ingrid) -> None:
    gateway.with_policy(quorum=2)
    olga = gateway.person("olga", "Olga Brandt", "gardeners")
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, ingrid)
    accept(gateway, head, ingrid)
    leave(gateway, gateway.jonas, olga)
    assert accept(gateway, head, olga).state is CallState.PENDING  # the vote of whoever stands in no more is gone
    assert accept(gateway, head, gateway.maria).state is CallState.ACCEPTED


def test_an_absent_person_and_their_delegate_are_one_vote(gateway, ingrid) -> None:
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, ingrid)
    accept(gateway, head, gateway.jonas)
    with pytest.raises(Conflict, match="Jonas Weber has a vote"):
        accept(gateway, head, ingrid)
    assert "Jonas Weber has a vote" in review.detail(gateway.ports, ingrid, head.pause).calls[0].why_not
    other = gateway.shown(REFUND, checkpoint="cp-2")
    accept(gateway, other, ingrid)
    assert accept(gateway, other, gateway.jonas).state is CallState.PENDING
    assert gateway.head(other.pause).calls[0].votes.keys() == {"jonas"}


def test_whoever_votes_for_another_is_not_voted_for_by_a_third(gateway, ingrid) -> None:
    gateway.with_policy(quorum=2)
    olga = gateway.person("olga", "Olga Brandt", "gardeners")
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, ingrid)
    leave(gateway, ingrid, olga)
    accept(gateway, head, ingrid)
    with pytest.raises(Conflict):
        accept(gateway, head, olga)
    assert accept(gateway, head, gateway.maria).state is CallState.ACCEPTED


def test_a_delegated_vote_counts_to_the_quorum_while_the_absence_lasts(gateway, ingrid) -> None:
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, ingrid)
    accept(gateway, head, ingrid)
    assert gateway.head(head.pause).calls[0].stand_ins == {"ingrid": "jonas"}
    assert accept(gateway, head, gateway.maria).state is CallState.ACCEPTED
    later = gateway.shown(REFUND, checkpoint="cp-2")
    accept(gateway, later, ingrid)
    back(gateway.ports, gateway.jonas, "jonas")
    assert accept(gateway, later, gateway.maria).state is CallState.PENDING
    assert accept(gateway, later, gateway.jonas).state is CallState.ACCEPTED


def test_a_delegated_vote_is_checked_again_by_the_write_that_counts_it(gateway, ingrid, monkeypatch) -> None:
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, ingrid)
    accept(gateway, head, ingrid)
    meanwhile(gateway, monkeypatch, lambda: back(gateway.ports, gateway.jonas, "jonas"))
    assert accept(gateway, head, gateway.maria).state is CallState.PENDING


def test_a_vote_by_a_right_that_is_gone_is_given_anew_by_another(gateway, ingrid) -> None:
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, ingrid)
    accept(gateway, head, ingrid)
    back(gateway.ports, gateway.jonas, "jonas")
    members.add(gateway.ports, Reviewer("ingrid", "Ingrid Solberg", "ingrid@example.com"), "finance")
    ingrid = members.reviewer(gateway.ports, "ingrid")
    gateway.clock.move(1)
    answer = accept(gateway, head, ingrid)
    assert (answer.replayed, answer.by) == (False, "Ingrid Solberg")
    assert accept(gateway, head, gateway.jonas).state is CallState.ACCEPTED


def test_with_a_quorum_one_person_for_two_is_too_few(gateway, ingrid) -> None:
    gateway.with_policy(quorum=2)
    leave(gateway, gateway.jonas, gateway.maria)
    assert gateway.shown(REFUND).stuck == "too_few_people"
