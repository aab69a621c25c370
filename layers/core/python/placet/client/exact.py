"""Exact JSON on the agent's side: arguments out to the gateway, permitted arguments back in.

Integers keep any size and floats are written by `repr`, so that the text names exactly the value the framework holds.
Coming back, the permit's text is what is run; a tool that must not see binary fractions asks for `Decimal`.

The canonical form is the gateway's (docs/canonical-json.md), written a second time here because the SDK ships alone;
tests/frameworks holds both to the same digests.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from placet.client.errors import NotExact


class Written(str):
    """A JSON number as it was written."""

    __slots__ = ()


def to_text(value: Any) -> str:
    """The compact JSON text of a Python value. Raises NotExact for NaN, Infinity and types JSON does not have."""
    text = _write(value, "", sort=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise NotExact("A text holds half of a surrogate pair.") from None
    return text


def arguments_of(text: str, *, decimals: bool = False) -> dict[str, Any]:
    """The arguments of a permit as Python values; fractions as float, or as Decimal with `decimals`."""
    value = json.loads(text, parse_float=Decimal if decimals else float)
    if not isinstance(value, dict):
        raise NotExact("The arguments of a call are not an object.")
    return value


def digest_of(text: str) -> str:
    """SHA-256 of the canonical form of a JSON text: keys sorted, no white space, numbers as they are written."""
    try:
        value = json.loads(text, parse_float=Written, parse_int=_integer)
    except ValueError:
        raise NotExact("The text is not JSON.") from None
    return hashlib.sha256(_write(value, "", sort=True).encode()).hexdigest()


def _write(value: Any, at: str, *, sort: bool) -> str:
    if value is None or (isinstance(value, bool | str) and not isinstance(value, Written)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Written):
        return str(value)
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float | Decimal):
        return _fraction(value, at)
    if isinstance(value, Mapping):
        items = sorted(value.items()) if sort else value.items()
        return "{" + ",".join(f"{_key(key, at)}:{_write(item, f'{at}/{key}', sort=sort)}" for key, item in items) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(_write(item, f"{at}/{n}", sort=sort) for n, item in enumerate(value)) + "]"
    raise NotExact(f"{_place(at)}JSON has no {type(value).__name__}. Write it as a text or a number.")


def _place(at: str) -> str:
    return f"{at}: " if at else ""


def _fraction(value: float | Decimal, at: str) -> str:
    if not math.isfinite(value):
        raise NotExact(f"{_place(at)}NaN and Infinity are not JSON.")
    return repr(float(value)) if isinstance(value, float) else str(value)


def _key(key: Any, at: str) -> str:
    if not isinstance(key, str):
        raise NotExact(f"{_place(at)}JSON names members by text only, and {key!r} is a {type(key).__name__}.")
    return json.dumps(key, ensure_ascii=False)


def _integer(text: str) -> Any:
    return Written(text) if text == "-0" else int(text)
