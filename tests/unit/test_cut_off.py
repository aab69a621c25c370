"""notify that is cut off between the queue and its mails: whoever repeats it tells everybody, and a whole one writes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from placet.model.errors import Busy
from placet.model.pauses import call_id
from placet.model.states import Verdict
from placet.records import writes
from placet.records.ops import ConditionFailed, Op
from placet.service.bounces import mailbox_of
from placet.service.escalate import escalate
from placet.service.lost_wait import lost_wait
from placet.service.notify import mail_again, notify
from placet.service.ports import Note
from placet.service.reassign import reassign
from placet.service.sweep import sweep
from tests.gateway import DELETE, REFUND, Gateway

BOTH = ["jonas@example.com", "maria@example.com"]


class CutOff(Exception):
    """The function is gone."""


def told(gateway: Gateway) -> list[str]:
    return [note.to_email for note in gateway.mail.sent]


def reached(gateway: Gateway) -> set[str]:
    """Who was mailed, or is owed a mail of what waits."""
    owed = [sub for sub in ("maria", "jonas") if mailbox_of(gateway.ports, sub).due_ms]
    return {*told(gateway), *(f"{sub}@example.com" for sub in owed)}


def cut_off(gateway: Gateway, mails: int, *calls: Any) -> str:
    """The pause of a notify that ended after so many mails."""
    real = gateway.mail.send

    def send(note: Note) -> bool:
        if len(gateway.mail.sent) == mails:
            raise CutOff
        return real(note)

    gateway.mail.send = send  # type: ignore[method-assign]
    pause = gateway.capture(*(calls or (REFUND,))).head.pause
    with pytest.raises(CutOff):
        notify(gateway.ports, pause, 1, "token")
    gateway.mail.send = real  # type: ignore[method-assign]
    assert gateway.head(pause).notified_ms
    return pause


def written(gateway: Gateway, does: Callable[[], object]) -> list[list[str]]:
    """The keys of every write meanwhile."""
    found: list[list[str]] = []
    real = gateway.table.write

    def write(ops: list[Op]) -> None:
        real(ops)
        found.append([op.key.sk for op in ops])

    gateway.table.write = write
    try:
        does()
    finally:
        gateway.table.write = real
    return found


def test_who_mailed_everybody_writes_the_head_once(gateway: Gateway) -> None:
    pause = gateway.capture(REFUND).head.pause
    made = written(gateway, lambda: notify(gateway.ports, pause, 1, "token"))
    assert made == [["TOKEN#1"], ["HEAD"], ["MAIL"], ["MAIL"]]
    assert sorted(told(gateway)) == BOTH
    head = gateway.head(pause)
    assert (head.mails_missed, head.mails_tried, head.wsk) == ((), 0, head.deadline_ms)


@pytest.mark.parametrize("mails", [0, 1])
def test_the_machine_repeats_it_and_nobody_is_left_out(gateway: Gateway, mails: int) -> None:
    pause = cut_off(gateway, mails)
    deadline = gateway.head(pause).deadline_ms
    gateway.clock.move(5)
    notify(gateway.ports, pause, 1, "another")
    assert reached(gateway) == {*BOTH}
    assert gateway.head(pause).deadline_ms == deadline
    assert gateway.timers.moments[pause] == deadline


def test_one_that_is_repeated_after_it_was_whole_mails_nobody_twice_in_a_while(gateway: Gateway) -> None:
    pause = gateway.shown(REFUND).pause
    for _ in range(4):
        notify(gateway.ports, pause, 1, "again")
    assert sorted(told(gateway)) == BOTH


@pytest.mark.parametrize("mails", [0, 1])
def test_one_that_the_machine_gives_up_leaves_everybody_to_the_sweep(gateway: Gateway, mails: int) -> None:
    pause = cut_off(gateway, mails)
    assert lost_wait(gateway.ports, pause, "wait_failed", 1) == "visible"
    gateway.clock.move(1)
    assert sweep(gateway.ports).mailed == 1
    gateway.clock.move(writes.APART_MS // 1000)
    assert mail_again(gateway.ports, pause) == 0
    assert {*told(gateway)} == {*BOTH}
    head = gateway.head(pause)
    assert (head.mails_missed, head.wsk) == ((), head.deadline_ms)


def test_whom_the_sweep_cannot_mail_either_stands_in_the_record_by_name(gateway: Gateway) -> None:
    pause = cut_off(gateway, 0)
    lost_wait(gateway.ports, pause, "wait_failed", 1)
    assert gateway.head(pause).mails_missed == (writes.EVERYBODY,) == ("#everybody",), "as records have it"
    real = gateway.mail.send

    def send(note: Note) -> bool:
        if note.to == "maria":
            raise Busy
        return real(note)

    gateway.mail.send = send  # type: ignore[method-assign]
    assert mail_again(gateway.ports, pause) == 1
    assert gateway.head(pause).mails_missed == ("maria",)
    gateway.mail.send = real  # type: ignore[method-assign]
    gateway.clock.move(60)
    assert mail_again(gateway.ports, pause) == 0
    assert reached(gateway) == {*BOTH}


def test_names_that_are_written_already_are_kept_when_it_is_given_up(gateway: Gateway) -> None:
    def send(note: Note) -> bool:
        raise Busy

    gateway.mail.send = send  # type: ignore[method-assign]
    pause = gateway.shown(REFUND).pause
    gateway.table.items[gateway.keys.head(pause)]["mails_missed"] = ["jonas"]
    lost_wait(gateway.ports, pause, "wait_failed", 1)
    assert gateway.head(pause).mails_missed == ("jonas",)


def handed_on(gateway: Gateway, pause: str) -> None:
    """Jonas hands the call to Lea, while he has not been mailed himself."""
    gateway.person("lea", "Lea Lang", "finance")
    reassign(gateway.ports, gateway.jonas, call_id(pause, 1), to="lea")


def reminded(gateway: Gateway, pause: str) -> None:
    """One of the people is told by a reminder, as if the other one had been away then."""
    head, now = gateway.head(pause), gateway.clock.now_ms()
    gateway.table.write(writes.remind(gateway.keys, head, {1: 1}, ["jonas"], now))


@pytest.mark.parametrize("meanwhile", [handed_on, reminded])
@pytest.mark.parametrize("again", ["repeated", "given up"])
def test_who_is_named_meanwhile_does_not_stand_for_everybody(
    gateway: Gateway, meanwhile: Callable[[Gateway, str], None], again: str
) -> None:
    pause = cut_off(gateway, 0)
    meanwhile(gateway, pause)
    named = gateway.head(pause).mails_missed
    if again == "repeated":
        notify(gateway.ports, pause, 1, "another")
    else:
        lost_wait(gateway.ports, pause, "wait_failed", 1)
    head = gateway.head(pause)
    assert (head.mails_missed, head.mails_why) == ((writes.EVERYBODY, *named), "")
    gateway.clock.move(writes.APART_MS // 1000)
    assert mail_again(gateway.ports, pause) == 0
    assert {*told(gateway)} >= {*BOTH, *(f"{name}@example.com" for name in named)}
    assert gateway.head(pause).mails_missed == ()


def test_who_is_named_after_the_next_moment_has_passed_does_not_either(gateway: Gateway) -> None:
    """Then the sweep comes at the moment of the pause, and nobody was asked for mails before it."""
    gateway.with_policy(remind_after_s=(3600,))
    pause = cut_off(gateway, 0)
    gateway.clock.move(3600)
    handed_on(gateway, pause)
    notify(gateway.ports, pause, 1, "another")
    assert {*told(gateway)} == {*BOTH, "lea@example.com"}


def test_a_call_that_is_handed_on_before_its_first_mail_is_told_to_everybody(gateway: Gateway) -> None:
    pause, real = gateway.capture(REFUND).head.pause, gateway.table.write

    def write(ops: list[Op]) -> None:
        real(ops)
        if ops[0].key.sk == "HEAD":
            gateway.table.write = real  # type: ignore[method-assign]
            handed_on(gateway, pause)

    gateway.table.write = write  # type: ignore[method-assign]
    notify(gateway.ports, pause, 1, "token")
    gateway.clock.move(1)
    mail_again(gateway.ports, pause)
    assert {*told(gateway)} == {*BOTH, "lea@example.com"}


def test_who_asks_for_everybody_and_always_comes_second_is_called_again(gateway: Gateway) -> None:
    pause = cut_off(gateway, 0)
    handed_on(gateway, pause)
    real = gateway.table.write

    def write(ops: list[Op]) -> None:
        if ops[0].key.sk == "HEAD":
            raise ConditionFailed(0, None)
        real(ops)

    gateway.table.write = write  # type: ignore[method-assign]
    with pytest.raises(Busy):
        notify(gateway.ports, pause, 1, "another")


def test_who_is_left_stands_beside_those_whom_a_reminder_names_meanwhile(gateway: Gateway) -> None:
    """A reminder comes due between the queue and the record of whom the first mails left out."""
    pause = gateway.capture(REFUND, DELETE).head.pause

    def send(note: Note) -> bool:
        head = gateway.head(pause)
        if note.to == "maria" and not head.mails_missed:
            item = gateway.table.items[gateway.keys.head(pause)]
            item |= {"mails_missed": ["jonas"], "mails_why": writes.WIDENED, "wsk": gateway.clock.now_ms()}
        if note.to == "maria":
            raise Busy
        return True

    gateway.mail.send = send  # type: ignore[method-assign]
    notify(gateway.ports, pause, 1, "token")
    assert set(gateway.head(pause).mails_missed) >= {"maria"}


def test_what_is_decided_meanwhile_is_told_to_nobody_more(gateway: Gateway) -> None:
    pause = cut_off(gateway, 0)
    gateway.decide(gateway.head(pause), 1, Verdict.ACCEPT)
    notify(gateway.ports, pause, 1, "token")
    assert lost_wait(gateway.ports, pause, "wait_failed", 1) in ("listed", "went_on")
    assert told(gateway) == []
    assert escalate(gateway.ports, pause) == "over"
