"""The arguments of a call as a reviewer reads them: typed, whole, with the raw form beside a formatted one.

Nothing is shortened. What does not fit at a glance goes into a box that scrolls, and a box has to be ticked as read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from placet.model.canonical import Lexeme, exact_text
from placet.service.views import CallView
from placet.web import marks, words

LONG_CHARACTERS, LONG_LINES, LONG_ENTRIES = 600, 12, 50
_SHORT_CHARACTERS = 20  # a text up to here is seen at a glance: its length is not said


@dataclass(frozen=True)
class Argument:
    """One argument ready for a page.

    Attributes:
        number: 1, 2, … in the order of the call; part of the anchors and of the tick's field name.
        kind: type and size in words.
        text: what is read; `raw`: the exact form, empty when it does not differ.
        entries: the texts of a flat list, else None.
        boxed: too long for a glance: shown in a box, and accepting asks for the tick `read-<number>`.
        hidden, alike: counts over the name and the exact value.
    """

    number: int
    name: str
    kind: str
    text: str
    raw: str
    entries: tuple[str, ...] | None
    boxed: bool
    hidden: int
    alike: int


def arguments_of(call: CallView) -> tuple[Argument, ...]:
    """Every argument of a call, in the order in which the agent wrote them."""
    schema = call.schema or {}
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    known = properties if isinstance(properties, Mapping) else {}
    return tuple(
        _argument(number, name, value, known.get(name))
        for number, (name, value) in enumerate(call.arguments.items(), 1)
    )


def must_read(call: CallView) -> tuple[Argument, ...]:
    """The arguments that have to be ticked as read before the call can be accepted."""
    return tuple(argument for argument in arguments_of(call) if argument.boxed)


def findings(call: CallView, read: tuple[Argument, ...] | None = None) -> tuple[int, int]:
    """Hidden and look-alike characters in the tool's name and its arguments together; `read` if they were read already."""
    found = [(argument.hidden, argument.alike) for argument in (arguments_of(call) if read is None else read)]
    found.append(_counts_of_line(call.tool))
    return sum(hidden for hidden, _ in found), sum(alike for _, alike in found)


def laid_out(value: Any, indent: int = 0) -> str:
    """The exact JSON text of a parsed value over several lines: same numbers, same order, only white space is added."""
    step, pad = " " * (indent + 2), " " * indent
    if isinstance(value, dict) and value:
        inner = ",\n".join(f"{step}{exact_text(key)}: {laid_out(item, indent + 2)}" for key, item in value.items())
        return f"{{\n{inner}\n{pad}}}"
    if isinstance(value, list) and value:
        inner = ",\n".join(f"{step}{laid_out(item, indent + 2)}" for item in value)
        return f"[\n{inner}\n{pad}]"
    return exact_text(value)


def size(text: str) -> str:
    """`164 characters, 1 line`."""
    return f"{words.many(len(text), 'character')}, {words.many(text.count(chr(10)) + 1, 'line')}"


def is_long(text: str) -> bool:
    """Whether a text goes into a box."""
    return len(text) > LONG_CHARACTERS or text.count("\n") >= LONG_LINES


def is_number(text: str) -> bool:
    """Whether a text reads as a plain decimal."""
    return text.lstrip("-").replace(".", "", 1).isdigit() and text.isascii()


def _argument(number: int, name: str, value: Any, schema: Any) -> Argument:
    kind, text, raw, entries = _read(value)
    choices = schema.get("enum") if isinstance(schema, Mapping) else None
    if isinstance(choices, list) and not isinstance(value, dict | list):
        kind = f"one of {len(choices)}"
    hidden, alike = _counts_of(value)
    name_hidden, name_alike = _counts_of_line(name)
    boxed = is_long(text) or (entries is not None and len(entries) > LONG_ENTRIES)
    return Argument(number, name, kind, text, raw, entries, boxed, hidden + name_hidden, alike + name_alike)


def _read(value: Any) -> tuple[str, str, str, tuple[str, ...] | None]:
    """Kind, text, raw form and entries of a value."""
    if isinstance(value, bool):
        return "yes or no", "yes" if value else "no", "true" if value else "false", None
    if value is None:
        return "nothing", "nothing", "null", None
    if isinstance(value, int | Lexeme):
        written = str(value)
        formatted = words.number(written)
        return "number", formatted, written if formatted != written else "", None
    if isinstance(value, str):
        return _text_kind(value), value, "", None
    if isinstance(value, list) and value and not any(isinstance(item, dict | list) for item in value):
        entries = tuple(item if type(item) is str else exact_text(item) for item in value)
        mixed = "" if all(type(item) is str for item in value) else exact_text(value)
        return f"list, {len(value)} of {len(value)} shown", "\n".join(entries), mixed, entries
    return _nested_kind(value), laid_out(value), "", None


def _text_kind(text: str) -> str:
    if not text:
        return "text, empty"
    if text != text.strip():
        return f"text, {words.many(len(text), 'character')}, with space at its edge"
    if len(text) <= _SHORT_CHARACTERS and "\n" not in text:
        return "text"
    lines = text.count("\n") + 1
    return f"text, {words.many(len(text), 'character')}" + (f", {lines} lines" if lines > 1 else "")


def _nested_kind(value: Any) -> str:
    if isinstance(value, dict):
        return f"group of {words.many(len(value), 'value')}"
    return f"list, {words.many(len(value), 'entry', 'entries')}" if value else "list, empty"


def _counts_of(value: Any) -> tuple[int, int]:
    """Looks at the parsed texts, not at the exact one: JSON writes control characters as escapes."""
    if isinstance(value, dict):
        found = [pair for key, item in value.items() for pair in (_counts_of(key), _counts_of(item))]
    elif isinstance(value, list):
        found = [_counts_of(item) for item in value]
    else:
        return marks.counts(value) if isinstance(value, str) else (0, 0)
    return sum(hidden for hidden, _ in found), sum(alike for _, alike in found)


def _counts_of_line(text: str) -> tuple[int, int]:
    hidden, alike = marks.counts(text)
    return hidden + text.count("\n"), alike


def exact_for_reading(text: str) -> str:
    """The exact text with hidden and look-alike characters as escapes: the same JSON, nothing unseen."""
    return marks.escapes(text)


def editable(value: dict[str, Any]) -> str:
    """What the edit field starts with. A field cannot frame a character, so hidden ones stand as JSON escapes."""
    return marks.escapes(laid_out(value))
