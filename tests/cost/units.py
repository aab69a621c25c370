"""What DynamoDB bills for one request, from the items before and after it. The rules are AWS's own, written once more here.

Reads and writes of the emulator carry a figure too: right for writes (`metering.emulator_units` compares), flat for reads.
"""

from __future__ import annotations

import base64
import math
from typing import Any

Item = dict[str, Any]  # as on the wire: {"name": {"S": "value"}}
Index = dict[str, Any]  # one entry of DescribeTable's GlobalSecondaryIndexes
WRITE_BYTES, READ_BYTES = 1024, 4096


def item_size(item: Item) -> int:
    """Bytes of names and values, as the developer guide counts them."""
    return sum(len(name.encode()) + _value_size(value) for name, value in item.items())


def _value_size(value: dict[str, Any]) -> int:
    ((kind, content),) = value.items()
    if kind == "S":
        return len(content.encode())
    if kind == "N":
        digits = "".join(sign for sign in content.lower().partition("e")[0] if sign.isdigit()).strip("0")
        return math.ceil(len(digits) / 2) + 1 + content.startswith("-")
    if kind == "B":
        return len(content if isinstance(content, bytes) else base64.b64decode(content))
    if kind in ("BOOL", "NULL"):
        return 1
    if kind == "L":
        return 3 + sum(1 + _value_size(one) for one in content)
    if kind == "M":
        return 3 + sum(1 + len(name.encode()) + _value_size(one) for name, one in content.items())
    return sum(_value_size({kind[0]: one}) for one in content)


def write_units(before: Item | None, after: Item | None, indexes: list[Index], *, transaction: bool = False) -> int:
    """Units of one item's write: the larger image by started kilobytes, twice in a transaction, and each index's own writes.

    An index is written behind the table, so its part is single in a transaction too.
    """
    larger = max(item_size(before or {}), item_size(after or {}))
    table = max(1, math.ceil(larger / WRITE_BYTES)) * (2 if transaction else 1)
    return table + sum(index_units(index, before, after) for index in indexes)


def index_units(index: Index, before: Item | None, after: Item | None) -> int:
    """Nothing when the entry stays as it is; one write to add, change or drop it; two when its key moves."""
    old, new = _entry(index, before), _entry(index, after)
    if old == new:
        return 0
    if old is None or new is None:
        return _started(old or new or {})
    keys = [part["AttributeName"] for part in index["KeySchema"]]
    if any(old[key] != new[key] for key in keys):
        return _started(old) + _started(new)
    return max(_started(old), _started(new))


def read_units(items: list[Item], *, consistent: bool, transaction: bool = False) -> float:
    """Units of one read: everything it touched by started 4 kilobytes, at least one; half when it may be stale."""
    pages = max(1, math.ceil(sum(item_size(item) for item in items) / READ_BYTES))
    return pages * (2.0 if transaction else 1.0 if consistent else 0.5)


def _entry(index: Index, item: Item | None) -> Item | None:
    """What the index holds of an item; None when it is not in it."""
    keys = [part["AttributeName"] for part in index["KeySchema"]]
    if item is None or any(key not in item for key in keys):
        return None
    projection = index["Projection"]
    if projection["ProjectionType"] == "ALL":
        return item
    held = {*keys, "pk", "sk", *projection.get("NonKeyAttributes", ())}
    return {name: value for name, value in item.items() if name in held}


def _started(item: Item) -> int:
    return max(1, math.ceil(item_size(item) / WRITE_BYTES))
