"""How a number reads, and what an edit makes of it: in another country's spelling `1.240` is a thousand times as much."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice, zip_longest
from typing import Any

from placet.model.canonical import Lexeme, exact_text
from placet.model.numerals import difference, is_json_number, reading, value_of, written_out
from placet.web import phrases

BIG = 10  # times more or less: a change of size, not of amount
MOST_CHANGES = 50  # numbers of one edit that are told one by one
_GROUPED = re.compile(r"-?[1-9]\d{0,2}\.\d{3}", re.ASCII)
_ABSENT = object()


@dataclass(frozen=True)
class Change:
    """One number that an edit touches.

    Attributes:
        place: the names and positions on the way to it.
        before, after: as they read; `before` is empty for one that was not there.
        by: `-620.00`; empty when nothing can be subtracted.
        warning: what must not be overlooked, a sentence; empty when there is nothing.
    """

    place: tuple[str, ...]
    before: str
    after: str
    by: str
    warning: str


def looks_grouped(written: str) -> bool:
    """Whether a number reads as thousands where a point groups digits: `1.240`."""
    return _GROUPED.fullmatch(written) is not None


def between(written: str) -> str:
    """`between 1 and 2`, `exactly 1`: how much a number that looks grouped is."""
    value = value_of(written)
    if value is None:
        return ""
    low = int(value.to_integral_value(rounding="ROUND_FLOOR"))
    return f"exactly {low}" if value == low else f"between {low} and {low + 1}"


def changes_of(before: Any, after: Any) -> list[Change]:
    """Every number that differs between two values at one place, and every one that came, in the order of the new one."""
    return list(islice(_walk(before, after, ()), MOST_CHANGES))


def _walk(before: Any, after: Any, place: tuple[str, ...]) -> Iterator[Change]:
    if isinstance(after, dict):
        old = before if isinstance(before, dict) else {}
        for name, value in after.items():
            yield from _walk(old.get(name, _ABSENT), value, (*place, name))
    elif isinstance(after, list):
        others = before if isinstance(before, list) else []
        for number, (one, other) in enumerate(zip_longest(others, after, fillvalue=_ABSENT), 1):
            if other is not _ABSENT:
                yield from _walk(one, other, (*place, str(number)))
    else:
        change = _change(before, after, place)
        if change is not None:
            yield change


def _change(before: Any, after: Any, place: tuple[str, ...]) -> Change | None:
    old, new = _written(before), _written(after)
    if new is None:
        lost = old is not None and isinstance(after, str) and any(map(str.isdigit, after))
        return Change(place, reading(old or ""), "", "", _of_text(old or "")) if lost else None
    if old == new and type(before) is type(after):
        return None
    was, now = value_of(old or ""), value_of(new)
    by = _by(was, now) if was is not None and now is not None else ""
    return Change(place, reading(old or ""), reading(new), by, _warning(old or "", new, was, now))


def _written(value: Any) -> str | None:
    """A number as it was written, of a text that is one too: there are frameworks whose arguments are all texts."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | Lexeme):
        return exact_text(value)
    return value if isinstance(value, str) and is_json_number(value) else None


def _by(was: Decimal, now: Decimal) -> str:
    by = difference(was, now)
    if not by:
        return "the same amount"
    sign = "-" if by < 0 else "+"
    return f"{sign}{phrases.number(written_out(abs(by)))}"


def _warning(old: str, new: str, was: Decimal | None, now: Decimal | None) -> str:
    said = []
    if looks_grouped(new) and len(old.partition(".")[2]) < len(new.partition(".")[2]):
        said.append(
            f"{new} is {between(new)}: it reads {reading(new)}. A point begins the decimals and never groups thousands."
        )
    if now is None:
        said.append(f"{new} is too large or too small to be written out here.")
    elif was is not None and (size := _size(was, now)):
        said.append(f"{size}: {reading(new)} in place of {reading(old)}.")
    return " ".join(said)


def _size(was: Decimal, now: Decimal) -> str:
    """What makes it another number, and not a little more or less of the same."""
    if was == now or not was:
        return ""
    if not now:
        return "It is nothing now"
    if (was < 0) != (now < 0):
        return "Its sign changes"
    more, less = abs(now / was), abs(was / now)
    if max(more, less) < BIG:
        return ""
    times = phrases.number(str(int(max(more, less))))
    return f"It is about {times} times {'as much' if more > less else 'less'} now"


def _of_text(old: str) -> str:
    return f"{reading(old)} was a number, and what stands there now is none: how the tool reads it is not known."
