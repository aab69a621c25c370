"""What people are told: operators in the log, reviewers by mail."""

import pytest

from placet.model.errors import Busy, Conflict
from placet.model.pauses import call_id
from placet.model.states import PermitState, Verdict
from placet.service import execute
from placet.service.cancel import cancel
from placet.service.notify import mail_again, notify
from placet.service.ports import Note
from placet.service.sweep import sweep
from tests.gateway import DELETE, REFUND, SUPPORT, Gateway


def test_what_an_operator_has_to_see_is_logged(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    at = call_id(head.pause, 1)
    execute.claim(gateway.ports, SUPPORT, at, head.calls[0].digest, "w")
    assert cancel(gateway.ports, SUPPORT, head.pause, "the user left") == ("cancelled", [1])
    assert ("stuck", {"pause": head.pause, "reason": "cancelled_while_claimed"}) in gateway.log
    execute.outcome(gateway.ports, SUPPORT, at, "w", PermitState.UNKNOWN, "")
    assert ("stuck", {"pause": head.pause, "reason": "permit_unknown"}) in gateway.log


def test_an_old_approval_that_may_have_run_is_logged_for_an_operator(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    at, shown = call_id(head.pause, 1), head.calls[0].digest
    execute.claim(gateway.ports, SUPPORT, at, shown, "w")
    gateway.table.items[gateway.keys.head(head.pause)]["calls"]["1"]["takes_key"] = True
    gateway.clock.move(900)
    sweep(gateway.ports)
    gateway.clock.move(86_400)
    with pytest.raises(Conflict) as caught:
        execute.claim(gateway.ports, SUPPORT, at, shown, "w2")
    assert caught.value.code == "permit_stale"
    assert ("stuck", {"pause": head.pause, "reason": "permit_unknown"}) in gateway.log


def test_a_mail_says_the_deadline_that_then_holds(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    assert {note.deadline_ms for note in gateway.mail.sent} == {head.deadline_ms}
    assert head.deadline_ms > gateway.clock.now_ms()


def test_mail_that_cannot_be_sent_for_a_quarter_of_an_hour_is_told_once_and_tried_less_and_less(
    gateway: Gateway,
) -> None:
    asked: list[int] = []

    def send(note: Note) -> bool:
        asked.append(gateway.clock.now_ms())
        raise Busy

    sent, gateway.mail.send = gateway.mail.send, send  # type: ignore[method-assign]
    head = gateway.shown(DELETE)
    began, people = gateway.clock.now_ms(), len(head.mails_missed)

    def minutes(number: int) -> None:
        for _ in range(number):
            gateway.clock.move(60)
            sweep(gateway.ports)
            for verb, payload in gateway.verbs.called:
                assert verb == "notify"
                mail_again(gateway.ports, payload["pause"])
            gateway.verbs.called.clear()

    def told() -> list[dict]:
        return [facts for name, facts in gateway.log if name == "mail_not_sent"]

    minutes(15)
    assert told() == []
    minutes(3)
    assert told() == [{"pause": head.pause, "later": people}]
    minutes(600)
    assert told() == [{"pause": head.pause, "later": people}]
    tries = sorted({(at - began) // 60_000 for at in asked})
    assert tries[:6] == [0, 1, 3, 7, 12, 17]
    assert len(asked) == people * len(tries) <= people * (5 + 600 / 5 + 1)
    gateway.mail.send = sent  # type: ignore[method-assign]
    minutes(5)
    assert len(gateway.mail.sent) == people
    assert not {"mails_missed", "mails_tried"} & set(gateway.table.items[gateway.keys.head(head.pause)])


def test_a_mail_that_is_missing_is_sent_soon_although_a_call_of_its_pause_was_decided(gateway: Gateway) -> None:
    real = gateway.mail.send

    def send(note: Note) -> bool:
        raise Busy

    gateway.mail.send = send  # type: ignore[method-assign]
    head = gateway.shown(REFUND, DELETE)
    gateway.mail.send = real  # type: ignore[method-assign]
    gateway.decide(head, 1, Verdict.REJECT)
    after = gateway.head(head.pause)
    assert (after.wsk, after.wpk) == (gateway.clock.now_ms() + 60_000, gateway.keys.queue("general", 0))
    gateway.clock.move(60)
    assert sweep(gateway.ports).mailed == 1
    assert mail_again(gateway.ports, head.pause) == 0
    assert [note.calls for note in gateway.mail.sent] == [1, 1]


def test_only_who_got_no_mail_is_mailed_again_until_nobody_is_left(gateway: Gateway) -> None:
    unreachable, got = {"maria@example.com", "jonas@example.com"}, []

    def send(note: Note) -> bool:
        if note.to_email in unreachable:
            raise Busy
        got.append(note.to_email)
        return True

    gateway.mail.send = send  # type: ignore[method-assign]
    pause = gateway.capture(REFUND).head.pause
    notify(gateway.ports, pause, 1, "token")
    soon = gateway.head(pause).wsk
    assert soon < gateway.head(pause).deadline_ms
    unreachable.remove("jonas@example.com")
    assert mail_again(gateway.ports, pause) == 0  # not yet: whoever called before is given a minute
    gateway.clock.at_ms = soon
    assert mail_again(gateway.ports, pause) == 1
    assert (got, gateway.head(pause).mails_missed) == (["jonas@example.com"], ("maria",))
    soon = gateway.head(pause).wsk
    assert gateway.clock.now_ms() < soon < gateway.head(pause).deadline_ms
    unreachable.clear()
    gateway.clock.at_ms = soon
    assert mail_again(gateway.ports, pause) == 0
    assert (got[1:], gateway.head(pause).mails_missed) == (["maria@example.com"], ())
    assert gateway.head(pause).wsk == gateway.head(pause).deadline_ms
