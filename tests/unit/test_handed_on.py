"""A call that was handed on: where it stands, who finds it, and what ends that."""

from __future__ import annotations

from dataclasses import replace

import pytest

from placet.model.errors import Conflict, Invalid, NotFound
from placet.model.pauses import call_id
from placet.model.states import Verdict
from placet.records.ops import Op
from placet.service import operate
from placet.service.escalate import escalate
from placet.service.execute import claim
from placet.service.inbox import inbox
from placet.service.notify import mail_again, notify
from placet.service.reassign import MOST_HANDED, reassign
from placet.service.sweep import sweep
from tests.gateway import DELETE, REFUND, SUPPORT, Gateway
from tests.unit.hands import LEVELS, accept, hand, may


def test_who_has_a_vote_gets_it_no_more_and_there_is_a_bound(gateway: Gateway, people) -> None:
    gateway.with_policy(levels=LEVELS, quorum=3)
    head = gateway.shown(REFUND)
    hand(gateway, head, to="lea")
    accept(gateway, head, people["lea"])
    for number in range(MOST_HANDED):
        gateway.person(f"b{number}", f"B {number}", "board")
        if number < MOST_HANDED - 1:
            hand(gateway, head, to=f"b{number}")
    with pytest.raises(Conflict) as caught:
        hand(gateway, head, to=f"b{MOST_HANDED - 1}")
    assert caught.value.code == "reassign_too_often"
    other = gateway.shown(REFUND, checkpoint="cp-2")
    hand(gateway, other, to="lea")
    gateway.decide(gateway.head(other.pause), 1, Verdict.ACCEPT, people["lea"])
    with pytest.raises(Conflict) as caught:
        reassign(gateway.ports, gateway.jonas, call_id(other.pause, 1), to="lea")
    assert caught.value.code == "reassign_agreed"


def test_it_stands_where_its_people_find_it_until_it_is_decided(gateway: Gateway, people) -> None:
    """Of two calls one is handed to the board: the pause stands in their queue, and back in the first once that call is decided."""
    head = gateway.shown(REFUND, REFUND)
    hand(gateway, head, to="bea")
    assert gateway.head(head.pause).wpk == gateway.keys.queue("money-out", 2)
    for who in (gateway.maria, gateway.jonas, people["bea"]):
        assert inbox(gateway.ports, who).rows
    for who in (people["lea"], people["leo"]):
        assert not inbox(gateway.ports, who).rows
    accept(gateway, head, people["bea"])
    assert gateway.head(head.pause).wpk == gateway.keys.queue("money-out", 0)
    gateway.clock.move(3600)
    assert escalate(gateway.ports, head.pause) == "widened"
    assert inbox(gateway.ports, people["lea"]).rows


def test_a_level_that_is_reached_later_finds_it_and_loses_nobody(gateway: Gateway, people) -> None:
    head = gateway.shown(REFUND)
    hand(gateway, head, to="bea")
    mail_again(gateway.ports, head.pause)
    gateway.clock.move(3600)
    assert escalate(gateway.ports, head.pause) == "widened"
    assert all(may(gateway, head, people[sub]) for sub in ("lea", "leo", "bea"))
    assert gateway.head(head.pause).calls[0].level == 1


def test_a_new_round_asks_from_the_beginning(gateway: Gateway, people) -> None:
    gateway.with_policy(levels=LEVELS, freshness_s=60)
    head = gateway.shown(REFUND)
    hand(gateway, head, to="bea")
    accept(gateway, head, people["bea"])
    gateway.clock.move(120)
    with pytest.raises(Conflict):
        claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w1")
    notify(gateway.ports, head.pause, 2, "token 2")
    again = gateway.head(head.pause)
    assert not again.calls[0].handed
    assert not may(gateway, again, people["bea"])
    assert hand(gateway, again, to="bea").replayed is False


def test_a_call_of_another_class_is_not_handed_on_with_it(gateway: Gateway, people) -> None:
    head = gateway.shown(REFUND, DELETE)
    hand(gateway, head, to="bea")
    first, second = gateway.head(head.pause).calls
    assert (set(first.handed), set(second.handed)) == ({"U#bea"}, set())
    with pytest.raises(NotFound):
        gateway.decide(gateway.head(head.pause), 2, Verdict.ACCEPT, people["bea"])
    with pytest.raises(Invalid):
        reassign(gateway.ports, gateway.maria, call_id(head.pause, 2), to="lin")


def test_what_was_shown_anew_is_handed_to_the_same_person_again(gateway: Gateway, people) -> None:
    head = gateway.shown(REFUND)
    hand(gateway, head, to="lea")
    ports = replace(gateway.ports, epoch=2)
    operate.thaw(ports, "ops/olga")
    sweep(ports)
    again = gateway.show(gateway.head(head.pause))
    assert (again.gen, again.calls[0].handed) == (2, {})
    answer = reassign(ports, gateway.maria, call_id(head.pause, 1), to="lea")
    assert (answer.to, answer.replayed) == ("lea", False)
    assert may(gateway, head, people["lea"])


def test_who_came_onto_the_list_of_mails_as_another_went_is_mailed(gateway: Gateway, people) -> None:
    """One call is handed on while, of the list that was read, one was mailed and another call was handed on: again one name."""
    gateway.person("lin", "Lin Lenz", "leads")
    head = gateway.shown(REFUND, ("issue_refund", {"order_id": "1184", "amount": 300.5}))
    hand(gateway, head, to="leo")
    write = gateway.table.write

    def once(ops: list[Op]) -> None:
        gateway.table.write = write  # type: ignore[method-assign]
        mail_again(gateway.ports, head.pause)
        reassign(gateway.ports, gateway.jonas, call_id(head.pause, 2), to="lin")
        write(ops)

    gateway.table.write = once  # type: ignore[method-assign]
    hand(gateway, head, to="lea")
    assert gateway.head(head.pause).mails_missed == ("lea", "lin")
