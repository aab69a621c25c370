"""Bedrock writes every value as text beside a declared type. Decoded once, at capture, and only where there is one reading.

Executors disagree about the same text (a boolean `"false"` is True for some), so what runs is what was decoded here and shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from placet.model.argument_places import BODY, PARAMETERS, name_at
from placet.model.canonical import Lexeme, is_text, parse
from placet.model.errors import Invalid, TooLarge

INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})\Z", re.ASCII)
NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?\Z", re.ASCII)
BOOLEANS = {"true": True, "false": False}
TYPES = ("string", "integer", "number", "boolean", "array", "object")


@dataclass(frozen=True)
class Decoded:
    """The arguments of one call.

    Attributes:
        arguments: values by name; one that has no certain reading is kept as the text it came as.
        types: the declared JSON type by name, of those that were read.
        unreadable: (name, why) of those that were not.
        absent: the declared type by name of those that came without a value, as the service's model allows: they are not given.
        places: by name where an operation takes it: (`parameters` or `requestBody`, its name there), in both when it is one value.
    """

    arguments: dict[str, Any]
    types: dict[str, str]
    unreadable: tuple[tuple[str, str], ...]
    absent: dict[str, str] = field(default_factory=dict)
    places: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)


def decode(parameters: list[Any], properties: list[Any] | None = None) -> Decoded:
    """The values of lists of {name, type, value}: the parameters, and the properties of a body.

    A name that is in both, with equal values, is one argument; with others it is two, whose names say their place.
    Raises Invalid `native_invalid` for another shape.
    """
    arguments: dict[str, Any] = {}
    types: dict[str, str] = {}
    unreadable: list[tuple[str, str]] = []
    absent: dict[str, str] = {}
    places: dict[str, tuple[tuple[str, str], ...]] = {}
    for name, declared, value, at in _named(parameters, properties or []):
        if name in places:
            unreadable.append((name, "It is given twice."))
            continue
        places[name] = at
        if value is None:
            absent[name] = declared
            continue
        try:
            arguments[name] = _value(declared, value)
            types[name] = declared
        except ValueError as error:
            arguments[name] = value
            unreadable.append((name, str(error)))
    return Decoded(arguments, types, tuple(unreadable), absent, places)


def schema_of(decoded: Decoded) -> dict[str, Any] | None:
    """What an edit has to keep: the names and the declared types; what was not given it may give. None where that is not known."""
    if decoded.unreadable:
        return None
    given_later = {name: declared for name, declared in decoded.absent.items() if declared in TYPES}
    return {
        "type": "object",
        "properties": {name: {"type": declared} for name, declared in (decoded.types | given_later).items()},
        "required": sorted(decoded.types),
        "additionalProperties": False,
    }


def _named(
    parameters: list[Any], properties: list[Any]
) -> Iterator[tuple[str, str, str | None, tuple[tuple[str, str], ...]]]:
    """Each argument: its name among all, type, value, and where it stands."""
    given = {PARAMETERS: [_parts(one) for one in parameters], BODY: [_parts(one) for one in properties]}
    by_name = {place: _by_name(parts) for place, parts in given.items()}
    for place, parts in given.items():
        other = by_name[BODY if place == PARAMETERS else PARAMETERS]
        for name, declared, value in parts:
            if name not in other:
                yield name, declared, value, ((place, name),)
            elif by_name[place][name] != other[name] or len(other[name]) > 1:
                yield name_at(place, name), declared, value, ((place, name),)
            elif place == PARAMETERS:
                yield name, declared, value, ((PARAMETERS, name), (BODY, name))


def _by_name(parts: list[tuple[str, str, str | None]]) -> dict[str, list[tuple[str, str | None]]]:
    found: dict[str, list[tuple[str, str | None]]] = {}
    for name, declared, value in parts:
        found.setdefault(name, []).append((declared, value))
    return found


def _parts(one: Any) -> tuple[str, str, str | None]:
    parts = (one.get("name"), one.get("type", ""), one.get("value")) if isinstance(one, dict) else ("", "", "")
    name, declared, value = parts
    if not name or not is_text(name) or not is_text(declared) or not (value is None or is_text(value)):
        need = "A parameter must have a name, and its type and its value must be text."
        raise Invalid("native_invalid", need, field="parameters")
    return name, declared, value


def _value(declared: str, text: str) -> Any:
    """Raises ValueError with a sentence for people."""
    if declared == "string":
        return text
    if declared == "integer" and INTEGER.match(text):
        return _number(text)
    if declared == "number" and NUMBER.match(text):
        return _number(text)
    if declared == "boolean" and text in BOOLEANS:
        return BOOLEANS[text]
    if declared in ("array", "object"):
        return _nested(declared, text)
    if declared not in TYPES:
        raise ValueError(f"Its type {declared!r} is not known.")
    raise ValueError(f"The text is no plain {declared}.")


def _number(text: str) -> int | Lexeme:
    return Lexeme(text) if "." in text or text == "-0" else int(text)


def _nested(declared: str, text: str) -> Any:
    try:
        found = parse(text)
    except (Invalid, TooLarge):
        raise ValueError(f"The text is no JSON {declared}.") from None
    if not isinstance(found, list if declared == "array" else dict):
        raise ValueError(f"The text is no JSON {declared}.")
    return found
