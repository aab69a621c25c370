"""What a named clause is. One definition serves the DynamoDB expression, the in-memory table and the judging of a lost race.

A clause holds when any of its tests holds; a condition holds when all of its clauses hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

Operator = Literal["=", "<>", "<", "<=", ">", ">=", "exists", "absent", "size="]
Path = tuple[str, ...]


@dataclass(frozen=True)
class Comparison:
    """One comparison of an attribute with a value."""

    path: Path
    operator: Operator
    value: Any = None


@dataclass(frozen=True)
class Clause:
    """A named condition on one item.

    Attributes:
        expires: whether it may hold now and not a moment later, although the item stays as it is: it compares the clock. A write
            with one is not sent again as it was.
    """

    name: str
    any_of: tuple[Comparison, ...]
    expires: bool = False


def clause(name: str, *tests: tuple[str, Operator] | tuple[str, Operator, Any]) -> Clause:
    """A clause from `("calls.1.state", "=", "pending")` triples."""
    return Clause(name, tuple(Comparison(tuple(test[0].split(".")), test[1], *test[2:]) for test in tests))


def failing(clauses: Iterable[Clause], item: dict[str, Any] | None) -> list[str]:
    """Names of the clauses that do not hold on an item (None: no such item)."""
    return [one.name for one in clauses if not any(_holds(test, item or {}) for test in one.any_of)]


MISSING = object()


def look_up(item: dict[str, Any], path: Path) -> Any:
    """The value at a path, or MISSING."""
    value: Any = item
    for part in path:
        if not isinstance(value, dict) or part not in value:
            return MISSING
        value = value[part]
    return value


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: bool(a == b),
    "<>": lambda a, b: bool(a != b),
    "<": lambda a, b: bool(a < b),
    "<=": lambda a, b: bool(a <= b),
    ">": lambda a, b: bool(a > b),
    ">=": lambda a, b: bool(a >= b),
    "size=": lambda a, b: len(a) == b,
}


def _holds(test: Comparison, item: dict[str, Any]) -> bool:
    value = look_up(item, test.path)
    if test.operator == "exists":
        return value is not MISSING
    if test.operator == "absent":
        return value is MISSING
    if value is MISSING:
        return test.operator == "<>"  # as DynamoDB: an absent attribute differs from every value
    if test.operator not in ("=", "<>", "size=") and type(value) is not type(test.value):
        return False
    return _COMPARE[test.operator](value, test.value)
