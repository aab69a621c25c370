"""The in-memory table with its indexes kept, for as many sweeps as a quarter has; and with somebody who writes in between."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from local.memory import MemoryTable
from placet.records.keys import Key
from placet.records.lanes import moment_at
from placet.records.ops import Item, Op


class Indexed(MemoryTable):
    """As fast as it has to be.

    Attributes:
        meanwhile: what others do after a caller has read, and before its next write; once.
    """

    def __init__(self) -> None:
        super().__init__()
        self._of: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._listed: defaultdict[str, dict[Key, int]] = defaultdict(dict)
        self._stands: dict[Key, str] = {}
        self.meanwhile: Callable[[], Any] | None = None

    def write(self, ops: list[Op]) -> None:
        """All or none, after the others."""
        if self.meanwhile is not None:
            others, self.meanwhile = self.meanwhile, None
            others()
        super().write(ops)
        self.changes.clear()

    def _apply(self, op: Op) -> None:
        super()._apply(op)
        item = self.items.get(op.key)
        self._listed[self._stands.pop(op.key, "")].pop(op.key, None)
        if item is None:
            self._of[op.key.pk].pop(op.key.sk, None)
            return
        self._of[op.key.pk][op.key.sk] = None
        if "wpk" in item:
            self._listed[item["wpk"]][op.key] = item["wsk"]
            self._stands[op.key] = item["wpk"]

    def query(self, pk: str, prefix: str = "") -> list[Item]:
        """Items of a partition in key order."""
        names = sorted(sk for sk in self._of[pk] if sk.startswith(prefix))
        return [item for sk in names if (item := self.get(Key(pk, sk))) is not None]

    def work(self, pk: str, *, up_to: int | None = None, limit: int = 50, after: Item | None = None) -> list[Item]:
        """Entries of a work list by moment."""
        found = sorted((wsk, key.pk, key) for key, wsk in self._listed[pk].items() if up_to is None or wsk <= up_to)
        behind = (after["wsk"], after["pk"]) if after is not None else (-1, "")
        keys = [key for wsk, name, key in found if (wsk, name) > behind][:limit]
        return [item for key in keys if (item := self.get(key)) is not None]

    def due(self, now_ms: int) -> bool:
        """Whether a sweep finds anything on any list."""
        return any(moment_at(wsk) <= now_ms for wpk, one in self._listed.items() if wpk for wsk in one.values())
