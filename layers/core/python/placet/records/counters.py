"""What rules ask the table: what was spent of a budget, and whether something was there before. Both under the hash of a name.

A counter holds whole units, each UNITS-th of one, so that the table adds exactly. An amount with more places is rounded up and a
limit down: what is counted is never less than what was spent.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from placet.model.canonical import canonical
from placet.records.keys import SCHEMA_VERSION, Key, Keys
from placet.records.ops import Item
from placet.records.reading import reads

PLACES = 9  # of a unit: money has two to four, the price of a token six
MOST_DIGITS = 36  # of a counter in units; a number of the table has 38
DAY_S = 86_400
KEPT_DAY_S = 3 * DAY_S  # how long a day's counter outlives its day
KEPT_RUN_S = 400 * DAY_S  # a run waits for at most 300
KEPT_SEEN_S = 400 * DAY_S  # after that something is new again
_EXACT = Context(prec=80)


@dataclass(frozen=True)
class Charge:
    """What a capture adds to one counter, in units.

    Attributes:
        limit: what the sum may reach.
        until_s: when the counter may be forgotten.
    """

    key: Key
    amount: int
    limit: int
    until_s: int

    def beside(self, other: Charge) -> Charge:
        """Both as one: no write may touch an item twice."""
        return Charge(
            self.key, self.amount + other.amount, min(self.limit, other.limit), max(self.until_s, other.until_s)
        )


def amount_in_units(amount: Decimal) -> int | None:
    """Rounded up; None for what no counter holds."""
    return _units(amount, ROUND_CEILING)


def limit_in_units(limit: Decimal) -> int | None:
    """Rounded down; None for what no counter holds."""
    return _units(limit, ROUND_FLOOR)


def in_words(units: int) -> Decimal:
    """Units as the number that a rule compares and a reviewer reads."""
    return Decimal(units).scaleb(-PLACES, _EXACT).normalize(_EXACT)


def budget_key(keys: Keys, name: str, day: str) -> Key:
    """The counter of a budget; `day` is empty for one that does not begin anew each day."""
    return keys.budget(_hash(name), day)


def seen_key(keys: Keys, *name: str) -> Key:
    """What says that something was there before."""
    return keys.seen(_hash(canonical(list(name))))


def seen_item(key: Key, at_ms: int) -> Item:
    """It was there. Written again each time, so that what goes on is not forgotten."""
    kept = {"at_ms": at_ms, "ttl": at_ms // 1000 + KEPT_SEEN_S}
    return {**key._asdict(), "schema_version": SCHEMA_VERSION, "kind": "SEEN", **kept}


@reads("counter of a budget")
def read_spent(item: Item) -> int:
    """Units spent so far. Raises Parked, Damaged."""
    spent = item["spent"]
    if type(spent) is not int or not 0 <= spent < 10**MOST_DIGITS:
        raise ValueError("no count")
    return spent


@reads("mark of what was seen")
def read_seen(item: Item) -> bool:
    """True. Raises Parked, Damaged."""
    return type(item["at_ms"]) is int


def has_run_out(item: Mapping[str, object], now_ms: int) -> bool:
    """Whether an item may be forgotten by now: the table takes days over it."""
    ttl = item.get("ttl")
    return type(ttl) is int and ttl * 1000 <= now_ms


def _units(value: Decimal, rounding: str) -> int | None:
    if not value.is_finite() or value.is_signed() or value.adjusted() + PLACES >= MOST_DIGITS - 1:
        return None
    return int(value.scaleb(PLACES, _EXACT).to_integral_value(rounding, _EXACT))


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:32]
