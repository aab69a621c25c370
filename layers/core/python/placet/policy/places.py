"""Where a rule looks in the arguments: `amount`, `order.total`, `items[].price`, `len(recipients)`, `sum(items[].price)`.

A name with other signs than letters, digits, `_` and `-` stands in quotes: `"parameters.amount"`. Nothing is guessed: what is not
there, is something else than the place says, or is more than can be looked at, could not be judged.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation
from typing import Any

from placet.model.canonical import Lexeme
from placet.policy.checks import MOST_DIGITS
from placet.policy.facts import Unjudged

MOST_VALUES = 10_000  # at one place; the arguments of all calls have at most 262,144 bytes
_CALL = re.compile(r"(len|sum)\((.*)\)", re.DOTALL)
_STEP = re.compile(r'(?:"([^"]+)"|([\w-]+))((?:\[\])*)(?:\.(?=.)|$)', re.DOTALL)
_LONGEST_INT_BITS = 3_400  # about a thousand digits, as many as a number of a request may have
_EXACT = Context(prec=4 * MOST_DIGITS)  # a sum of many numbers of 38 digits each, none of them rounded


@dataclass(frozen=True)
class Place:
    """A place in the arguments.

    Attributes:
        steps: names, and None for each item of a list.
        of: what is taken of what stands there: "" itself, `len` or `sum`.
    """

    text: str
    steps: tuple[str | None, ...]
    of: str = ""

    @property
    def argument(self) -> str:
        """The name of the argument in which it lies."""
        return str(self.steps[0])


@functools.lru_cache(maxsize=1024)
def place_of(text: str) -> Place:
    """The place that a text of the policy means. Raises ValueError, with the text."""
    call = _CALL.fullmatch(text)
    of, path = call.groups() if call else ("", text)
    steps: list[str | None] = []
    at = 0
    while at < len(path) or not steps:
        step = _STEP.match(path, at)
        if step is None:
            raise ValueError(
                f"{text!r} is no place in the arguments: write amount, order.total, items[].price, len(recipients), "
                'sum(items[].price), or "a.name" in quotes; a list is looked at whole, not [0]'
            )
        steps += [step[1] or step[2], *[None] * (len(step[3]) // 2)]
        at = step.end()
    return Place(text, tuple(steps), of)


def values_at(text: str, arguments: dict[str, Any]) -> tuple[Any, ...]:
    """What stands at a place, at least one value. Raises Unjudged."""
    place = place_of(text)
    found = []
    for value in _below(place, arguments, 0):
        found.append(value)
        if len(found) > MOST_VALUES:
            raise Unjudged(f"{text} has more than {MOST_VALUES:,} values")
    if not found:
        raise Unjudged(f"{text} is empty")
    if place.of == "len":
        return tuple(_length(text, value) for value in found)
    if place.of == "sum":
        return (_sum(text, found),)
    return tuple(found)


def numbers_at(text: str, arguments: dict[str, Any]) -> tuple[Decimal, ...]:
    """The numbers at a place, exactly as they were written. Raises Unjudged, also where something else stands."""
    return tuple(number_in(text, value) for value in values_at(text, arguments))


def addable(text: str, number: Decimal) -> Decimal:
    """The number, if it can be added up without being rounded. Raises Unjudged."""
    _, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int) or len(digits) > MOST_DIGITS or not -MOST_DIGITS <= exponent <= MOST_DIGITS:
        raise Unjudged(f"{text} has too many digits to be added up")
    return number


def added(first: Decimal, second: Decimal) -> Decimal:
    """The exact sum of two numbers that can be added up."""
    return _EXACT.add(first, second)


def number_in(text: str, value: Any) -> Decimal:
    """The number that a value is, exactly as it was written; `text` names it. Raises Unjudged when it is none."""
    if isinstance(value, Decimal) and value.is_finite():
        return value
    if isinstance(value, bool) or not isinstance(value, int | Lexeme):
        raise Unjudged(f"{text} is no number")
    if isinstance(value, int):
        if value.bit_length() > _LONGEST_INT_BITS:
            raise Unjudged(f"{text} has too many digits")
        return Decimal(value)
    try:
        return Decimal(value)
    except InvalidOperation:
        raise Unjudged(f"{text} is no number that can be compared") from None


def _below(place: Place, value: Any, at: int) -> Iterator[Any]:
    if at == len(place.steps):
        yield value
        return
    step = place.steps[at]
    if step is None:
        if not isinstance(value, list):
            raise Unjudged(f"{place.text}: there is no list")
        for item in value:
            yield from _below(place, item, at + 1)
    elif not isinstance(value, dict) or step not in value:
        raise Unjudged(f"there is no {place.text}")
    else:
        yield from _below(place, value[step], at + 1)


def _length(text: str, value: Any) -> int:
    if not isinstance(value, list | dict):
        raise Unjudged(f"{text}: there is no list")
    return len(value)


def _sum(text: str, values: list[Any]) -> Decimal:
    total = Decimal(0)
    for value in values:
        total = added(total, addable(text, number_in(text, value)))
    return total
