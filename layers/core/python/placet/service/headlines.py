"""The action sentence: built by us from the stored arguments with the tool's own pattern, never by the model."""

from __future__ import annotations

import string
from typing import Any

from placet.model.canonical import Lexeme, exact_text
from placet.model.numerals import reading_exactly
from placet.policy.rules import Tool
from placet.service.views import Headline

LONGEST = 80  # characters of a value inside the sentence; a longer one is named


def headline(tool: Tool, arguments: dict[str, Any], elsewhere: str = "below") -> Headline:
    """`Refund {amount} for order {order_id}` with the values set apart; without a usable pattern: name and number of arguments.

    A long value would push everything else out of sight, and who proposes it chooses its length: it is named, with where it
    stands whole.
    """
    parts: list[tuple[str, bool]] = []
    for literal, field, _, _ in string.Formatter().parse(tool.sentence):
        if literal:
            parts.append((literal, False))
        if field is None:
            continue
        if field not in arguments:
            return _plain(tool.name, arguments, elsewhere)
        parts.append(_part(field, _shown(arguments[field]), elsewhere))
    return Headline(tuple(parts)) if parts else _plain(tool.name, arguments, elsewhere)


def value_text(value: Any) -> str:
    """One argument as a reader writes it: text without quotes, everything else as exact JSON."""
    return value if isinstance(value, str) and type(value) is str else exact_text(value)


def _shown(value: Any) -> str:
    """A value in a sentence: a number as it is read everywhere, and as it is written where that is more than its groups."""
    is_number = isinstance(value, int | Lexeme) and not isinstance(value, bool)
    return reading_exactly(exact_text(value)) if is_number else value_text(value)


def _part(name: str, value: str, elsewhere: str) -> tuple[str, bool]:
    """A value, or its name and length in our words."""
    return (value, True) if len(value) <= LONGEST else (f"[{name}: {len(value):,} characters, {elsewhere}]", False)


def _plain(name: str, arguments: dict[str, Any], elsewhere: str) -> Headline:
    count = len(arguments)
    return Headline((_part("tool", name, elsewhere), (f" with {count} argument{'' if count == 1 else 's'}", False)))
