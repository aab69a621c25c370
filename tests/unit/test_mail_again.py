"""Mails of a pause that is decided or over while they are sent: who was mailed is not mailed twice, and who was not is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from placet.model.errors import Busy
from placet.model.states import Verdict
from placet.policy import Then
from placet.service.escalate import escalate
from placet.service.notify import AT_WORK_MS, MAIL_BUDGET_MS, mail_again
from placet.service.ports import Note
from tests.gateway import DELETE, REFUND, Gateway


def sending(gateway: Gateway, does: Callable[[str], Any]) -> list[str]:
    """Who is mailed from now on, by name; `does` is told first, and may raise."""
    got: list[str] = []

    def send(note: Note) -> bool:
        does(note.to)
        got.append(note.to)
        return True

    gateway.mail.send = send  # type: ignore[method-assign]
    return got


def busy(to: str) -> None:
    raise Busy


def test_a_call_that_is_decided_while_its_people_are_mailed_costs_nobody_a_mail_and_brings_nobody_two() -> None:
    gateway = Gateway()
    head = gateway.capture(REFUND, DELETE).head

    def does(to: str) -> None:
        if to == "jonas":
            gateway.decide(gateway.head(head.pause), 1, Verdict.REJECT)
            raise Busy

    got = sending(gateway, does)
    shown = gateway.show(head)
    assert (got, shown.open_calls, shown.mails_missed) == (["maria"], 1, ("jonas",))
    got = sending(gateway, lambda to: None)
    gateway.clock.at_ms = shown.wsk
    assert mail_again(gateway.ports, head.pause) == 0
    assert (got, gateway.head(head.pause).mails_missed) == (["jonas"], ())


def test_a_pause_that_closes_while_its_people_are_mailed_stays_where_its_decision_put_it() -> None:
    gateway = Gateway()
    head = gateway.capture(REFUND).head

    def does(to: str) -> None:
        if gateway.head(head.pause).open_calls:
            gateway.decide(gateway.head(head.pause), 1, Verdict.REJECT)

    sending(gateway, does)
    closed = gateway.show(head)
    assert (closed.open_calls, closed.wpk) == (0, gateway.keys.out("support-agent"))


def test_who_is_mailed_again_is_not_mailed_beside_another_who_does_it() -> None:
    """Each takes the moment first; who finds it moved sends nothing."""
    gateway = Gateway()
    sending(gateway, busy)
    head = gateway.shown(DELETE)
    gateway.clock.at_ms = head.wsk
    beside: list[int] = []

    def does(to: str) -> None:
        beside.append(mail_again(gateway.ports, head.pause))

    got = sending(gateway, does)
    assert mail_again(gateway.ports, head.pause) == 0
    assert (sorted(got), beside) == (["jonas", "maria"], [0, 0])


def test_whoever_sends_and_dies_leaves_a_moment_at_which_the_sweep_comes_again() -> None:
    gateway = Gateway()
    sending(gateway, busy)
    head = gateway.shown(DELETE)
    gateway.clock.at_ms = head.wsk

    def dies(to: str) -> None:
        raise KeyboardInterrupt

    sending(gateway, dies)
    with pytest.raises(KeyboardInterrupt):
        mail_again(gateway.ports, head.pause)
    assert gateway.head(head.pause).wsk == gateway.clock.now_ms() + AT_WORK_MS


def test_who_is_decided_about_between_reading_and_taking_the_moment_is_not_mailed(gateway: Gateway) -> None:
    sending(gateway, busy)
    head = gateway.shown(DELETE)
    gateway.clock.at_ms = head.wsk
    got = sending(gateway, lambda to: None)
    real, write = gateway.table, gateway.table.write

    def decided_first(ops: Any) -> None:
        real.write = write
        gateway.decide(gateway.head(head.pause), 1, Verdict.REJECT)
        write(ops)

    real.write = decided_first
    assert mail_again(gateway.ports, head.pause) == 0
    assert got == []


@pytest.mark.parametrize(("took_ms", "mailed"), [(MAIL_BUDGET_MS - 1, 2), (MAIL_BUDGET_MS, 1)])
def test_mails_that_take_long_are_left_to_the_sweep(gateway: Gateway, took_ms: int, mailed: int) -> None:
    def slow(to: str) -> None:
        gateway.clock.at_ms += took_ms

    got = sending(gateway, slow)
    head = gateway.shown(DELETE)
    assert (len(got), len(head.mails_missed)) == (mailed, 2 - mailed)
    assert not {*got} & {*head.mails_missed}


@pytest.mark.parametrize("before_ms", [AT_WORK_MS, AT_WORK_MS + 1, 3_600_000])
def test_of_a_pause_that_lacks_no_mail_nobody_is_mailed(gateway: Gateway, before_ms: int) -> None:
    head = gateway.shown(REFUND)
    got = sending(gateway, lambda to: None)
    gateway.clock.at_ms = head.deadline_ms - before_ms
    gateway.table.items[gateway.keys.head(head.pause)]["wsk"] = gateway.clock.now_ms()
    gateway.timers.moments.clear()
    assert mail_again(gateway.ports, head.pause) == 0
    assert (got, gateway.timers.moments) == ([], {head.pause: head.deadline_ms})
    assert gateway.head(head.pause).wsk == head.deadline_ms, "the sweep has nothing to do before"


@pytest.mark.parametrize("then", [Then.REJECT, Then.EXPIRE])
def test_a_mail_says_whether_its_deadline_rejects(gateway: Gateway, then: Then) -> None:
    gateway.with_policy(then=then)
    gateway.shown(REFUND)
    assert [note.thens for note in gateway.mail.sent] == [(then,)] * 2


def test_a_mail_of_two_calls_says_it_of_both(gateway: Gateway) -> None:
    gateway.with_policy(then=Then.REJECT)
    gateway.shown(REFUND, DELETE)
    assert [note.thens for note in gateway.mail.sent] == [("expire", "reject")] * 2


def test_a_class_whose_people_are_not_mailed_lacks_no_mail(gateway: Gateway) -> None:
    gateway.with_policy(mail=False)
    head = gateway.shown(REFUND)
    assert (gateway.mail.sent, head.mails_missed, head.wsk) == ([], (), head.deadline_ms)


def test_who_is_reminded_while_others_are_mailed_is_mailed_again_though_they_just_were(gateway: Gateway) -> None:
    gateway.with_policy(remind_after_s=(60,))
    head = gateway.capture(REFUND).head

    def does(to: str) -> None:
        if to == "maria":
            gateway.clock.move(60)
            assert escalate(gateway.ports, head.pause) == "reminded"
            raise Busy

    got = sending(gateway, does)
    shown = gateway.show(head)
    assert (got, shown.mails_missed) == (["jonas"], ("jonas", "maria"))
