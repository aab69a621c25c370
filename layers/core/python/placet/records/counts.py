"""How many pauses of an agent were counted as open, by class, and when they were really counted last."""

from __future__ import annotations

from dataclasses import dataclass

from placet.records.ops import Item
from placet.records.reading import reads, typed


@dataclass(frozen=True)
class Counted:
    """The counter of one agent; `counted_ms` is 0 while nothing was counted from the lists."""

    counted_ms: int = 0


NOTHING_COUNTED = Counted()


@reads("counter of an agent's open pauses")
def read_counted(item: Item) -> Counted:
    """The counter in a stored item. Raises Parked, Damaged."""
    return typed(Counted(item.get("counted_ms", 0)))
