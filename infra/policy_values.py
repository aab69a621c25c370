"""What a loaded policy defines, value by value: two loads that agree in every line are the same rules.

Read by the synth, and by the clean process of infra/policy_clean.py: so it imports nothing but the standard library.
"""

from __future__ import annotations

import dataclasses
import enum
import sys
import types
from collections.abc import Iterator, Mapping, Set
from hashlib import sha256
from typing import Any

_LONGEST = 200  # characters of a value that are said


def lines(value: Any) -> list[tuple[str, str]]:
    """(where, what) of everything that is reached from a value, in an order that is the same for equal values."""
    return list(_lines(value, "", set()))


def difference(here: list[tuple[str, str]], there: list[tuple[str, str]]) -> str:
    """Where two first differ, and how; empty when they do not."""
    for one, other in zip(here, there, strict=False):
        if one != other:
            return f"{one[0] or 'POLICY'} is {one[1]} here and {other[1]} there" if one[0] == other[0] else one[0]
    return "" if len(here) == len(there) else max(here, there, key=len)[min(len(here), len(there))][0]


def _lines(value: Any, where: str, seen: set[int]) -> Iterator[tuple[str, str]]:
    if isinstance(value, types.FunctionType | type | types.MethodType) or _is_own(value):
        if id(value) in seen:
            yield where, "again"
            return
        seen.add(id(value))
    if isinstance(value, enum.Enum) or not isinstance(value, Mapping | Set | list | tuple | types.FunctionType | type):
        yield where, _plain(value)
    for name, one in _parts(value):
        yield from _lines(one, f"{where}.{name}" if where else name, seen)


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """What a value is made of, by name."""
    if isinstance(value, enum.Enum):
        return
    if isinstance(value, Mapping):
        yield "size", len(value)
        yield from sorted(((str(name), one) for name, one in value.items()), key=lambda pair: pair[0])
    elif isinstance(value, Set):
        yield "size", len(value)
        yield from ((str(number), one) for number, one in enumerate(sorted(value, key=_plain)))
    elif isinstance(value, list | tuple):
        yield "size", len(value)
        yield from ((str(number), one) for number, one in enumerate(value))
    elif isinstance(value, types.FunctionType):
        yield from _function(value)
    elif isinstance(value, types.MethodType):
        yield "of", value.__self__
        yield "function", value.__func__
    elif isinstance(value, type):
        yield "name", value.__qualname__
        if _is_loaded(value):
            inner = {name: one for name, one in vars(value).items() if not name.startswith("__") or name == "__call__"}
            yield from sorted((name, _bare(one)) for name, one in inner.items())
    elif _is_own(value):
        yield "made_of", type(value)
        names = (
            [one.name for one in dataclasses.fields(value)]
            if dataclasses.is_dataclass(value)
            else sorted(getattr(value, "__dict__", {}))
        )
        yield from ((name, getattr(value, name, None)) for name in names)


def _function(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    yield "name", function.__qualname__
    if not _is_loaded(function):
        return
    yield "defaults", function.__defaults__ or ()
    yield "keywords", function.__kwdefaults__ or {}
    yield "closed", tuple(cell.cell_contents for cell in function.__closure__ or ())
    for name in sorted(_names(function.__code__)):
        if name in function.__globals__:
            yield name, function.__globals__[name]


def _names(code: types.CodeType) -> set[str]:
    """What a function and those within it read from their module."""
    inner = [one for one in code.co_consts if isinstance(one, types.CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def _bare(value: Any) -> Any:
    if isinstance(value, staticmethod | classmethod):
        return value.__func__
    return value.fget if isinstance(value, property) else value


def _is_loaded(value: Any) -> bool:
    """Whether it is of the policy's own files, and not of a package that is deployed as it is."""
    module = str(getattr(value, "__module__", "") or "").partition(".")[0]
    return module not in ("placet", "builtins") and not _is_installed(module)


def _is_installed(module: str) -> bool:
    file = str(getattr(sys.modules.get(module), "__file__", "") or "")
    return module in sys.stdlib_module_names or "site-packages" in file


def _is_own(value: Any) -> bool:
    """Whether it is an instance of a class of the policy's, or of Placet's."""
    return not isinstance(value, type | enum.Enum | types.FunctionType | types.MethodType | types.ModuleType) and (
        type(value).__module__.partition(".")[0] == "placet" or _is_loaded(type(value))
    )


def _plain(value: Any) -> str:
    """A value in words that hold no address of this process."""
    if isinstance(value, types.ModuleType):
        return f"module {value.__name__}"
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if _is_own(value):
        return type(value).__qualname__
    said = repr(value)
    if " at 0x" in said:
        return type(value).__qualname__
    # The whole of a long one counts, and only its beginning is said.
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST]}… ({sha256(said.encode()).hexdigest()[:12]})"
