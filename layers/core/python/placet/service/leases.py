"""The right to deliver the decisions of a pause, for a while: it makes doubles rare, the permits make them harmless."""

from __future__ import annotations

from dataclasses import dataclass

from placet.records import writes
from placet.records.conditions import failing
from placet.records.heads import Head
from placet.records.ops import ConditionFailed
from placet.service.ports import Ports, wired

NAME_LENGTH = 12  # of a holder's name: 72 bits, and the head is small
TAKEN = frozenset({"lease_free", "sending_free", "my_fence"})  # what fails when there is a lease, one's own too


def holder_of(ports: Ports) -> str:
    """A name for one try to get a lease."""
    return wired(ports.ids).secret()[:NAME_LENGTH]


@dataclass(frozen=True)
class Lease:
    """The right that somebody has: `fence` names it, `until_ms` is its end as the record says it."""

    fence: int
    until_ms: int


def lease(ports: Ports, head: Head, length_ms: int, *, holder: str = "", sending: bool = False) -> Lease | None:
    """A new lease, None when it cannot be had.

    A write whose answer was lost is repeated, and fails on what it wrote itself; then the lease is its own.

    Args:
        holder: of the try; a fresh name when left out. The same name again gets the lease that it has, as long as that is.
        sending: only to hand the decisions over.
    """
    now, holder = ports.clock.now_ms(), holder or holder_of(ports)
    ops = writes.lease(ports.keys, head, holder, now + length_ms, now, sending=sending)
    try:
        ports.table.write(ops)
    except ConditionFailed as lost:
        held = lost.old if lost.old is not None and lost.old.get("holder") == holder else {}
        is_mine = held.get("lease_until_ms", 0) > now and TAKEN.issuperset(failing(ops[0].clauses, held))
        return Lease(int(held["fence"]), int(held["lease_until_ms"])) if is_mine else None
    return Lease(head.fence + 1, now + length_ms)


def give_back(ports: Ports, pause: str, fence: int) -> bool:
    """Free a lease, so that the next try need not wait for its end. Whether it still was one's own."""
    try:
        ports.table.write(writes.release_lease(ports.keys, pause, fence, ports.clock.now_ms()))
    except ConditionFailed:
        return False  # reported as resumed after all, or leased anew
    return True
