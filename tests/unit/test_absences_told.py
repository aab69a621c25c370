"""Away: who is mailed of what waits, and when nobody is left who could decide it."""

from __future__ import annotations

from placet.service.away import back
from placet.service.sweep import sweep
from tests.gateway import REFUND, Gateway
from tests.unit.leaving import leave


def mailed(gateway: Gateway, **facts) -> set[str]:
    gateway.clock.move(301)  # a person gets one mail in five minutes
    before = len(gateway.mail.sent)
    gateway.shown(REFUND, **facts)
    return {note.to_email.partition("@")[0] for note in gateway.mail.sent[before:]}


def test_mails_of_who_is_away_go_to_whoever_stands_in_and_only_there(gateway, ingrid) -> None:
    leave(gateway, gateway.jonas, ingrid)
    assert mailed(gateway) == {"maria", "ingrid"}
    leave(gateway, gateway.jonas, gateway.maria)
    assert mailed(gateway, checkpoint="cp-2") == {"maria"}
    leave(gateway, gateway.jonas, None)
    assert mailed(gateway, checkpoint="cp-3") == {"maria"}
    back(gateway.ports, gateway.jonas, "jonas")
    assert mailed(gateway, checkpoint="cp-4") == {"maria", "jonas"}


def test_whoever_may_not_decide_it_in_anothers_place_gets_no_mail_of_it(gateway, ingrid) -> None:
    leave(gateway, gateway.jonas, ingrid)
    assert mailed(gateway, requester="ingrid@example.com") == {"maria"}


def test_a_mail_follows_the_delegates_delegate(gateway, ingrid) -> None:
    olga = gateway.person("olga", "Olga Brandt", "gardeners")
    leave(gateway, gateway.jonas, ingrid)
    leave(gateway, ingrid, olga)
    assert mailed(gateway) == {"maria", "olga"}


def test_a_group_of_which_everybody_is_away_is_nobody_left_to_ask(gateway, ingrid) -> None:
    leave(gateway, gateway.jonas, None)
    leave(gateway, gateway.maria, None)
    head = gateway.shown(REFUND)
    assert head.stuck == "group_empty"
    leave(gateway, gateway.maria, ingrid)
    assert not gateway.shown(REFUND, checkpoint="cp-2").stuck


def test_a_pause_that_waits_is_listed_when_the_last_one_leaves_and_stands_there_again_when_one_is_back(gateway) -> None:
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, None)
    leave(gateway, gateway.maria, None)
    gateway.clock.move(61)
    sweep(gateway.ports)
    assert gateway.head(head.pause).stuck == "group_empty"
    back(gateway.ports, gateway.maria, "maria")
    gateway.clock.move(61)
    sweep(gateway.ports)
    assert not gateway.head(head.pause).stuck


def test_a_sweep_counts_who_is_here_however_many_there_are(gateway) -> None:
    more = [gateway.person(f"p{number}", f"P {number}", "finance", "approvers") for number in range(3)]
    head = gateway.shown(REFUND)
    for person in (gateway.jonas, gateway.maria, *more):
        leave(gateway, person, None)
    gateway.clock.move(61)
    sweep(gateway.ports)
    assert gateway.head(head.pause).stuck == "group_empty"
