"""From a stored item to a value: whatever is wrong with the item becomes one of two errors, in this one place.

Nobody who reads a record catches KeyError or TypeError: a reader says what it wants, and an item that has it not is Parked or
Damaged. So one item can be set aside wherever it is met, and what stands behind it goes on.
"""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

from placet.model.errors import Damaged, Parked, Refused
from placet.records.keys import SCHEMA_VERSION
from placet.records.ops import Item

T = TypeVar("T")
P = ParamSpec("P")
Fits = Callable[[Any], bool]
# What reading a value of another shape raises; Refused is what a text says that does not parse.
OTHER_SHAPE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, Refused)


Reader = Callable[Concatenate[Item, P], T]


def reads(what: str, versions: Sequence[int] = (SCHEMA_VERSION,)) -> Callable[[Reader[P, T]], Reader[P, T]]:
    """The decorator of everything that reads a stored item; `what` names the record in the error's sentence.

    Args:
        versions: schema versions that the function knows.

    The function that it makes raises Parked for a schema version that this code does not know, and Damaged for any other shape.
    """

    def wrap(read: Reader[P, T]) -> Reader[P, T]:
        @functools.wraps(read)
        def checked(item: Item, /, *args: P.args, **kwargs: P.kwargs) -> T:
            version = item.get("schema_version")
            if type(version) is not int:
                raise Damaged(what)
            if version not in versions:
                raise Parked(version)
            try:
                return read(item, *args, **kwargs)
            except OTHER_SHAPE as error:
                raise Damaged(what) from error

        return checked

    return wrap


def typed(value: T) -> T:
    """The same value of a dataclass, every field being what its class declares. Raises TypeError.

    A table gives back whatever was put into it, and a text where a number is wanted fails long after it was read.
    """
    cls: Any = type(value)
    for name, fits in _declared(cls):
        if not fits(getattr(value, name)):
            raise TypeError(f"{cls.__name__}.{name} is of another type")
    return value


@functools.cache
def _declared(cls: Any) -> tuple[tuple[str, Fits], ...]:
    hints = typing.get_type_hints(cls)
    return tuple((name, _fits(hints[name])) for name in cls.__dataclass_fields__)


def _fits(kind: Any) -> Fits:
    """What judges whether a value is of a declared type."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return lambda value: True
    if kind is int:
        return lambda value: type(value) is int
    if origin in (typing.Union, types.UnionType):
        kinds = [_fits(one) for one in inner]
        return lambda value: any(fits(value) for fits in kinds)
    if origin is tuple:  # of any length: no record has another
        each = _fits(inner[0])
        return lambda value: isinstance(value, tuple) and all(map(each, value))
    if origin is dict:
        named, held = _fits(inner[0]), _fits(inner[1])
        return lambda value: isinstance(value, dict) and all(named(k) and held(one) for k, one in value.items())
    plain = type(None) if kind is None else kind
    return lambda value: isinstance(value, plain)
