"""The right to deliver the decisions of a pause, for a while: it makes doubles rare, the permits make them harmless."""

from __future__ import annotations

from placet.records import writes
from placet.records.heads import Head
from placet.records.ops import ConditionFailed
from placet.service.ports import Ports


def lease(ports: Ports, head: Head, length_ms: int, *, sending: bool = False) -> int:
    """The fence of a new lease, 0 when it cannot be had. `sending`: only to hand the decisions over."""
    now = ports.clock.now_ms()
    try:
        ports.table.write(writes.lease(ports.keys, head, now + length_ms, now, sending=sending))
    except ConditionFailed:
        return 0
    return head.fence + 1


def give_back(ports: Ports, pause: str, fence: int) -> bool:
    """Free a lease, so that the next try need not wait for its end. Whether it still was one's own."""
    try:
        ports.table.write(writes.release_lease(ports.keys, pause, fence, ports.clock.now_ms()))
    except ConditionFailed:
        return False  # reported as resumed after all, or leased anew
    return True
