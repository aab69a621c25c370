"""What SES tells of mails that did not arrive: whom it marks, and what marks nobody."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from placet import wiring
from placet.model.pauses import Reviewer
from placet.service import people
from placet.service.bounces import bounce, mailbox_of
from tests.gateway import REFUND, Gateway


def sent(kind: str, **more: Any) -> dict[str, Any]:
    """What SES tells, as its documentation has it."""
    tags = {"ses:configuration-set": ["c"], "placet-person": ["maria"]}
    return {"eventType": kind, "mail": {"destination": ["maria@example.com"], "tags": tags}, **more}


HARD = sent("Bounce", bounce={"bounceType": "Permanent", "bounceSubType": "General"})


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (HARD, "bounced"),
        (sent("Bounce", bounce={"bounceType": "Permanent", "bounceSubType": "OnAccountSuppressionList"}), "bounced"),
        (sent("Complaint"), "complained"),
        (sent("Complaint", complaint={"complaintFeedbackType": "abuse"}), "complained"),
        (sent("Complaint", complaint={"complaintSubType": "OnAccountSuppressionList"}), "complained"),
        (sent("Complaint", complaint=None), "complained"),
    ],
)
def test_who_cannot_be_mailed_is_marked_with_the_reason(gateway: Gateway, told: dict[str, Any], why: str) -> None:
    assert bounce(gateway.ports, told) == why
    box = mailbox_of(gateway.ports, "maria")
    assert (box.refused, box.address, box.refused_ms) == (why, "maria@example.com", gateway.clock.now_ms())
    assert ("mail_refused", {"person": "maria", "reason": why}) in gateway.log
    assert mailbox_of(gateway.ports, "jonas").refused == ""


@pytest.mark.parametrize(
    ("told", "result"),
    [
        (sent("Bounce", bounce={"bounceType": "Transient"}), "later"),
        (sent("Bounce", bounce={"bounceType": "Undetermined", "bounceSubType": "Undetermined"}), "unsure"),
        (sent("Bounce", bounce={"bounceType": "Elsewhere"}), "unsure"),
        (sent("Bounce", bounce={"bounceType": ["Permanent"]}), "unsure"),
        (sent("Bounce", bounce=None), "unsure"),
        (sent("Bounce"), "unsure"),
        (sent("Complaint", complaint={"complaintFeedbackType": "not-spam", "complaintSubType": None}), "no_spam"),
        (sent("Reject", reject={"reason": "Bad content"}), "rejected"),
        (sent("Delivery"), "unknown"),
        (sent(["Bounce"]), "unknown"),
        *[(odd, "unknown") for odd in ({}, None, "Bounce", [HARD], 7)],
        *[
            ({**HARD, "mail": odd}, "unknown")
            for odd in (None, "maria@example.com", [], {"tags": None}, {"tags": "maria"})
        ],
        *[
            ({**HARD, "mail": {**HARD["mail"], "tags": {"placet-person": odd}}}, "unknown")
            for odd in (None, "maria", [7])
        ],
        *[
            ({**HARD, "mail": {**HARD["mail"], "destination": odd}}, "stale")
            for odd in (None, "maria@example.com", [7], [])
        ],
        ({"eventType": "Complaint", "mail": {"tags": {}}}, "unknown"),
        ({"eventType": "Complaint", "mail": {"tags": {"placet-person": ["a#b"]}}}, "unknown"),
    ],
)
def test_what_marks_nobody(gateway: Gateway, told: dict[str, Any], result: str) -> None:
    before = dict(gateway.table.items)
    assert bounce(gateway.ports, told) == result
    assert gateway.table.items == before


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        (sent("Bounce", bounce={"bounceType": "Undetermined"}), "unsure"),
        (sent("Reject", reject={"reason": "Bad content"}), "rejected"),
    ],
)
def test_what_is_not_surely_the_address_is_noticed_and_silences_nobody(
    gateway: Gateway, told: dict[str, Any], reason: str
) -> None:
    bounce(gateway.ports, told)
    assert ("mail_unsure", {"person": "maria", "reason": reason}) in gateway.log
    gateway.shown(REFUND)
    assert "maria@example.com" in [note.to_email for note in gateway.mail.sent]


def test_the_late_bounce_of_an_address_that_was_corrected_does_not_silence_the_new_one(gateway: Gateway) -> None:
    assert bounce(gateway.ports, HARD) == "bounced"
    new = "maria.new@example.com"
    people.enter(gateway.ports, "op", ["finance"], Reviewer("maria", "Maria Keller", new))
    people.accept_mail(gateway.ports, "op", "maria")
    assert bounce(gateway.ports, HARD) == "bounced", "it is still hers in another group"
    people.enter(gateway.ports, "op", ["approvers"], Reviewer("maria", "Maria Keller", new))
    people.accept_mail(gateway.ports, "op", "maria")
    assert bounce(gateway.ports, HARD) == "stale"
    assert mailbox_of(gateway.ports, "maria").refused == ""
    assert ("mail_refused_elsewhere", {"person": "maria", "reason": "bounced"}) in gateway.log
    gateway.shown(REFUND)
    assert new in [note.to_email for note in gateway.mail.sent]


def test_an_address_is_theirs_however_it_is_written(gateway: Gateway) -> None:
    mail = {**HARD["mail"], "destination": ["Maria Keller <Maria@EXAMPLE.com>"]}
    assert bounce(gateway.ports, {**HARD, "mail": mail}) == "bounced"
    assert bounce(gateway.ports, {**HARD, "mail": {**mail, "destination": ["mario@example.com"]}}) == "stale"


def test_who_is_no_reviewer_any_more_is_not_marked(gateway: Gateway) -> None:
    mail = {"destination": ["zoe@example.com"], "tags": {"placet-person": ["zoe"]}}
    before = dict(gateway.table.items)
    assert bounce(gateway.ports, {**HARD, "mail": mail}) == "stale"
    assert gateway.table.items == before


@pytest.mark.parametrize("event", [{}, {"detail": None}, {"detail": []}, {"detail": {"eventType": "Bounce"}}])
def test_an_event_of_another_shape_is_dropped_and_not_tried_again(
    gateway: Gateway, event: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wiring, "ports", lambda: gateway.ports)
    assert importlib.import_module("functions.bounce.handler").handler(event, None) == {"result": "unknown"}
