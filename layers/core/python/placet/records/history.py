"""How long people took: one small item per class and day, with how many pauses were decided within which time.

Counts in steps that grow by a tenth, not single times: an item stays small however much is decided, and a median of several
days is as near as anybody who waits needs it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime

from placet.records.keys import Key, Keys
from placet.records.ops import Item
from placet.records.reading import reads

STEP = 1.1
LAST = 190  # 1.1^190 s are more than two years: no wait is longer
DAY_MS = 86_400_000


def step_of(seconds: float) -> int:
    """The step in which a time falls."""
    return min(LAST, int(math.log(seconds, STEP))) if seconds > 1 else 0


def median_s(counted: Counter[int]) -> int:
    """The median of counted times, in seconds: the middle of the step in which it falls. 0 of none."""
    half, so_far = counted.total() / 2, 0
    for step in sorted(counted):
        so_far += counted[step]
        if so_far >= half:
            return round(math.pow(STEP, step + 0.5))
    return 0


def counted_since(stored: Iterable[Counter[int]]) -> Counter[int]:
    """Several days together."""
    return sum(stored, Counter())


def is_since(item: Item, from_ms: int) -> bool:
    """Whether an item is of this day or a later one."""
    return str(item["sk"]) >= _day(from_ms)


@reads("waiting times of a class")
def read_waits(item: Item) -> Counter[int]:
    """How many pauses were decided within each step. Raises Parked, Damaged."""
    found = {int(name[1:]): item[name] for name in item if name.startswith("b") and name[1:].isdecimal()}
    if not all(type(number) is int and number >= 0 for number in found.values()):
        raise TypeError("a count is a whole number")
    return Counter(found)


def key_of_day(keys: Keys, action_class: str, at_ms: int) -> Key:
    """The item of a class and a day, in UTC."""
    return Key(keys.history(action_class), _day(at_ms))


def _day(at_ms: int) -> str:
    return f"DAY#{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d}"
