"""A second reader of JSON, from RFC 8259 and docs/canonical-json.md alone: it shares no code with `placet.model.canonical`.

It reads into a form in which nothing can be lost: `("number", text)`, `("text", str)`, `("word", "true")`, `("list", [...])` or
`("object", [(key, value)])`.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

MAX_BYTES, MAX_DEPTH, MAX_NUMBER = 262_144, 64, 1_000
TOO_LARGE = Decimal(2**1024 - 2**970)  # what rounds to infinity as a double

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]+')
_CONSTANT = re.compile(r"NaN|-?Infinity")
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WRITTEN = {char: f"\\{name}" for name, char in _ESCAPES.items() if name != "/"}


class Bad(Exception):
    """The text is refused; `code` as in docs/canonical-json.md."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def read(text: bytes) -> Any:
    """The value in a text. Raises Bad."""
    if len(text) > MAX_BYTES:
        raise Bad("body_too_large")
    try:
        reader = _Reader(text.decode("utf-8"))
    except UnicodeDecodeError:
        raise Bad("json_invalid") from None
    value = reader.value(0)
    reader.space()
    if reader.at != len(reader.text):
        raise Bad("json_invalid")
    return value


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def space(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in " \t\n\r":
            self.at += 1

    def next(self) -> str:
        self.space()
        return self.text[self.at : self.at + 1]

    def take(self, expected: str) -> None:
        if self.next() != expected:
            raise Bad("json_invalid")
        self.at += 1

    def value(self, depth: int) -> Any:
        first = self.next()
        if first in ("[", "{") and depth == MAX_DEPTH:
            raise Bad("json_too_deep")
        if first == "{":
            return "object", self._object(depth)
        if first == "[":
            return "list", self._list(depth)
        if first == '"':
            return "text", self._text()
        for word in ("true", "false", "null"):
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return "word", word
        return "number", self._number()

    def _list(self, depth: int) -> list[Any]:
        self.take("[")
        if self.next() == "]":
            self.at += 1
            return []
        found = [self.value(depth + 1)]
        while self.next() == ",":
            self.at += 1
            found.append(self.value(depth + 1))
        self.take("]")
        return found

    def _object(self, depth: int) -> list[tuple[str, Any]]:
        self.take("{")
        found: list[tuple[str, Any]] = []
        if self.next() == "}":
            self.at += 1
            return found
        while True:
            if self.next() != '"':
                raise Bad("json_invalid")
            key = self._text()
            self.take(":")
            found.append((key, self.value(depth + 1)))
            if self.next() != ",":
                break
            self.at += 1
        self.take("}")
        if len({key for key, _ in found}) != len(found):
            raise Bad("json_duplicate_key")
        return found

    def _number(self) -> str:
        match = _NUMBER.match(self.text, self.at)
        if match is None:
            raise Bad("json_number" if _CONSTANT.match(self.text, self.at) else "json_invalid")
        self.at = match.end()
        text = match.group()
        if len(text) > MAX_NUMBER or (any(match.groups()) and _too_large(text)):
            raise Bad("json_number")
        return text

    def _text(self) -> str:
        self.take('"')
        units: list[str] = []
        while True:
            if plain := _PLAIN.match(self.text, self.at):
                units.append(plain.group())
                self.at = plain.end()
            mark = self.text[self.at : self.at + 1]
            self.at += 1
            if mark == '"':
                break
            if mark != "\\":
                raise Bad("json_invalid")
            units.append(self._escaped())
        joined = "".join(units).encode("utf-16-le", "surrogatepass")
        try:
            return joined.decode("utf-16-le")
        except UnicodeDecodeError:
            raise Bad("json_surrogate") from None

    def _escaped(self) -> str:
        letter = self.text[self.at : self.at + 1]
        self.at += 1
        if letter != "u":
            if letter not in _ESCAPES:
                raise Bad("json_invalid")
            return _ESCAPES[letter]
        digits = self.text[self.at : self.at + 4]
        if not re.fullmatch("[0-9a-fA-F]{4}", digits):
            raise Bad("json_invalid")
        self.at += 4
        return chr(int(digits, 16))


def _too_large(text: str) -> bool:
    mantissa, _, exponent = text.lower().partition("e")
    if (
        len(exponent.lstrip("+-0")) > 6
    ):  # beyond what Decimal holds: only the sign of the exponent matters, and whether it is zero
        return not exponent.startswith("-") and bool(Decimal(mantissa))
    return Decimal(text).copy_abs() >= TOO_LARGE


def write(value: Any, *, ordered: bool = False) -> str:
    """The exact text of a read value; `ordered`: the canonical form."""
    kind, content = value
    if kind == "object":
        pairs = sorted(content, key=lambda pair: [ord(one) for one in pair[0]]) if ordered else content
        return "{" + ",".join(f"{quoted(key)}:{write(one, ordered=ordered)}" for key, one in pairs) + "}"
    if kind == "list":
        return "[" + ",".join(write(one, ordered=ordered) for one in content) + "]"
    return quoted(content) if kind == "text" else str(content)


def quoted(text: str) -> str:
    """A text with as few escapes as JSON allows."""
    return '"' + "".join(_WRITTEN.get(one) or (one if one >= " " else f"\\u{ord(one):04x}") for one in text) + '"'
