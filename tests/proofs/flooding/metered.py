"""The in-memory table, quick with many items, and with a meter: how many requests somebody made, and how much they read."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from local.memory import MemoryTable
from placet.aws.expressions import to_wire
from placet.records.keys import Key
from placet.records.ops import Item, Op
from tests.cost.units import read_units

DATA_STACK = Path(__file__).resolve().parents[3] / "infra/data_stack.py"


def _projection() -> frozenset[str]:
    """What an entry of the index `work` holds: its keys, and what the data stack says. Read from its text, because CDK is slow."""
    for node in ast.parse(DATA_STACK.read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "WORK_PROJECTION":
            return frozenset({"pk", "sk", "wpk", "wsk", *ast.literal_eval(node.value)})
    raise AssertionError("the data stack says nothing of the index any more")


ENTRY = _projection()


@dataclass
class Bill:
    """What one approval asked of the table: requests, and units read as DynamoDB bills them."""

    requests: int = 0
    rru: float = 0


class Metered(MemoryTable):
    """Counts onto the bill of whoever is at work; nobody's work costs nobody anything."""

    def __init__(self) -> None:
        super().__init__()
        self._bill: Bill | None = None
        self._parts: defaultdict[str, dict[Key, None]] = defaultdict(dict)
        self._lists: defaultdict[str, dict[Key, int]] = defaultdict(dict)
        self._stands: dict[Key, str] = {}

    @contextmanager
    def on(self, bill: Bill) -> Iterator[None]:
        """What is asked for in this block stands on that bill."""
        self._bill = bill
        try:
            yield
        finally:
            self._bill = None

    def _read(self, items: list[Item], *, consistent: bool = True) -> None:
        if self._bill is not None:
            self._bill.requests += 1
            self._bill.rru += read_units([to_wire(item) for item in items], consistent=consistent)

    def get(self, key: Key) -> Item | None:
        """One item."""
        found = super().get(key)
        self._read([found] if found else [])
        return found

    def get_many(self, keys: list[Key]) -> dict[Key, Item]:
        """Items by their keys, each rounded up by itself."""
        found = super().get_many(keys)
        if self._bill is not None:
            self._bill.requests += 1
            for key in keys:
                self._bill.rru += read_units([to_wire(found[key])] if key in found else [], consistent=True)
        return found

    def query(self, pk: str, prefix: str = "") -> list[Item]:
        """Items of a partition."""
        keys = sorted(key for key in self._parts[pk] if key.sk.startswith(prefix))
        found = [item for key in keys if (item := super(Metered, self).get(key)) is not None]
        self._read(found)
        return found

    def newest(self, pk: str, *, limit: int, before: str = "") -> list[Key]:
        """Keys of a partition; its items are read for them."""
        found = sorted((key for key in self._parts[pk] if not before or key.sk < before), reverse=True)[:limit]
        self._read([self.items[key] for key in found])
        return found

    def work(self, pk: str, *, up_to: int | None = None, limit: int = 50, after: Item | None = None) -> list[Item]:
        """Entries of a list, as the index holds them."""
        behind = (after["wsk"], after["pk"]) if after is not None else (-1, "")
        stand = sorted((wsk, key.pk, key) for key, wsk in self._lists[pk].items() if up_to is None or wsk <= up_to)
        keys = [key for wsk, name, key in stand if (wsk, name) > behind][:limit]
        items = (super(Metered, self).get(key) or {} for key in keys)
        found = [{name: value for name, value in item.items() if name in ENTRY} for item in items]
        self._read(found, consistent=False)
        return found

    def standing(self, pk: str) -> int:
        """How many entries a list has."""
        return len(self._lists[pk])

    def write(self, ops: list[Op]) -> None:
        """All or none; one request."""
        if self._bill is not None:
            self._bill.requests += 1
        super().write(ops)

    def _apply(self, op: Op) -> None:
        super()._apply(op)
        item = self.items.get(op.key)
        self._lists[self._stands.pop(op.key, "")].pop(op.key, None)
        if item is None:
            self._parts[op.key.pk].pop(op.key, None)
            return
        self._parts[op.key.pk][op.key] = None
        if "wpk" in item:
            self._lists[item["wpk"]][op.key] = item["wsk"]
            self._stands[op.key] = item["wpk"]
