"""What a mail of what waits counts, and that nobody is left untold by one that is being sent."""

from __future__ import annotations

from typing import Any

import pytest

from placet.model.states import Verdict
from placet.records.mailboxes import DIGEST_AGAIN_MS
from placet.service.away import away, back
from placet.service.digests import may_mail, owed, send_digest
from placet.service.inbox import inbox
from tests.gateway import REFUND, Gateway
from tests.questioned import answers, asks
from tests.unit.sweeping import swept

MARIA = "maria"


def counts(gateway: Gateway) -> list[int]:
    return [one.waiting for one in gateway.mail.digests if one.to == MARIA]


def test_what_is_shown_while_a_mail_of_what_waits_goes_out_is_in_the_next_one(gateway: Gateway) -> None:
    gateway.shown(REFUND)
    gateway.shown(REFUND, checkpoint="cp-2", run="r2")
    gateway.clock.move(301)
    send = gateway.mail.digest

    def digest(note: Any) -> bool:
        if not gateway.mail.digests:
            gateway.shown(REFUND, checkpoint="cp-3", run="r3")
            gateway.shown(REFUND, checkpoint="cp-4", run="r4")
        return bool(send(note))

    gateway.mail.digest = digest  # type: ignore[method-assign]
    assert send_digest(gateway.ports, MARIA)
    assert counts(gateway) == [2]
    swept(gateway, 15)
    assert counts(gateway) == [2, 4]
    assert MARIA not in owed(gateway.ports)


def test_who_crashed_over_a_mail_leaves_it_owed_whatever_came_meanwhile(gateway: Gateway) -> None:
    gateway.shown(REFUND)
    gateway.shown(REFUND, checkpoint="cp-2", run="r2")
    gateway.clock.move(301)

    def digest(note: Any) -> bool:
        raise SystemExit

    send, gateway.mail.digest = gateway.mail.digest, digest  # type: ignore[method-assign]
    with pytest.raises(SystemExit):
        send_digest(gateway.ports, MARIA)
    gateway.mail.digest = send  # type: ignore[method-assign]
    gateway.clock.move(DIGEST_AGAIN_MS // 1000 - 10)
    gateway.shown(REFUND, checkpoint="cp-3", run="r3")
    swept(gateway, 10)
    assert counts(gateway) == [3]


def test_what_somebody_may_not_decide_is_no_reason_for_a_mail(gateway: Gateway) -> None:
    gateway.shown(REFUND, requester="maria@example.com")
    others = [gateway.shown(REFUND, run=f"r{number}", checkpoint=f"c{number}") for number in (1, 2)]
    for one in others:
        gateway.decide(one, 1, Verdict.REJECT, gateway.jonas)
    gateway.clock.move(301)
    swept(gateway, 2)
    assert counts(gateway) == []


def test_what_somebody_has_agreed_to_waits_for_others(gateway: Gateway) -> None:
    gateway.with_policy(quorum=2)
    agreed = gateway.shown(REFUND)
    gateway.decide(agreed, 1, Verdict.ACCEPT, gateway.maria)
    (row,) = inbox(gateway.ports, gateway.maria).rows
    assert row.why_not == "You have agreed already; it needs another person."
    assert [one.why_not for one in inbox(gateway.ports, gateway.jonas).rows] == [""]
    second = gateway.shown(REFUND, run="r2", checkpoint="c2")
    gateway.decide(second, 1, Verdict.REJECT, gateway.jonas)
    gateway.clock.move(301)
    swept(gateway, 2)
    assert counts(gateway) == []


def test_one_call_of_two_is_left_to_who_agreed_to_the_other(gateway: Gateway) -> None:
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND, REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT, gateway.maria)
    (row,) = inbox(gateway.ports, gateway.maria).rows
    assert row.why_not == ""


def test_a_write_that_takes_a_mailbox_twice_is_one_mail(gateway: Gateway) -> None:
    write, lost = gateway.table.write, []

    def twice(ops: list[Any]) -> None:
        write(ops)
        if not lost and f"#M#{MARIA}" in ops[0].key.pk:
            lost.append(ops)
            write(ops)

    gateway.table.write = twice  # type: ignore[method-assign]
    gateway.shown(REFUND)
    assert lost
    assert MARIA in [note.to for note in gateway.mail.sent]
    assert MARIA not in owed(gateway.ports)
    now = gateway.clock.now_ms()
    assert not may_mail(gateway.ports, MARIA, now)


def test_an_answer_is_told_to_the_person_in_whose_place_it_was_asked(gateway: Gateway) -> None:
    dee = gateway.person("dee", "Dee", "approvers")
    now = gateway.clock.now_ms()
    away(gateway.ports, gateway.jonas, now, now + 10**9, "dee", "jonas")
    head = gateway.shown(REFUND)
    asks(gateway, head, who=dee)
    back(gateway.ports, gateway.jonas, "jonas")
    gateway.clock.move(600)
    gateway.mail.sent.clear()
    answers(gateway, gateway.head(head.pause))
    assert gateway.head(head.pause).mails_missed == ("dee", "jonas")
