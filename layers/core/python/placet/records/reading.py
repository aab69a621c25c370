"""From a stored item to a value: whatever is wrong with the item becomes one of two errors, in this one place.

Nobody who reads a record catches KeyError or TypeError: a reader says what it wants, and an item that has it not is Parked or
Damaged. So one item can be set aside wherever it is met, and what stands behind it goes on.
"""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Callable
from enum import Enum
from typing import Any, Concatenate, ParamSpec, TypeVar

from placet.model.errors import Damaged, Parked, Refused
from placet.records.keys import SCHEMA_VERSION
from placet.records.ops import Item

T = TypeVar("T")
P = ParamSpec("P")
# What reading a value of another shape raises; Refused is what a text says that does not parse.
OTHER_SHAPE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, Refused)


Reader = Callable[Concatenate[Item, P], T]


def reads(what: str) -> Callable[[Reader[P, T]], Reader[P, T]]:
    """The decorator of everything that reads a stored item; `what` names the record in the error's sentence.

    The function that it makes raises Parked for a schema version that this code does not know, and Damaged for any other shape.
    """

    def wrap(read: Reader[P, T]) -> Reader[P, T]:
        @functools.wraps(read)
        def checked(item: Item, /, *args: P.args, **kwargs: P.kwargs) -> T:
            version = item.get("schema_version")
            if type(version) is not int:
                raise Damaged(what)
            if version != SCHEMA_VERSION:
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
    for name, kind in _declared(cls).items():
        if not _is(getattr(value, name), kind):
            raise TypeError(f"{cls.__name__}.{name} is not {kind}")
    return value


@functools.cache
def _declared(cls: Any) -> dict[str, Any]:
    hints = typing.get_type_hints(cls)
    return {name: hints[name] for name in cls.__dataclass_fields__}


def _is(value: Any, kind: Any) -> bool:
    if kind is Any:
        return True
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return any(_is(value, one) for one in inner)
    if origin is tuple:
        kinds = inner[:1] * len(value) if inner[-1] is Ellipsis else inner
        return isinstance(value, tuple) and len(kinds) == len(value) and all(map(_is, value, kinds))
    if origin is dict:
        return isinstance(value, dict) and all(_is(k, inner[0]) and _is(v, inner[1]) for k, v in value.items())
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool | Enum)
    return isinstance(value, type(None) if kind is None else kind)
