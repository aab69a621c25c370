"""More time for a call."""

from __future__ import annotations

from typing import Any

import pytest

from placet.model.errors import PlacetError
from placet.model.pauses import Reviewer, call_id
from placet.records.heads import Head
from placet.service.execute import claim
from placet.service.extend import Extended, extend
from tests.gateway import SUPPORT, Gateway

HOUR, DAY = 3_600_000, 86_400_000


def more(gateway: Gateway, head: Head, by_ms: int = HOUR, who: Reviewer | None = None, number: int = 1) -> Extended:
    until = head.calls[number - 1].deadline_ms + by_ms
    return extend(gateway.ports, who or gateway.maria, call_id(head.pause, number), until, "Finance is closed.")


def refused(gateway: Gateway, head: Head, **how: Any) -> PlacetError:
    before = gateway.head(head.pause)
    with pytest.raises(PlacetError) as raised:
        more(gateway, head, **how)
    assert gateway.head(head.pause) == before
    return raised.value


def claimed(gateway: Gateway, head: Head) -> object:
    return claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w-1")
