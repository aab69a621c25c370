"""The event bus: what happened to pauses, put there in batches."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from placet.aws.clients import client
from placet.aws.refusals import code_of
from placet.model.bus import SOURCE, BusEvent
from placet.model.errors import Busy

MOST = 10  # entries of one request


class EventBridge:
    """The bus port, on a bus of our own."""

    def __init__(self, bus: str, events: Any = None) -> None:
        self._bus = bus
        self._events = events if events is not None else client("events")

    def put(self, events: Sequence[BusEvent]) -> list[bool]:
        """Put them there, ten at a time. A request may take some and refuse others, and still say 200.

        Raises Busy when the first request did not get through; what comes after one that did not is not tried.
        """
        taken: list[bool] = []
        for start in range(0, len(events), MOST):
            part = events[start : start + MOST]
            try:
                answer = self._events.put_events(Entries=[self._entry(one) for one in part])
            except (ClientError, BotoCoreError) as error:
                if not taken:
                    raise Busy(f"The event bus cannot be reached now: {code_of(error)}") from None
                return taken + [False] * (len(events) - len(taken))
            told = answer["Entries"] if answer.get("FailedEntryCount") else [{}] * len(part)
            taken += ["ErrorCode" not in one for one in told]
        return taken

    def _entry(self, event: BusEvent) -> dict[str, Any]:
        return {
            "EventBusName": self._bus,
            "Source": SOURCE,
            "DetailType": event.kind.detail_type,
            "Detail": json.dumps(event.detail, separators=(",", ":")),
            "Time": datetime.fromtimestamp(event.at_ms / 1000, UTC),
        }
