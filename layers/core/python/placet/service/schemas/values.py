"""Values and schemas as the judge sees them: numbers exact, and nothing that tells its content when it is printed.

jsonschema writes each failed value into a message, whole. Nobody reads those messages (`words` has ours), and a text of
256 KB that is printed at each of thousands of steps would be a weapon: so `repr` of a value here is a word.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

from placet.model.canonical import Lexeme

MOST_LEVELS = 128  # as records: more than a request can nest


class Unusable(Exception):
    """A number that cannot be held exactly, or a value that nests too deep; the text says which."""


class Number(Decimal):
    """A JSON number, exactly. Comparing is exact at any exponent; arithmetic is not, so none is used: see `is_multiple`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "a number"


class Text(str):
    """A JSON string, or a name in an object."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "a text"


class Array(list[Any]):
    """A JSON array."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "a list"


class Object(dict[str, Any]):
    """A JSON object."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "an object"


def exact(value: Any, levels: int = MOST_LEVELS) -> Any:
    """The same value of the classes here. Raises Unusable."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Lexeme | int | float):
        return _number(value)
    if isinstance(value, str):
        return Text(value)
    if levels == 0:
        raise Unusable(f"is nested deeper than {MOST_LEVELS}")
    if isinstance(value, dict):
        return Object((Text(name), exact(item, levels - 1)) for name, item in value.items())
    return Array(exact(item, levels - 1) for item in value)


def _number(value: Lexeme | int | float) -> Number:
    try:
        number = Number(value if isinstance(value, Lexeme | int) else repr(value))
    except InvalidOperation:  # an exponent of nineteen digits
        raise Unusable("has a number with an exponent that cannot be held exactly") from None
    if not number.is_finite():
        raise Unusable("has a number that is none")
    return number


def is_integral(number: Number) -> bool:
    """Whether it is whole, however it is written: `1.0` and `1e2` are."""
    return number == number.to_integral_value()


def is_multiple(number: Number, of: Number) -> bool:
    """Whether `number` is `of` (not zero) times a whole number: by whole numbers, whatever the exponents."""
    (_, digits, exponent), (_, unit, its_exponent) = _parts(number), _parts(of)
    if digits == 0:
        return True
    # Without trailing zeros no power of ten is left in the digits that could make up for a smaller exponent.
    return exponent >= its_exponent and digits * pow(10, exponent - its_exponent, unit) % unit == 0


def _parts(number: Number) -> tuple[int, int, int]:
    """Sign, digits without trailing zeros, and exponent."""
    sign, digits, exponent = number.as_tuple()
    text = "".join(map(str, digits))
    stripped = text.rstrip("0")
    return (sign, int(stripped), int(exponent) + len(text) - len(stripped)) if stripped else (0, 0, 0)


class Sameness:
    """Tells whether values are the same in JSON: `1` is `1.0` and no `true`, the order of names says nothing.

    Each value becomes a number, of which equal values share one; a container is written with those of its items, so that all of it
    together costs as much as reading the values once. Texts are hashed with the process's secret, numbers would collide at will.
    """

    def __init__(self) -> None:
        self._known: dict[str, int] = {}
        self._seen: dict[int, int] = {}
        self._listed: dict[int, frozenset[int]] = {}

    def of(self, value: Any) -> int:
        """The number of a value, which has to stay alive as long as this."""
        found = self._seen.get(id(value))
        if found is None:
            found = self._seen[id(value)] = self._known.setdefault(self._written(value), len(self._known))
        return found

    def among(self, value: Any, values: list[Any]) -> bool:
        """Whether one of the values is the same."""
        listed = self._listed.get(id(values))
        if listed is None:
            listed = self._listed[id(values)] = frozenset(map(self.of, values))
        return self.of(value) in listed

    def _written(self, value: Any) -> str:
        if isinstance(value, str):
            return f"s{value}"
        if isinstance(value, Decimal):
            return "n{} {} {}".format(*_parts(Number(value)))
        if isinstance(value, list):
            return f"l{[self.of(item) for item in value]}"
        if isinstance(value, dict):
            return f"d{sorted((self.of(name), self.of(item)) for name, item in value.items())}"
        return f"c{value}"
