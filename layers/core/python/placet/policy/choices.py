"""Rules about which: arguments that have to be one of some values, and those that must not be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from placet.model.canonical import Lexeme, is_text
from placet.model.folding import loose, one_case
from placet.policy.checks import check_exact, check_texts
from placet.policy.facts import Facts, Unjudged
from placet.policy.places import number_in, place_of, values_at

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

    Texts are the same with other case, spaces, separators, signs that nobody sees, and letters that look alike. Of a list or an
    object could not be told.
    """

    id: str
    sentence: str
    argument: str
    values: frozenset[Value]

    def __post_init__(self) -> None:
        _check(self, self.argument, self.values)

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        """Whether any value is one of them. Raises Unjudged."""
        refused = self._spellings()
        return any(not refused.isdisjoint(self._read(value)) for value in values_at(self.argument, arguments))

    def spells_any(self, values: Iterable[Value]) -> bool:
        """Whether one of these may be taken for one of its own."""
        refused = self._spellings()
        return any(not refused.isdisjoint(_spelled(value)) for value in values)

    def _spellings(self) -> set[object]:
        return {name for value in self.values for name in _spelled(value)}

    def _read(self, value: Any) -> set[object]:
        names = _spelled(value)
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
    number = _number(value)
    if number is not None:
        return ("number", number)
    if isinstance(value, bool) or is_text(value):
        return (type(value).__name__, value)
    return None


def _spelled(value: Any) -> set[object]:
    """All that a value may be taken for; empty for what is no single value."""
    number = _number(value)
    if number is not None:
        return {("number", number)}
    if isinstance(value, bool):
        return {("text", loose(str(value)))}
    if not is_text(value):
        return set()
    names: set[object] = {("text", fold(value) or value) for fold in (loose, one_case)}
    number = _number(Lexeme(value.strip()))
    return names if number is None else {*names, ("number", number)}


def _number(value: Any) -> Decimal | None:
    try:
        return number_in("", value)
    except Unjudged:
        return None
