"""What is wrong with a value, in our words: the rule and its limit as the schema writes them, never a value itself."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

LONGEST_NAME, LONGEST_PLACE, LONGEST_LIMIT, MOST_LISTED = 60, 200, 80, 8

_SAYS = {
    "enum": "is none of {limit}",
    "const": "is not {limit}",
    "multipleOf": "is no multiple of {limit}",
    "maximum": "is over maximum {limit}",
    "minimum": "is under minimum {limit}",
    "exclusiveMaximum": "is not under exclusiveMaximum {limit}",
    "exclusiveMinimum": "is not over exclusiveMinimum {limit}",
    "maxLength": "has more characters than maxLength {limit}",
    "minLength": "has fewer characters than minLength {limit}",
    "maxItems": "has more items than maxItems {limit}",
    "minItems": "has fewer items than minItems {limit}",
    "maxProperties": "has more names than maxProperties {limit}",
    "minProperties": "has fewer names than minProperties {limit}",
    "maxContains": "has more items that fit contains than maxContains {limit}",
    "minContains": "has fewer items that fit contains than minContains {limit}",
    "contains": "has no item that fits contains",
    "items": "has more items than are allowed",
    "additionalItems": "has more items than are allowed",
    "uniqueItems": "has the same item twice",
    "pattern": "does not match the pattern {limit}",
    "format": "is not in the format {limit}",
    "required": "lacks {name}, which is required",
    "dependentRequired": "lacks {name}, which another name asks for",
    "dependencies": "lacks a name that another name asks for",
    "not": "fits what `not` rules out",
    "oneOf": "fits more than one of the forms of oneOf",
    None: "is not allowed here",
}
_FITS_NONE = "fits none of the {count} forms of {keyword}"


def place(path: Iterable[Any], start: str = "") -> str:
    """Where: the names and positions on the way, each shortened."""
    found = start + "/".join(_cut(str(one), LONGEST_NAME) for one in path)
    return _cut(found, LONGEST_PLACE) or "(arguments)"


def problem(error: Any) -> str:
    """What is wrong there, of the library's error, whose own text is not read."""
    keyword, limit = error.validator, error.validator_value
    if error.context:
        inner, nearest = _nearest(error)
        says = _FITS_NONE.format(count=len(limit), keyword=keyword)
        return f"{says}; in the nearest one {place(inner) if inner else 'it'} {problem(nearest)}"
    if keyword in ("maximum", "minimum") and error.schema.get(f"exclusive{keyword.capitalize()}") is True:
        return f"has to be {'under' if keyword == 'maximum' else 'over'} {keyword} {shortened(limit)}"
    if keyword == "type":
        return f"is not of type {' or '.join([limit] if isinstance(limit, str) else limit)}"
    says = _SAYS.get(keyword, "breaks the rule {keyword}")
    return says.format(keyword=keyword, limit=shortened(limit), name=_cut(json.dumps(error.message), LONGEST_NAME))


def _nearest(error: Any) -> tuple[list[Any], Any]:
    """Of what is wrong in each of several forms, that which is deepest in the value; and where that is, from here."""
    path: list[Any] = []
    while error.context:
        error = max(error.context, key=lambda one: len(one.relative_path))
        path += error.relative_path
    return path, error


def shortened(limit: Any) -> str:
    """A value of the schema as it writes it, cut."""
    if limit is None or isinstance(limit, bool):
        return json.dumps(limit)
    if isinstance(limit, list):
        listed = [shortened(one) for one in limit[:MOST_LISTED]]
        return _cut(", ".join(listed) + ", …" * (len(limit) > MOST_LISTED), 3 * LONGEST_LIMIT)
    if isinstance(limit, dict):
        return "the object that the schema names"
    if isinstance(limit, str):
        return _cut(json.dumps(limit[: LONGEST_LIMIT + 1], ensure_ascii=False), LONGEST_LIMIT)
    return _cut(str(limit), LONGEST_LIMIT)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
