"""A table in one process that is as inconvenient as DynamoDB: its indexes lag, and writes that meet on one item conflict.

What is real in it: of two writes whose items overlap while both are on their way only one goes through. As in `placet.aws.table`
the other is tried again after a pause with jitter, and is Busy when that does not help. `crowded` adds writes of others that nobody
sees but for their conflicts. Reads of items are consistent, as they are there; only `work` and `find` show an older state.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from local.memory import MemoryTable
from placet.model.errors import Busy, Contended
from placet.records.keys import Key
from placet.records.ops import Item, Op, expires

ATTEMPTS = 6


class LaggingTable(MemoryTable):
    """Args:
    lag: how many writes the indexes are behind.
    crowded: how likely it is, at each attempt, that somebody else's transaction holds one of the items.
    on_the_way: runs while a write holds its items and has not been done yet: where other threads get in.
    """

    def __init__(
        self,
        lag: int = 0,
        crowded: float = 0.0,
        seed: int = 1,
        on_the_way: Callable[[], object] = lambda: None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__()
        self.conflicts = 0
        self._lag = lag
        self._crowded = crowded
        self._chance = random.Random(seed)  # noqa: S311 - dice, no secret
        self._on_the_way = on_the_way
        self._sleep = sleep
        self._held: set[Key] = set()
        self._gate = threading.Lock()
        self._states: list[dict[Key, Item]] = [{}]

    def work(self, pk: str, *, up_to: int | None = None, limit: int = 50, after: Item | None = None) -> list[Item]:
        """A work list as it was `lag` writes ago."""
        return self._index().work(pk, up_to=up_to, limit=limit, after=after)

    def find(self, pk: str, *, limit: int) -> list[Key]:
        """The find index as it was `lag` writes ago."""
        return self._index().find(pk, limit=limit)

    def settle(self) -> None:
        """Let the indexes catch up."""
        self._states = [self._copy()]

    def write(self, ops: list[Op]) -> None:
        """All or none, tried again while somebody holds one of the items. Raises ConditionFailed, Busy, Contended."""
        for attempt in range(ATTEMPTS):
            with self._holding({op.key for op in ops}) as free:
                if free:
                    self._on_the_way()
                    super().write(ops)
                    self._states = [*self._states, self._copy()][-self._lag - 1 :]
                    return
            if expires(ops):
                raise Contended(self._wait)
            self._wait(attempt)
        raise Busy

    def _wait(self, tried: int) -> None:
        self._sleep(self._chance.uniform(0, 0.001 * 2**tried))

    @contextmanager
    def _holding(self, keys: set[Key]) -> Iterator[bool]:
        """Whether the items are free; nobody else gets them until the block ends."""
        with self._gate:
            free = not keys & self._held and self._chance.random() >= self._crowded
            if free:
                self._held |= keys
            else:
                self.conflicts += 1
        try:
            yield free
        finally:
            if free:
                with self._gate:
                    self._held -= keys

    def _index(self) -> MemoryTable:
        shown = MemoryTable()
        shown.items = self._states[0]
        return shown

    def _copy(self) -> dict[Key, Item]:
        """Which items there are. They are not copied: a write makes new ones."""
        with self._lock:
            return dict(self.items)
