"""The sweep as it comes each minute, and the functions that it and others call for."""

from __future__ import annotations

from placet.service.digests import send_digest
from placet.service.escalate import escalate
from placet.service.notify import mail_again
from placet.service.sweep import sweep
from tests.gateway import Gateway


def called(gateway: Gateway) -> None:
    """What other functions were called for is done."""
    while gateway.verbs.called:
        verb, payload = gateway.verbs.called.pop(0)
        if "digest" in payload:
            send_digest(gateway.ports, payload["digest"])
        else:
            {"notify": mail_again, "escalate": escalate}[verb](gateway.ports, payload["pause"])


def sweeps(gateway: Gateway) -> None:
    """One sweep, and what it asks for."""
    sweep(gateway.ports)
    called(gateway)


def swept(gateway: Gateway, minutes: int = 10) -> None:
    """The sweep comes each minute."""
    for _ in range(minutes):
        gateway.clock.move(60)
        sweeps(gateway)
