"""Decisions that may be taken back for a minute."""

from __future__ import annotations

from placet.model.pauses import call_id
from placet.model.states import Verdict
from placet.records.heads import Head
from placet.service.escalate import escalate
from placet.service.undo import undo
from tests.gateway import REFUND, Gateway

WINDOW_S = 60


def windowed() -> Gateway:
    """A gateway whose refunds may be taken back for a minute."""
    found = Gateway()
    found.with_policy(undo_s=WINDOW_S)
    found.verbs.do = lambda verb, payload: None
    return found


def accepted(gateway: Gateway, *calls: tuple[str, dict], **facts: object) -> Head:
    """A pause whose first call Maria accepted just now."""
    head = gateway.shown(*calls or (REFUND,), **facts)
    gateway.decide(head, 1, Verdict.ACCEPT)
    return gateway.head(head.pause)


def verbs(gateway: Gateway) -> list[str]:
    """What was asked of other functions, and carried out."""
    called = [verb for verb, _ in gateway.verbs.called]
    for verb, payload in [*gateway.verbs.called]:
        if verb == "escalate":
            escalate(gateway.ports, payload["pause"])
    gateway.verbs.called.clear()
    return called


def take_back(gateway: Gateway, head: Head, who: object = None, number: int = 1) -> object:
    call = head.call(number)
    assert call is not None
    return undo(gateway.ports, who or gateway.maria, call_id(head.pause, number), call.rev)  # type: ignore[arg-type]
