"""escalate: a pause's moment has come. Today that is expiry; it only ever closes what is over, and never with a yes."""

from __future__ import annotations

from placet.model.errors import NotFound
from placet.records import writes
from placet.records.ops import ConditionFailed
from placet.service.loading import head_of
from placet.service.ports import Ports
from placet.service.timer import set_timer

ATTEMPTS = 3


def escalate(ports: Ports, pause: str) -> str:
    """Expire the calls whose deadline has passed and set the timer for the next.

    Returns:
        `expired`, `early` (nothing is over yet), `over` (nothing was open) or `gone` (no such pause).
    """
    for _ in range(ATTEMPTS):
        try:
            head = head_of(ports, pause)
        except NotFound:
            return "gone"
        if not head.pending:
            return "over"
        now = ports.clock.now_ms()
        overdue = [call for call in head.pending if 0 < call.deadline_ms <= now]
        left = [call.deadline_ms for call in head.pending if call.deadline_ms > now]
        if not overdue:
            if left:
                set_timer(ports, pause, min(left))
            return "early"
        try:
            ports.table.write(writes.expire(ports.keys, head, overdue, now))
        except ConditionFailed:
            continue  # decided at the last moment: look at what is left
        if left:
            set_timer(ports, pause, min(left))
        return "expired"
    return "early"
