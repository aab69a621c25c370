"""Pauses on the stuck list, and who looks at it."""

from __future__ import annotations

from placet.model.states import PermitState
from placet.records.heads import Head
from placet.service.execute import claim, outcome
from placet.service.stuck import list_stuck
from tests.gateway import SUPPORT, Gateway, approved

OLGA = "ops/olga"


def listed(gateway: Gateway, head: Head, reason: str) -> Head:
    """The pause on the stuck list."""
    assert list_stuck(gateway.ports, gateway.head(head.pause), reason)
    return gateway.head(head.pause)


def unknown(gateway: Gateway) -> tuple[Head, str]:
    """A pause of which nobody knows whether its call ran."""
    head, call = approved(gateway)
    claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w")
    outcome(gateway.ports, SUPPORT, call, "w", PermitState.UNKNOWN, "")
    return gateway.head(head.pause), call
