"""The stream's second reader, the bus behind it, and the one rule on the bus."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from placet.aws.expressions import to_wire
from placet.service.publish import told_by

if TYPE_CHECKING:
    from tests.proofs.outages.town import Town

TRIES, LONGEST_S = 500, 60.0
SINK = "ops"
RULE_TRIES = 2  # Lambda's own, after the first


class Telling:
    """What waits to be told, and what was.

    Attributes:
        heard: `id` of every event that the bus took. given_up: records that were brought in vain too often.
    """

    def __init__(self, town: Town) -> None:
        self._town = town
        self._waiting: list[dict[str, Any]] = []
        self.heard: list[str] = []
        self.given_up = 0

    @property
    def waiting(self) -> bool:
        """Whether something has still to be told."""
        return bool(self._waiting)

    def changed(self, changes: Iterable[tuple[Any, Any]]) -> None:
        """What was written reaches publish, if its filters let it through."""
        idle = not self._waiting
        self._waiting += [_record(old, new) for old, new in changes if told_by(old, new, 1)]
        if self._waiting and idle:
            self._town.clock.later(2.0, lambda: self._publish(0))

    def put(self, entries: Sequence[dict[str, Any]]) -> None:
        """The bus takes events; its rule has a sink told of what waits."""
        for entry in entries:
            detail = json.loads(entry["Detail"])
            self.heard.append(detail["id"])
            if detail["event"] == "visible":
                self._town.calls("tell", {"sink": SINK, "event": detail}, RULE_TRIES)

    def _publish(self, tried: int) -> None:
        batch = self._waiting[:100]
        for number, record in enumerate(batch):
            record["dynamodb"]["SequenceNumber"] = str(number)
        answer, failed = self._town.invoke("publish", {"Records": batch})
        numbers = [int(one["itemIdentifier"]) for one in (answer or {}).get("batchItemFailures", [])]
        done = min(numbers, default=0 if failed else len(batch))
        self._waiting = self._waiting[done:]
        if tried == TRIES:
            self.given_up += 1
            self._waiting = self._waiting[1:]
        if self._waiting:
            again = tried + 1 if done < len(batch) else 0
            self._town.clock.later(min(LONGEST_S, 2.0**again), lambda: self._publish(again))


def _record(old: Any, new: Any) -> dict[str, Any]:
    images = {"OldImage": old, "NewImage": new}
    return {"dynamodb": {name: to_wire(image) for name, image in images.items() if image}}
