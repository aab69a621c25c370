"""The counter of an agent's open pauses: one number per class, bounded by the write itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from placet.records import clauses as c
from placet.records.keys import SCHEMA_VERSION, Keys
from placet.records.ops import Op, update

_SHAPE = {"schema_version": SCHEMA_VERSION, "kind": "COUNT"}


def count_open(keys: Keys, agent: str, more: Mapping[str, int], most: int) -> list[Op]:
    """So many more pauses with open calls, by class, unless one of these classes has as many as it may."""
    conditions = [c.room_left(name, most) for name in more]
    return [update(keys.open_count(agent), conditions, set=_SHAPE, add={f"open_{name}": n for name, n in more.items()})]


def recount_open(keys: Keys, agent: str, found: Mapping[str, int], counted_ms: int, now_ms: int) -> list[Op]:
    """What is really open, as the lists say."""
    changes: dict[str, Any] = {**_SHAPE, "counted_ms": now_ms, **{f"open_{name}": n for name, n in found.items()}}
    return [update(keys.open_count(agent), [c.counted_as_seen(counted_ms)], set=changes)]
