"""The action sentence: built by us from the stored arguments with the tool's own pattern, never by the model."""

from __future__ import annotations

import string
from typing import Any

from placet.model.canonical import exact_text
from placet.policy.rules import Tool
from placet.service.views import Headline


def headline(tool: Tool, arguments: dict[str, Any]) -> Headline:
    """`Refund {amount} for order {order_id}` with the values set apart; without a usable pattern: name and number of arguments."""
    parts: list[tuple[str, bool]] = []
    for literal, field, _, _ in string.Formatter().parse(tool.sentence):
        if literal:
            parts.append((literal, False))
        if field is None:
            continue
        if field not in arguments:
            return _plain(tool.name, arguments)
        parts.append((value_text(arguments[field]), True))
    return Headline(tuple(parts)) if parts else _plain(tool.name, arguments)


def value_text(value: Any) -> str:
    """One argument as a reader writes it: text without quotes, everything else as exact JSON."""
    return value if isinstance(value, str) and type(value) is str else exact_text(value)


def _plain(name: str, arguments: dict[str, Any]) -> Headline:
    count = len(arguments)
    return Headline(((name, True), (f" with {count} argument{'' if count == 1 else 's'}", False)))
