"""What the verbs write, item by item: the records that the flows leave.

`python -m tests.unit.written` writes `written.json` anew; look at its difference before you commit it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from local.memory import MemoryTable
from placet.records.lanes import lane_at, moment_at
from placet.records.ops import Op
from tests.gateway import Gateway
from tests.unit.flows import FLOWS

FILE = Path(__file__).with_name("written.json")


class Noted(MemoryTable):
    """A table that notes every write of a head, event, token or mark: what changed in which item."""

    def __init__(self) -> None:
        super().__init__()
        self.notes: list[dict[str, Any]] = []

    def write(self, ops: list[Op]) -> None:
        """Write, then note."""
        before = {op.key: _flat(self.get(op.key) or {}) for op in ops}
        super().write(ops)
        after = {key: _flat(self.get(key) or {}) for key in before}
        noted = {"|".join(key): _changed(before[key], now) for key, now in after.items() if now.get("kind") in KINDS}
        self.notes += [noted] if noted else []


KINDS = ("HEAD", "EVENT", "TOKEN", "FREEZE")


def written(name: str) -> list[dict[str, Any]]:
    """What each write of a flow changed; times count from the start of the flow."""
    table = Noted()
    gateway = Gateway(table=table)
    start = gateway.clock.now_ms()
    FLOWS[name](gateway)
    return [{key: _from(start, changed) for key, changed in note.items()} for note in table.notes]


def _flat(item: Any, at: str = "") -> dict[str, Any]:
    """Paths and their values."""
    if not isinstance(item, dict) or not item:
        return {at: item} if at else {}
    return {
        path: one for name, value in item.items() for path, one in _flat(value, f"{at}.{name}" if at else name).items()
    }


def _changed(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    gone = dict.fromkeys(path for path in before if path not in now)
    return gone | {
        path: value for path, value in now.items() if before.get(path, gone) != value and path not in ("pk", "sk")
    }


def _since(start: int, value: int) -> str:
    lane = "lane + " if lane_at(value) else ""
    return f"{lane}start + {moment_at(value) - start}"


def _from(start: int, changed: dict[str, Any]) -> dict[str, Any]:
    return {
        path: _since(start, value) if isinstance(value, int) and value >= start else value
        for path, value in sorted(changed.items())
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps({name: written(name) for name in FLOWS}, indent=1, ensure_ascii=False) + "\n")
