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
# What the engine that reads most says, by how it begins, in our words.
_NO_PATTERN = {
    "unknown property": "it names a property of characters that is not known",
    "invalid group reference": "it refers to a group that it does not have",
    "unknown group": "it refers to a group that it does not have",
    "unterminated character set": "a class is opened with [ and not closed",
    "missing )": "a group is opened with ( and not closed",
    "unbalanced parenthesis": "a group is closed with ) that was not opened",
    "nothing to repeat": "there is nothing that *, +, ? or {} could repeat",
    "multiple repeat": "there is nothing that *, +, ? or {} could repeat",
    "bad character range": "a range in a class ends before it begins",
    "min repeat greater": "a count in {} ends before it begins",
    "repeat count too big": "a count in {} is too large",
    "bad escape": "\\ stands before a sign that it says nothing of",
    "incomplete escape": "\\x or \\u stands before too few digits",
    "undefined character name": "\\N names no character",
    "bad character in group name": "a group has a name that is none",
}
_FITS_NONE = "fits none of the {count} forms of {keyword}"


def place(path: Iterable[Any], start: str = "") -> str:
    """Where: the names and positions on the way, each shortened; behind a start, as a JSON pointer writes them."""
    names = [str(one) for one in path]
    if start:
        names = [one.replace("~", "~0").replace("/", "~1") for one in names]
    found = start + "/".join(_cut(one, LONGEST_NAME) for one in names)
    return _cut(found, LONGEST_PLACE) or "(arguments)"


def problem(error: Any) -> str:
    """What is wrong there, of the library's error, whose own text is not read."""
    keyword, limit = error.validator, error.validator_value
    if error.context:
        inner, deepest = nearest(error)
        says = _FITS_NONE.format(count=len(limit), keyword=keyword)
        return f"{says}; in the nearest one {place(inner) if inner else 'it'} {problem(deepest)}"
    if keyword in ("maximum", "minimum") and error.schema.get(f"exclusive{keyword.capitalize()}") is True:
        return f"has to be {'under' if keyword == 'maximum' else 'over'} {keyword} {shortened(limit)}"
    if keyword == "type":
        return f"is not of type {' or '.join([limit] if isinstance(limit, str) else limit)}"
    says = _SAYS.get(keyword, "breaks the rule {keyword}")
    return says.format(keyword=keyword, limit=shortened(limit), name=_cut(json.dumps(error.message), LONGEST_NAME))


def why_of(message: str) -> str:
    """Why a text is no regular expression, of what the engine says, which is never repeated; empty when it says nothing known."""
    return next((ours for begins, ours in _NO_PATTERN.items() if message.startswith(begins)), "")


def no_pattern(pattern: str, why: str) -> str:
    """What is said of a pattern that is not taken."""
    return f"is the pattern {shortened(pattern)}, which is not taken: {why}"


def pattern_at(rules: Any, pattern: str) -> str:
    """Where a schema has a pattern, as a JSON pointer; empty when it does not, so that it is a value of the arguments."""
    waiting: list[tuple[Any, tuple[Any, ...]]] = [(rules, ())]
    for part, path in waiting:  # which grows
        if isinstance(part, dict):
            if part.get("pattern") == pattern:
                return place((*path, "pattern"), "#/")
            if isinstance(part.get("patternProperties"), dict) and pattern in part["patternProperties"]:
                return place((*path, "patternProperties", pattern), "#/")
        inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        waiting += [(one, (*path, name)) for name, one in inner if isinstance(one, dict | list)]
    return ""


def nearest(error: Any) -> tuple[list[Any], Any]:
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
