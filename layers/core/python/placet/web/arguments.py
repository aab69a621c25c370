"""The arguments of a call as a reviewer reads them: typed, whole, with the raw form beside a formatted one.

Nothing is shortened. What does not fit at a glance goes into a box that scrolls, and a box has to be ticked as read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from placet.model import numerals
from placet.model.canonical import Lexeme, exact_text
from placet.service.views import CallView
from placet.web import numbers, phrases, visible_text
from placet.web.visible_text import Counts

LONG_CHARACTERS, LONG_LINES, LONG_ENTRIES = 600, 12, 50
_MOST_ENTRIES = 1_000  # a longer list is laid out as JSON: one element of the page for each could outgrow its answer
MOST_ROWS = 500  # arguments of a call, for the same reason
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
        nested: whether `text` is JSON, laid out over several lines.
        marked: what is marked in the name and the exact value.
        grouped: of a number that elsewhere would be thousands: `between 1 and 2`; else empty.
    """

    number: int
    name: str
    kind: str
    text: str
    raw: str
    entries: tuple[str, ...] | None
    boxed: bool
    nested: bool
    marked: Counts
    grouped: str = ""


def arguments_of(call: CallView) -> tuple[Argument, ...]:
    """Every argument of a call, in the order in which the agent wrote them; of more than MOST_ROWS one text that has them all."""
    if len(call.arguments) > MOST_ROWS:
        return (_all_at_once(call.arguments),)
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


def findings(call: CallView, read: tuple[Argument, ...] | None = None) -> Counts:
    """What is marked in the tool's name and its arguments together; `read` if they were read already."""
    found = [argument.marked for argument in (arguments_of(call) if read is None else read)]
    return _sum([*found, _counts_of_line(call.tool)])


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
    return f"{phrases.many(len(text), 'character')}, {phrases.many(text.count(chr(10)) + 1, 'line')}"


def is_long(text: str) -> bool:
    """Whether a text goes into a box."""
    return len(text) > LONG_CHARACTERS or text.count("\n") >= LONG_LINES


def is_number(text: str) -> bool:
    """Whether a text reads as a plain decimal."""
    return text.lstrip("-").replace(".", "", 1).isdigit() and text.isascii()


def _all_at_once(arguments: dict[str, Any]) -> Argument:
    text, kind = laid_out(arguments), f"{phrases.many(len(arguments), 'argument')} in one text"
    return Argument(1, "every argument", kind, text, "", None, boxed=True, nested=True, marked=marked_in(arguments))


def _argument(number: int, name: str, value: Any, schema: Any) -> Argument:
    kind, text, raw, entries = _read(value)
    choices = schema.get("enum") if isinstance(schema, Mapping) else None
    if isinstance(choices, list) and not isinstance(value, dict | list):
        kind = f"one of {len(choices)}"
    nested = entries is None and isinstance(value, dict | list)
    marked = marked_in(value).plus(_counts_of_line(name))
    boxed = is_long(text) or (entries is not None and len(entries) > LONG_ENTRIES)
    is_grouped = isinstance(value, Lexeme) and numbers.looks_grouped(value)
    grouped = numbers.between(value) if is_grouped else ""
    return Argument(number, name, kind, text, raw, entries, boxed, nested, marked, grouped)


def _read(value: Any) -> tuple[str, str, str, tuple[str, ...] | None]:
    """Kind, text, raw form and entries of a value."""
    if isinstance(value, bool):
        return "yes or no", "yes" if value else "no", "true" if value else "false", None
    if value is None:
        return "nothing", "nothing", "null", None
    if isinstance(value, int | Lexeme):
        written = str(value)
        formatted = numerals.reading(written)
        return "number", formatted, written if formatted != written else "", None
    if isinstance(value, str):
        return _text_kind(value), value, "", None
    if isinstance(value, list) and 0 < len(value) <= _MOST_ENTRIES and not any(map(_is_nested, value)):
        entries = tuple(item if type(item) is str else exact_text(item) for item in value)
        mixed = "" if all(type(item) is str for item in value) else exact_text(value)
        return f"list, {len(value)} of {len(value)} shown", "\n".join(entries), mixed, entries
    return _nested_kind(value), laid_out(value), "", None


def _text_kind(text: str) -> str:
    if not text:
        return "text, empty"
    if text != text.strip():
        return f"text, {phrases.many(len(text), 'character')}, with space at its edge"
    if len(text) <= _SHORT_CHARACTERS and "\n" not in text:
        return "text"
    lines = text.count("\n") + 1
    return f"text, {phrases.many(len(text), 'character')}" + (f", {lines} lines" if lines > 1 else "")


def _nested_kind(value: Any) -> str:
    if isinstance(value, dict):
        return f"group of {phrases.many(len(value), 'value')}"
    return f"list, {phrases.many(len(value), 'entry', 'entries')}" if value else "list, empty"


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict | list)


def marked_in(value: Any) -> Counts:
    """What is marked in the texts of a parsed value: JSON would write some of it as escapes."""
    if isinstance(value, dict):
        return _sum(one for key, item in value.items() for one in (marked_in(key), marked_in(item)))
    if isinstance(value, list):
        return _sum(map(marked_in, value))
    return visible_text.counts(value) if isinstance(value, str) else Counts()


def _counts_of_line(text: str) -> Counts:
    return visible_text.counts(text).plus(Counts(hidden=text.count("\n")))


def _sum(found: Iterable[Counts]) -> Counts:
    hidden, alike, turned = 0, 0, 0
    for one in found:
        hidden, alike, turned = hidden + one.hidden, alike + one.alike, turned + one.turned
    return Counts(hidden, alike, turned)


def is_clean(text: str) -> bool:
    """Whether a page may say of a text that it hides nothing."""
    return visible_text.is_clean(text)


def exact_for_reading(text: str) -> str:
    """The exact text with everything that is marked as escapes: the same JSON, nothing unseen."""
    return visible_text.escapes(text)


def editable(value: dict[str, Any]) -> str:
    """What the edit field starts with. A field cannot frame a character, so hidden ones stand as JSON escapes."""
    return visible_text.escapes(laid_out(value))
