"""The suite's receipts out of Placet's records.

What was asked and decided is read from the gateway. When the run itself ended, and how a look-up went that gave no clear answer, is
the agent's and the operator's own knowledge and kept here: Placet records a reconciliation only when it settles a permit.
"""

from __future__ import annotations

import json
import time
from typing import Any

from agentbarrier.models import ActionRequest, AuditEvent, AuditReceipt, action_digest

DECIDED = {"accepted": AuditEvent.APPROVED, "edited": AuditEvent.APPROVED, "rejected": AuditEvent.REJECTED}
Entry = tuple[int, AuditEvent, ActionRequest | None]
MS = 1_000_000


class Receipts:
    """Entries of one run."""

    def __init__(self) -> None:
        self._own: list[Entry] = []

    def add(self, event: AuditEvent, action: ActionRequest | None = None) -> None:
        """Something that happened on this side, now."""
        self._own.append((time.time_ns(), event, action))

    def completed(self) -> None:
        """The run came to its end; the second time is the same end."""
        if all(event is not AuditEvent.RUN_COMPLETED for _, event, _ in self._own):
            self.add(AuditEvent.RUN_COMPLETED)

    def told(self, run_id: str, actions: dict[str, ActionRequest], shown: dict[str, Any]) -> tuple[AuditReceipt, ...]:
        """All of it in order. `actions` by call id; `shown` is the pause as a reviewer sees it."""
        entries: list[Entry] = [(shown["asked_at"] * MS, AuditEvent.RUN_STARTED, None)]
        for call in shown["calls"]:
            if not actions[call["call"]].requires_approval:
                continue
            stored = actions[call["call"]].with_arguments(json.loads(call["arguments"]))
            entries.append((shown["asked_at"] * MS, AuditEvent.APPROVAL_REQUESTED, stored))
            if call["decided"]:
                entries.append((call["decided"]["at_ms"] * MS, DECIDED[call["decided"]["state"]], stored))
        entries = sorted(entries + self._own, key=lambda entry: entry[0])
        return tuple(
            AuditReceipt(number, run_id, event, at_ns, action and action.action_id, action and action_digest(action))
            for number, (at_ns, event, action) in enumerate(entries, start=1)
        )
