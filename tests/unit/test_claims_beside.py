"""Claims beside an open call: the sweep comes when one is over, and nothing else waits for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from placet.model.states import PermitState, Verdict
from placet.records.heads import Head
from placet.records.ops import update
from placet.service.notify import mail_again, notify
from placet.service.sweep import sweep
from tests.gateway import DELETE, REFUND, SMALL, SUPPORT, Gateway, approved
from tests.unit.test_claims import claims, permit, renewed, swept_each_minute
from tests.unit.test_meanwhile import Between


def beside(gateway: Gateway, *, renews: bool = True) -> Head:
    """A call that passed is claimed while its sibling waits for four hours."""
    head = gateway.shown(SMALL, REFUND)
    claims(gateway, head, renews=renews)
    return gateway.head(head.pause)


@pytest.mark.parametrize(("renews", "minutes"), [(True, 3), (False, 15)])
def test_a_dead_claim_beside_an_open_call_is_given_up_in_time(gateway: Gateway, renews: bool, minutes: int) -> None:
    head = beside(gateway, renews=renews)
    mails = len(gateway.mail.sent)
    swept_each_minute(gateway, minutes)
    after = gateway.head(head.pause)
    assert (after.calls[0].permit, after.wpk, after.open_calls) == (PermitState.UNKNOWN, head.wpk, 1)
    gateway.verbs.called.clear()
    swept_each_minute(gateway, 1)
    assert gateway.verbs.called == [("notify", {"tenant": "main", "pause": head.pause, "mail_again": True})]
    mail_again(gateway.ports, head.pause)
    swept_each_minute(gateway, 5)
    assert gateway.head(head.pause).wsk == head.deadline_ms
    assert (len(gateway.mail.sent), len(gateway.verbs.called)) == (mails, 1)
    gateway.decide(after, 2, Verdict.ACCEPT)
    assert gateway.head(head.pause).stuck == "permit_unknown"


def test_a_living_claim_beside_an_open_call_is_left_alone(gateway: Gateway) -> None:
    head = beside(gateway)
    written, mails = [], len(gateway.mail.sent)
    for _ in range(30):
        gateway.clock.move(40)
        renewed(gateway, head)
        sweep(gateway.ports)
        while gateway.verbs.called:
            mail_again(gateway.ports, gateway.verbs.called.pop()[1]["pause"])
        written.append(gateway.head(head.pause).wsk)
    assert len(set(written)) <= 11, "the entry in the index moves once in two minutes, not at each renewal"
    assert permit(gateway, head) is PermitState.CLAIMED
    assert len(gateway.mail.sent) == mails


def test_a_claim_that_is_over_later_than_the_deadline_moves_nothing(gateway: Gateway) -> None:
    head = gateway.shown(SMALL, REFUND)
    gateway.clock.at_ms = head.deadline_ms - 60_000
    claims(gateway, head)
    assert gateway.head(head.pause).wsk == head.deadline_ms


def test_a_claim_is_tried_again_when_the_pause_got_another_moment(gateway: Gateway) -> None:
    head = gateway.shown(SMALL, REFUND)
    Between(gateway, "calls.1.permit.state", "claimed", lambda quick: quick.decide(head, 2, Verdict.ACCEPT))
    assert not claims(gateway, head).replayed
    after = gateway.head(head.pause)
    assert (after.wpk, after.wsk) == (gateway.keys.out(SUPPORT.name), gateway.clock.now_ms())


def test_a_claim_does_not_keep_the_mails_of_a_pause_back(gateway: Gateway) -> None:
    """It moves the pause's moment between showing it and mailing; that moment asks nobody to see to the mails."""
    pause = gateway.capture(SMALL, REFUND).head
    real, gateway.timers.set = gateway.timers.set, lambda *given: None  # type: ignore[method-assign]
    Between(gateway, "notified_ms", gateway.clock.now_ms(), lambda quick: claims(quick, pause))
    notify(gateway.ports, pause.pause, 1, "token")
    gateway.timers.set = real  # type: ignore[method-assign]
    assert gateway.mail.sent
    assert not gateway.head(pause.pause).mails_missed


def test_a_mail_that_is_missing_is_sent_although_a_claim_is_out(gateway: Gateway) -> None:
    head = beside(gateway)
    missed = {"mails_missed": ["maria"], "wsk": gateway.clock.now_ms() + 60_000}
    gateway.table.write([update(gateway.keys.head(head.pause), [], set=missed)])
    gateway.clock.move(60)
    sweep(gateway.ports)
    assert [verb for verb, _ in gateway.verbs.called] == ["notify"]
    sent = len(gateway.mail.sent)
    del gateway.table.items[gateway.keys.mailbox("maria")]  # as if her last mail were long ago
    assert mail_again(gateway.ports, head.pause) == 0
    after = gateway.head(head.pause)
    assert (len(gateway.mail.sent), after.wsk) == (sent + 1, after.calls[0].over_ms)


def test_the_other_of_two_open_calls_closes_and_the_claim_is_still_watched(gateway: Gateway) -> None:
    head = gateway.shown(SMALL, REFUND, DELETE)
    claims(gateway, head)
    gateway.decide(head, 2, Verdict.REJECT)
    after = gateway.head(head.pause)
    assert (after.wsk, after.deadline_ms > after.wsk) == (after.calls[0].over_ms, True)


def test_a_dead_claim_behind_many_waiting_pauses_is_seen(gateway: Gateway) -> None:
    for number in range(260):
        gateway.decide(gateway.shown(REFUND, checkpoint=f"cp-{number}"), 1, Verdict.ACCEPT)
    head, _ = approved(gateway, checkpoint="cp-claimed")
    claims(gateway, head)
    swept_each_minute(gateway, 3)
    assert permit(gateway, head) is PermitState.UNKNOWN


def test_the_log_line_of_a_pause_that_cannot_be_swept_names_it(gateway: Gateway) -> None:
    """The alarm SweepFailed hangs on it."""
    head = gateway.shown(REFUND)
    gateway.clock.at_ms = head.deadline_ms + 90_000

    def broken(verb: str, payload: dict[str, Any]) -> None:
        raise RuntimeError("a fault of our own")

    gateway.verbs.call = broken  # type: ignore[method-assign]
    assert sweep(replace(gateway.ports)).failed == 1
    (line,) = [facts for name, facts in gateway.log if name == "sweep_failed"]
    assert line["pause"] == head.pause
    assert "a fault of our own" not in str(line), "texts of exceptions are not ours"
