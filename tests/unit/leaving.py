"""People who are away, and what a delegate of theirs does."""

from __future__ import annotations

import pytest

from placet.model.absences import Absence
from placet.model.pauses import Reviewer
from placet.model.states import Verdict
from placet.service.away import away
from placet.service.decide import Decided
from tests.gateway import Gateway

HOUR = 3_600_000


def leave(gateway: Gateway, who: Reviewer, delegate: Reviewer | None, hours: int = 24, begins: int = 0) -> Absence:
    now = gateway.clock.now_ms()
    return away(gateway.ports, who, now + begins * HOUR, now + hours * HOUR, delegate.sub if delegate else "", who.sub)


def accept(gateway: Gateway, head, who: Reviewer) -> Decided:
    return gateway.decide(head, 1, Verdict.ACCEPT, who)


def meanwhile(gateway: Gateway, monkeypatch: pytest.MonkeyPatch, happens) -> None:
    """Something is committed between what a decision read and what it writes, once."""
    plain, left = gateway.table.write, [happens]

    def write(ops) -> None:
        if left and any(getattr(op, "key", None) and op.key.sk == "HEAD" for op in ops):
            left.pop()()
        plain(ops)

    monkeypatch.setattr(gateway.table, "write", write)
