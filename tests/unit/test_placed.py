"""Where a pause with open calls stands, and who is mailed of it, when two writes move it at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from placet.aws.expressions import Expression
from placet.model.acting import Acting
from placet.model.errors import Busy
from placet.model.pauses import call_id
from placet.model.states import Verdict
from placet.policy import Level
from placet.records import writes
from placet.records.handing import Handed
from placet.records.heads import Head
from placet.records.ops import Update
from placet.service import members
from placet.service.escalate import escalate
from placet.service.inbox import inbox
from placet.service.ports import Note
from placet.service.reassign import reassign
from placet.service.undo import undo
from tests.gateway import DELETE, REFUND, Gateway
from tests.questioned import answers, asks, meanwhile
from tests.unit.hands import LEVELS
from tests.unit.sweeping import called, swept

HOUR_MS = 3_600_000


def mailed(gateway: Gateway) -> set[str]:
    """Who got a mail."""
    return {one.to for one in (*gateway.mail.sent, *gateway.mail.digests)}


def forget_mails(gateway: Gateway) -> None:
    gateway.mail.sent.clear()
    gateway.mail.digests.clear()


def is_told(gateway: Gateway, sub: str) -> bool:
    """Whether somebody finds it in their inbox and was mailed."""
    return bool(inbox(gateway.ports, members.reviewer(gateway.ports, sub)).rows) and sub in mailed(gateway)


def of_two_classes(gateway: Gateway) -> Head:
    """Two calls for the same people, and the first is due sooner: once it is closed, the pause moves."""
    general = replace(gateway.policy.classes["general"], levels=(Level(("finance",)),))
    gateway.policy = replace(gateway.policy, classes={**gateway.policy.classes, "general": general})
    head = gateway.shown(REFUND, DELETE)
    gateway.clock.move(600)
    return head


def of_three_levels(gateway: Gateway, *calls: object, **more: int) -> Head:
    for sub, group in (("lea", "leads"), ("bea", "board"), ("ben", "board")):
        gateway.person(sub, sub.title(), group)
    gateway.with_policy(levels=LEVELS, **more)
    return gateway.shown(*calls or (REFUND, REFUND))


def hands(gateway: Gateway, head: Head, number: int, to: str) -> None:
    reassign(gateway.ports, gateway.jonas, call_id(head.pause, number), to=to)


def rejects(gateway: Gateway, head: Head) -> None:
    gateway.decide(gateway.head(head.pause), 1, Verdict.REJECT, gateway.maria)


def expires(gateway: Gateway, head: Head) -> None:
    """The first call is over, an hour before the other."""
    escalate(gateway.ports, head.pause)


@pytest.mark.parametrize("closes", [rejects, expires])
def test_who_asked_is_mailed_the_answer_that_came_beside_the_end_of_another_call(
    gateway: Gateway, closes: Callable[[Gateway, Head], None]
) -> None:
    head = of_two_classes(gateway)
    asks(gateway, head, number=2)
    gateway.clock.at_ms = head.deadline_ms if closes is expires else gateway.clock.now_ms()
    forget_mails(gateway)
    meanwhile(gateway, lambda: answers(gateway, gateway.head(head.pause), number=2))
    closes(gateway, head)
    swept(gateway)
    assert mailed(gateway) == {"maria"}


def test_who_asked_is_mailed_the_answer_that_came_beside_a_taking_back(gateway: Gateway) -> None:
    gateway.with_policy(undo_s=600)
    head = gateway.shown(REFUND, REFUND)
    gateway.clock.move(600)
    asks(gateway, head, number=2)
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, gateway.jonas)
    forget_mails(gateway)
    meanwhile(gateway, lambda: answers(gateway, gateway.head(head.pause), number=2))
    undo(gateway.ports, gateway.jonas, call_id(head.pause, 1), 1)
    swept(gateway)
    assert mailed(gateway) == {"maria"}


def test_who_gets_a_call_of_the_same_level_beside_a_decision_is_mailed(gateway: Gateway) -> None:
    gateway.person("lea", "Lea", "finance")
    head = of_two_classes(gateway)
    forget_mails(gateway)
    meanwhile(gateway, lambda: hands(gateway, head, 2, "lea"))
    rejects(gateway, head)
    swept(gateway)
    assert is_told(gateway, "lea")


def test_a_reminder_beside_a_decision_is_sent(gateway: Gateway) -> None:
    general = replace(gateway.policy.classes["general"], levels=(Level(("finance",)),), remind_after_s=(3_600,))
    gateway.policy = replace(gateway.policy, classes={**gateway.policy.classes, "general": general})
    head = gateway.shown(REFUND, DELETE)
    forget_mails(gateway)
    gateway.clock.at_ms = head.notified_ms + HOUR_MS
    meanwhile(gateway, lambda: escalate(gateway.ports, head.pause))
    rejects(gateway, head)
    called(gateway)
    swept(gateway)
    assert mailed(gateway) == {"maria", "jonas"}


def test_who_gets_a_call_beside_a_decision_finds_it_and_is_mailed(gateway: Gateway) -> None:
    """Both calls are handed to the board, so the work list is the same before and after."""
    head = of_three_levels(gateway)
    hands(gateway, head, 1, "bea")
    swept(gateway, 2)
    forget_mails(gateway)
    meanwhile(gateway, lambda: hands(gateway, head, 2, "ben"))
    rejects(gateway, head)
    swept(gateway)
    assert is_told(gateway, "ben")


def test_a_level_that_is_reached_beside_a_decision_finds_it_and_is_mailed(gateway: Gateway) -> None:
    """Handed to the board it stood there before, and the widening falls on the moment at which it stood."""
    head = of_three_levels(gateway)
    hands(gateway, head, 1, "bea")
    swept(gateway, 2)
    forget_mails(gateway)
    gateway.clock.at_ms = head.notified_ms + HOUR_MS
    meanwhile(gateway, lambda: escalate(gateway.ports, head.pause))
    rejects(gateway, head)
    called(gateway)
    swept(gateway)
    assert is_told(gateway, "lea")


def test_who_gets_a_call_beside_a_taking_back_finds_it_and_is_mailed(gateway: Gateway) -> None:
    head = of_three_levels(gateway, REFUND, REFUND, REFUND, undo_s=600)
    hands(gateway, head, 3, "bea")
    swept(gateway, 2)
    gateway.decide(head, 1, Verdict.ACCEPT, gateway.maria)
    forget_mails(gateway)
    meanwhile(gateway, lambda: hands(gateway, head, 2, "ben"))
    undo(gateway.ports, gateway.maria, call_id(head.pause, 1), 1)
    swept(gateway)
    assert is_told(gateway, "ben")


def test_a_widening_that_names_nobody_new_leaves_the_mails_that_are_owed(gateway: Gateway) -> None:
    gateway.with_policy(levels=(Level(("finance",)), Level(("approvers",), 3_600)))
    head = gateway.show(gateway.capture(REFUND).head)
    gateway.person("lea", "Lea", "finance", "approvers")
    gateway.clock.at_ms = head.notified_ms + HOUR_MS - 1000
    hands(gateway, head, 1, "lea")
    forget_mails(gateway)
    gateway.clock.move(1)
    gateway.timers.moments.clear()
    assert escalate(gateway.ports, head.pause) == "widened"
    called(gateway)
    assert "lea" in mailed(gateway)
    assert gateway.timers.moments == {head.pause: head.deadline_ms}


def test_a_reminder_that_is_owed_comes_although_more_are_asked_meanwhile(gateway: Gateway) -> None:
    """The group of the level that is reached is empty: nobody new is named, and nobody's mail is put off by that."""
    gateway.with_policy(levels=(Level(("finance",)), Level(("leads",), 1_800)), remind_after_s=(3_600,))
    send = gateway.mail.send

    def not_to_jonas(note: Note) -> bool:
        if note.to == "jonas":
            raise Busy
        return send(note)

    gateway.mail.send = not_to_jonas  # type: ignore[method-assign]
    head = gateway.shown(REFUND)
    assert head.mails_missed == ("jonas",)
    gateway.clock.at_ms = head.notified_ms + HOUR_MS // 2
    escalate(gateway.ports, head.pause)
    gateway.mail.send = send  # type: ignore[method-assign]
    called(gateway)
    swept(gateway)
    assert "jonas" in mailed(gateway)


def test_a_write_that_names_nobody_keeps_the_moment_for_mails_that_are_owed(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    soon = gateway.clock.now_ms() + 90_000
    owed = replace(head, mails_missed=("maria",), wsk=soon)
    (op, *_) = writes.widen(gateway.keys, owed, {1: 1}, [], "after", gateway.clock.now_ms())
    assert isinstance(op, Update)
    assert op.set["wsk",] == head.lane + soon
    (op, *_) = writes.widen(gateway.keys, replace(owed, wsk=head.wsk), {1: 1}, [], "after", gateway.clock.now_ms())
    assert isinstance(op, Update)
    assert op.set["wsk",] == head.lane + gateway.clock.now_ms() + 60_000


def rows(gateway: Gateway) -> list[str]:
    return [row.question for row in inbox(gateway.ports, gateway.maria).rows]


def test_the_inbox_says_what_is_asked_about_the_calls_that_are_open(gateway: Gateway) -> None:
    gateway.with_policy(undo_s=600)
    head = gateway.shown(REFUND, REFUND)
    asks(gateway, head, number=1)
    assert rows(gateway) == ["open"]
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, gateway.jonas)
    assert rows(gateway) == [""]
    undo(gateway.ports, gateway.jonas, call_id(head.pause, 1), 1)
    assert rows(gateway) == ["open"]
    answers(gateway, gateway.head(head.pause), number=1)
    assert rows(gateway) == ["answered"]
    asks(gateway, gateway.head(head.pause), number=2)
    assert rows(gateway) == ["open"]
    gateway.decide(gateway.head(head.pause), 2, Verdict.REJECT, gateway.jonas)
    assert rows(gateway) == ["answered"]


def test_the_inbox_does_not_say_that_an_expired_call_waits_for_an_answer(gateway: Gateway) -> None:
    head = of_two_classes(gateway)
    asks(gateway, head, number=1)
    gateway.clock.at_ms = head.deadline_ms
    expires(gateway, head)
    assert rows(gateway) == [""]


def test_a_question_that_comes_beside_the_decision_of_its_call_is_not_open(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, REFUND)
    meanwhile(gateway, lambda: asks(gateway, head, who=gateway.jonas))
    rejects(gateway, head)
    assert rows(gateway) == [""]


def test_the_condition_of_a_pause_of_most_calls_is_no_longer_than_the_table_takes(gateway: Gateway) -> None:
    """DynamoDB takes 4,096 bytes of condition and 300 operators; all that a write compares of ten calls stays far below."""
    head = gateway.shown(*[REFUND, DELETE] * 5)
    many = {"U#bea": Handed(2, "Bea Baum", Acting("Jonas Weber"), 1)}
    calls = [replace(call, level=1, reminded=1, handed=many) for call in head.calls]
    now = replace(head, calls=tuple(calls), mails_missed=("maria",))
    hand = writes.Hand(
        *(gateway.maria, now.calls[0], "finance", 0, "", None, "bea", "Bea Baum", "board", 2),
        to_names=frozenset({"bea", "bea@example.com"}),
        told=("bea",),
    )
    (op, *_) = writes.reassign(gateway.keys, now, hand, 1, gateway.clock.now_ms())
    assert isinstance(op, Update)
    length = len(Expression().condition(op.clauses))
    assert 1_000 < length < 3_000
