"""How long people of a class typically take: counted when a pause was decided, and told to whoever waits."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

from placet.model.errors import PlacetError
from placet.model.states import CallState
from placet.policy.classes import ActionClass
from placet.records import writes
from placet.records.calls import HeadCall
from placet.records.heads import Head
from placet.records.history import DAY_MS, counted_since, is_since, median_s, read_waits
from placet.records.ops import Item
from placet.service.loading import head_in, readable
from placet.service.ports import Ports

SPAN_MS = 28 * DAY_MS
ENOUGH = 20  # decisions; below that a median says nothing
BY_PEOPLE = frozenset({CallState.ACCEPTED, CallState.EDITED, CallState.REJECTED})
BY_NOBODY = frozenset({CallState.PASSED, CallState.DENIED, CallState.REPEATED})  # at capture: it never waited


def learn(ports: Ports, image: Item) -> None:
    """Count how long a pause waited, by the image of its head at the moment at which the last call was decided.

    Whatever goes wrong is let go: a figure must not hold up a decision. Not counted is what time, the agent or a second round
    ended, and what stands on another list than its agent's, because its moment is then not that of the decision.
    """
    with contextlib.suppress(PlacetError):
        head = head_in(image)
        asked = [call for call in head.calls if call.state not in BY_NOBODY]
        counts = bool(asked) and all(_is_by_people(head, call) for call in asked)
        if not (counts and head.notified_ms and head.wpk == ports.keys.out(head.agent)):
            return
        for name in sorted({call.action_class for call in asked}):
            ports.table.write(writes.count_wait(ports.keys, name, _seconds(head), ports.clock.now_ms()))


def typical_s(ports: Ports, classes: Iterable[ActionClass]) -> int:
    """The median time to decide in the last 28 days, in seconds, of the slowest of these classes; 0 where one has too few."""
    found = [_median(ports, one.name) for one in classes]
    return max(found) if found and all(found) else 0


def _median(ports: Ports, name: str) -> int:
    since = ports.clock.now_ms() - SPAN_MS
    stored = [item for item in ports.table.query(ports.keys.history(name), "DAY#") if is_since(item, since)]
    counted = counted_since(readable(ports, stored, read_waits))
    return median_s(counted) if counted.total() >= ENOUGH else 0


def _is_by_people(head: Head, call: HeadCall) -> bool:
    """Whether people decided a call the first time that they were asked. At its deadline a rule rejects, and no person."""
    by_rule = call.state is CallState.REJECTED and head.wsk >= call.deadline_ms
    return call.state in BY_PEOPLE and call.round == 1 and not by_rule


def _seconds(head: Head) -> float:
    return max(0, head.wsk - head.notified_ms) / 1000
