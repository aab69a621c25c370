"""The next moment of a pause is the nearest of its deadlines and its claims, whoever claims while it is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from placet.model.errors import Busy, Conflict
from placet.model.pauses import call_id
from placet.model.states import CallState, PermitState, Verdict
from placet.records.heads import Head
from placet.service.escalate import escalate
from placet.service.execute import claim
from placet.service.lost_wait import lost_wait
from placet.service.notify import mail_again, notify
from placet.service.ports import Note
from placet.service.sweep import sweep
from tests.gateway import DELETE, REFUND, SUPPORT, Gateway
from tests.unit.test_judged import Seen


def claims(gateway: Gateway, head: Head, number: int) -> None:
    """A call is accepted, and a worker that renews begins, and dies."""
    gateway.decide(head, number, Verdict.ACCEPT)
    claim(gateway.ports, SUPPORT, call_id(head.pause, number), head.calls[number - 1].digest, "w1", renews=True)


def is_watched(gateway: Gateway, head: Head, number: int) -> bool:
    """Whether the sweep comes by the end of the claim, and gives up the worker."""
    now = gateway.head(head.pause)
    assert now.calls[number - 1].permit is PermitState.CLAIMED
    in_time = now.wsk <= now.calls[number - 1].over_ms
    gateway.clock.move(180)
    sweep(gateway.ports)
    return in_time and gateway.head(head.pause).calls[number - 1].permit is PermitState.UNKNOWN


def meanwhile(gateway: Gateway, head: Head, verb: Callable[[], object]) -> None:
    """The verb reads the head; then call 2 is accepted and claimed; then the verb writes."""
    others, table = replace(gateway), gateway.table
    seen = Seen(gateway, head.pause, lambda: claims(others, head, 2))
    verb()
    assert seen.met
    gateway.table = table


def test_a_decision_leaves_the_end_of_a_claim_that_came_after_it_was_read() -> None:
    gateway = Gateway()
    head = gateway.shown(REFUND, DELETE, DELETE)
    meanwhile(gateway, head, lambda: gateway.decide(head, 1, Verdict.REJECT))
    assert gateway.head(head.pause).calls[0].state is CallState.REJECTED
    assert is_watched(gateway, head, 2)


def test_two_people_at_two_calls_of_one_pause_both_succeed() -> None:
    """Not even a second try is needed: who decides the other call claims nothing."""
    gateway = Gateway()
    head = gateway.shown(REFUND, DELETE, DELETE)
    others, table = replace(gateway), gateway.table
    seen = Seen(gateway, head.pause, lambda: others.decide(head, 2, Verdict.ACCEPT, gateway.jonas))
    gateway.decide(head, 3, Verdict.ACCEPT)
    assert seen.met
    gateway.table = table
    states = [call.state for call in gateway.head(head.pause).calls]
    assert states == [CallState.PENDING, CallState.ACCEPTED, CallState.ACCEPTED]


def test_an_expiry_leaves_the_end_of_a_claim_that_came_after_it_was_read() -> None:
    gateway = Gateway()
    head = gateway.shown(REFUND, DELETE, DELETE)
    gateway.clock.at_ms = head.calls[0].deadline_ms
    meanwhile(gateway, head, lambda: escalate(gateway.ports, head.pause))
    assert gateway.head(head.pause).calls[0].state is CallState.EXPIRED
    assert is_watched(gateway, head, 2)


def test_a_call_that_is_asked_for_again_leaves_the_end_of_a_claim_that_came_after_it_was_read() -> None:
    gateway = Gateway()
    gateway.with_policy(freshness_s=60)
    head = gateway.shown(REFUND, DELETE, DELETE)
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.clock.move(120)
    with pytest.raises(Conflict, match="too old"):
        claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w0")
    again = gateway.head(head.pause)
    meanwhile(gateway, again, lambda: notify(gateway.ports, head.pause, again.gen, "t2"))
    assert gateway.head(head.pause).notified_ms
    assert is_watched(gateway, head, 2)


def test_mails_that_are_sent_again_leave_the_end_of_a_claim_that_came_meanwhile() -> None:
    gateway = Gateway()
    real, came = gateway.mail.send, []

    def fails(note: Note) -> bool:
        raise Busy

    gateway.mail.send = fails  # type: ignore[method-assign]
    head = gateway.shown(DELETE, DELETE)
    gateway.clock.move(61)
    assert gateway.head(head.pause).mails_missed

    def sends(note: Note) -> bool:
        if not came:
            came.append(note)
            claims(gateway, head, 2)
        return real(note)

    gateway.mail.send = sends  # type: ignore[method-assign]
    assert mail_again(gateway.ports, head.pause) == 0
    assert is_watched(gateway, head, 2)


def test_a_pause_that_was_listed_meanwhile_does_not_wait_anew(gateway: Gateway) -> None:
    """Its execution failed for good, and said so, between the sweep's look and its write: a person has it now."""
    pause = gateway.capture(REFUND).head.pause
    gateway.clock.move(120)
    others = replace(gateway)

    def starts(name: str, facts: object) -> bool:
        if name.endswith("-1"):
            lost_wait(others.ports, pause, "wait_failed", 1)
            return False
        return True

    gateway.waits.start = starts  # type: ignore[method-assign]
    sweep(gateway.ports)
    after = gateway.head(pause)
    assert (after.wpk, after.stuck, after.gen) == (gateway.keys.stuck(), "wait_failed", 1)
