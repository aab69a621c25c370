"""Bedrock writes every value of a call as text beside a declared type; read here only where there is one reading.

The rules are the gateway's (it decodes once, at capture, and that is what people see), written a second time because the SDK
ships alone; tests/frameworks/bedrock holds both to the same digests. What is read here and not there has no digest to match.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from placet.client.errors import NotExact
from placet.client.exact import Written, digest_of, to_text

INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})\Z", re.ASCII)
NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?\Z", re.ASCII)
BOOLEANS = {"true": True, "false": False}
NESTED = {"array": list, "object": dict}


def digest_in(parameters: list[Any], properties: list[Any] | None = None) -> str:
    """The digest of the arguments in lists of {name, type, value}, of the parameters and of a body's properties.

    A name that is in both, with equal values, is one argument; else its values stand under names that say their place.

    Raises NotExact when a value has no certain reading (an integer `5e3`, a boolean `yes`, an array that is not JSON) or a name
    is given twice.
    """
    arguments: dict[str, Any] = {}
    names: set[str] = set()
    for name, declared, value in _named(parameters, properties or []):
        if name in names:
            raise NotExact(f"{name} is given twice.")
        names.add(name)
        if value is not None:  # without a value it is not given
            arguments[name] = _value(name, declared, value)
    try:
        return digest_of(to_text(arguments))
    except RecursionError:
        raise NotExact("The arguments are nested too deep.") from None


def _named(parameters: list[Any], properties: list[Any]) -> Iterator[tuple[str, str, str | None]]:
    """Each argument with its name among all."""
    given, body = [_parts(one) for one in parameters], [_parts(one) for one in properties]
    both = {name for name, *_ in given} & {name for name, *_ in body}
    equal = {name for name in both if _is_one([one for one in (*given, *body) if one[0] == name])}
    yield from ((f"parameters.{one[0]}" if one[0] in both - equal else one[0], *one[1:]) for one in given)
    left = (one for one in body if one[0] not in equal)
    yield from ((f"requestBody.{one[0]}" if one[0] in both else one[0], *one[1:]) for one in left)


def _is_one(found: list[tuple[str, str, str | None]]) -> bool:
    """Whether what stands under one name in both places is one value."""
    return len(found) == 2 and found[0] == found[1]


def _parts(one: Any) -> tuple[str, str, str | None]:
    name, declared, value = (one.get("name"), one.get("type"), one.get("value")) if isinstance(one, dict) else ("",) * 3
    if not isinstance(name, str) or not name or not isinstance(declared, str) or not isinstance(value, str | None):
        raise NotExact("A parameter must have a name and a type, and its value must be text.")
    return name, declared, value


def _value(name: str, declared: str, text: str) -> Any:
    if declared == "string":
        return text
    if declared == "boolean" and text in BOOLEANS:
        return BOOLEANS[text]
    if (declared == "integer" and INTEGER.match(text)) or (declared == "number" and NUMBER.match(text)):
        return Written(text) if "." in text or text == "-0" else int(text)
    if declared in NESTED:
        return _nested(name, declared, text)
    raise NotExact(f"{name}: the text is no plain {declared}.")


def _nested(name: str, declared: str, text: str) -> Any:
    try:
        found = json.loads(
            text, parse_float=Written, parse_int=_integer, parse_constant=_constant, object_pairs_hook=_object
        )
    except (ValueError, RecursionError):
        raise NotExact(f"{name}: the text is no JSON {declared}.") from None
    if not isinstance(found, NESTED[declared]):
        raise NotExact(f"{name}: the text is no JSON {declared}.")
    return found


def _integer(text: str) -> Any:
    return Written(text) if text == "-0" else int(text)


def _constant(name: str) -> Any:
    raise ValueError(name)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("the same key twice")
    return found
