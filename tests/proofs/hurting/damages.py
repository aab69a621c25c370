"""Ways to hurt a stored item. Each makes another item of it, or none; the keys stay what DynamoDB lets them be."""

from __future__ import annotations

import copy
from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import Any

Item = dict[str, Any]
Damage = Callable[[Item], Item | None]
KEYS = frozenset(
    {"pk", "sk", "wpk", "wsk", "fpk"}
)  # of the table and its indexes: of these types, or not stored at all
DEEP = "[" * 5_000 + "]" * 5_000


def _each(change: Callable[[Any], Any], kinds: type | tuple[type, ...]) -> Damage:
    """Every attribute of these types is another value."""

    def hurt(item: Item) -> Item:
        return {name: change(one) if name not in KEYS and isinstance(one, kinds) else one for name, one in item.items()}

    return hurt


def _version_3(item: Item) -> Item:
    """As a later release may write it: every name another one, maps as lists."""
    moved = {f"{name}_3": list(one.items()) if isinstance(one, dict) else one for name, one in item.items()}
    return {name: item[name] for name in (*KEYS, "kind") if name in item} | moved | {"schema_version": 3}


def _set(**changes: Any) -> Damage:
    return lambda item: item | changes


def _text(text: str) -> Damage:
    """Another text in the item itself, wherever it was."""
    return lambda item: _bare(item) | {"content": text}


def _moved(place: Any) -> Damage:
    """The text is not in the item, and not where that says it is."""
    return lambda item: _bare(item) | {"place": place, "sha256": "0" * 64}


def _bare(item: Item) -> Item:
    """An item without its text, as one that is not packed."""
    places = ("content", "packed", "place", "sha256")
    return {name: one for name, one in item.items() if name not in places} | {"schema_version": 1}


ALWAYS: dict[str, Damage] = {
    "gone": lambda item: None,
    "version 3": _set(schema_version=3),
    "version 3, another shape": _version_3,
    "version as text": _set(schema_version="1"),
    "no version": lambda item: {name: one for name, one in item.items() if name != "schema_version"},
    "keys only": lambda item: {name: one for name, one in item.items() if name in KEYS},
    "numbers for texts": _each(lambda text: 7, str),
    "texts for numbers": _each(str, (int, bool)),
    "truths for numbers": _each(lambda number: True, int),
    "fractions for numbers": _each(lambda number: Decimal("1.5"), int),
    "lists for maps": _each(lambda one: list(one.items()), dict),
    "texts for maps and lists": _each(str, (dict, list)),
    "nothing for everything": _each(lambda one: None, (str, int, dict, list, bool)),
    "empty": _each(lambda one: type(one)(), (str, dict, list)),
}
TEXTS: dict[str, Damage] = {
    "no JSON": _text("{"),
    "another JSON": _text('{"calls":[],"schemas":{}}'),
    "a list": _text("[]"),
    "other arguments": lambda item: item | {"content": str(item.get("content", "{}")).replace("240.5", "9.5")},
    "too deep": _text(DEEP),
    "far too deep": _text("[" * 300_000),
    "nowhere": _moved("main/nowhere"),
    "a place that is a number": _moved(5),
}
BUCKET: dict[str, Callable[[str], str | None]] = {
    "gone or denied": lambda text: None,
    "empty": lambda text: "",
    "cut off": lambda text: text[: len(text) // 2],
    "another text": lambda text: text.replace("contacts", "accounts"),
    "no JSON": lambda text: "{",
    "too deep": lambda text: DEEP,
    "no UTF-8": lambda text: "\ufffd" + text,
}


def one_by_one(item: Item, draw: Random, most: int) -> dict[str, Damage]:
    """Attributes that are missing or of another type, one at a time, and the same inside of each call."""
    found: dict[str, Damage] = {}
    for name in sorted(item.keys() - KEYS):
        found[f"without {name}"] = lambda one, name=name: {k: v for k, v in one.items() if k != name}  # type: ignore[misc]
        found[f"{name} of another type"] = lambda one, name=name: one | {name: _other(one[name])}  # type: ignore[misc]
    for name in sorted(item.get("calls", {}).get("1", {})) if isinstance(item.get("calls"), dict) else ():
        found[f"a call without {name}"] = lambda one, name=name: _in_call(one, name, None)  # type: ignore[misc]
        found[f"a call's {name} of another type"] = lambda one, name=name: _in_call(one, name, _other)  # type: ignore[misc]
    names = sorted(found)
    return {name: found[name] for name in draw.sample(names, min(most, len(names)))}


def _other(value: Any) -> Any:
    return 7 if isinstance(value, str) else "x"


def _in_call(item: Item, name: str, change: Callable[[Any], Any] | None) -> Item:
    hurt = copy.deepcopy(item)
    call = hurt["calls"]["1"]
    value = call.pop(name)
    if change is not None:
        call[name] = change(value)
    return hurt
