"""Rules about which: arguments that have to be one of some values, and those that must not be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from placet.model.canonical import is_text
from placet.policy.checks import check_exact, check_texts
from placet.policy.encodings import is_turned
from placet.policy.facts import Facts, Unjudged
from placet.policy.places import place_of, values_at
from placet.policy.spelling import Name, names_of, number_of, taken_for

Value = str | int | Decimal | bool


@dataclass(frozen=True)
class OneOf:
    """Calls in which `argument` is anything but one of `values`, letter by letter, are looked at."""

    id: str
    sentence: str
    argument: str
    values: frozenset[Value]

    def __post_init__(self) -> None:
        _check(self, self.argument, self.values)

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        """Whether any value is none of them. Raises Unjudged."""
        allowed = {_exactly(value) for value in self.values}
        return any(_exactly(value) not in allowed for value in values_at(self.argument, arguments))


@dataclass(frozen=True)
class NotOneOf:
    """Calls in which `argument` is one of `values` are looked at, however it is spelled.

    Texts are the same with other case, spaces, separators, signs that nobody sees, letters that look alike, and letters that have
    another usual spelling (`placet.policy.spelling`). A number is the same as a text of its digits in any of these ways. Of a
    list, of an object, and of a text that a sign turns around, could not be told.
    """

    id: str
    sentence: str
    argument: str
    values: frozenset[Value]

    def __post_init__(self) -> None:
        _check(self, self.argument, self.values)

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        """Whether any value is one of them. Raises Unjudged."""
        values = values_at(self.argument, arguments)
        if any(not self._names.isdisjoint(self._read(value)) for value in values):
            return True
        if any(is_text(value) and is_turned(value) for value in values):
            raise Unjudged(f"{self.argument} is turned around by signs that nobody sees")
        return False

    def spells_any(self, values: Iterable[Value]) -> bool:
        """Whether one of these may be taken for one of its own."""
        return any(not self._names.isdisjoint(taken_for(value)) for value in values)

    @cached_property
    def _names(self) -> frozenset[Name]:
        return frozenset(name for value in self.values for name in names_of(value))

    def _read(self, value: Any) -> frozenset[Name]:
        names = taken_for(value)
        if not names:
            raise Unjudged(f"{self.argument} is no text, number, true or false")
        return names


def _check(rule: OneOf | NotOneOf, argument: str, values: object) -> None:
    place = f"rule {rule.id}"
    check_texts(place, rule, ("id", "argument"), ("sentence",))
    place_of(argument)
    if not isinstance(values, set | frozenset):
        raise ValueError(f'{place}: values is a set, written frozenset({{"EUR", "USD"}}), and is {values!r}')
    if not values:
        raise ValueError(f"{place}: values is empty, so it {'always' if isinstance(rule, OneOf) else 'never'} fires")
    for value in values:
        if not isinstance(value, str | bool):
            check_exact(f"{place}: each of values", value)


def _exactly(value: Any) -> object:
    """A value as only its equals are: 1, 1.0 and 1.00 are one number; "1" and true are others."""
    number = number_of(value)
    if number is not None:
        return ("number", number)
    if isinstance(value, bool) or is_text(value):
        return (type(value).__name__, value)
    return None
