"""Made values and texts of them: the same value in another dress, a neighbour that differs in one place, a broken text."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.proofs.exact.reader import quoted

Value = Any  # ("object", [(key, value)]), ("list", [...]), ("text", str), ("number", text), ("word", text)

WORDS = ["true", "false", "null"]
NUMBERS = ["0", "-0", "1", "-1", "1.0", "1.00", "1e0", "1E+2", "-0.0", "1e-400", "9007199254740993", "123.456e-789"]
CHARACTERS = [
    *'ab"\\/ {}[]:,0é',
    *("\x00\x01\x1f\x7f\x80\u00ad\u0301\u200b\u200d\u202e\u2028\u2029\u3000\ufeff\ufffd\uffff"),
    *("ß東𝄞😀🏴\U000e0041\U0010ffff"),
]
BROKEN = [
    *'[]{},:"\\ \n',
    *"0123456789.eE+-",
    *"truefalsnNI",
    "\x00",
    "\ufeff",
    "\u00a0",
    "'",
    "//",
    "\\u",
    "\\ud800",
    "1e999",
]


def value(draw: Random, depth: int = 0) -> Value:
    """Any value, at most a few levels deep."""
    kind = draw.choice("onlt" if depth == 0 else "ontlwtn")
    if depth >= 4 and kind in "ol":
        kind = "t"
    if kind == "o":
        keys = dict.fromkeys(text(draw) for _ in range(draw.randrange(5)))
        return "object", [(key, value(draw, depth + 1)) for key in keys]
    if kind == "l":
        return "list", [value(draw, depth + 1) for _ in range(draw.randrange(4))]
    if kind == "t":
        return "text", text(draw)
    return ("word", draw.choice(WORDS)) if kind == "w" else ("number", number(draw))


def arguments(draw: Random) -> Value:
    """An object, as the arguments of a call are."""
    keys = dict.fromkeys(text(draw) for _ in range(draw.randrange(4)))
    return "object", [(key, value(draw, 1)) for key in keys] or [("", value(draw, 1))]


def text(draw: Random) -> str:
    """A short text of awkward characters."""
    return "".join(draw.choice(CHARACTERS) for _ in range(draw.randrange(7)))


def number(draw: Random) -> str:
    """A number as somebody could write it."""
    if draw.random() < 0.4:
        return draw.choice(NUMBERS)
    whole = str(draw.randrange(10 ** draw.randrange(1, 40)))
    part = "." + "".join(draw.choice("0123456789") for _ in range(draw.randrange(1, 20))) if draw.random() < 0.5 else ""
    power = draw.choice("eE") + draw.choice(["", "+", "-"]) + str(draw.randrange(250)) if draw.random() < 0.3 else ""
    return draw.choice(["", "-"]) + whole + part + power


def dressed(draw: Random, found: Value, *, turned: bool = False) -> str:
    """A text of a value, with white space and escapes as they come; `turned`: keys in another order too."""
    kind, content = found
    if kind == "object":
        pairs = draw.sample(content, len(content)) if turned else content
        inner = ",".join(
            f"{_gap(draw)}{_escaped(draw, key)}{_gap(draw)}:{dressed(draw, one, turned=turned)}" for key, one in pairs
        )
        return f"{_gap(draw)}{{{inner or _gap(draw)}}}{_gap(draw)}"
    if kind == "list":
        inner = ",".join(dressed(draw, one, turned=turned) for one in content)
        return f"{_gap(draw)}[{inner or _gap(draw)}]{_gap(draw)}"
    return f"{_gap(draw)}{_escaped(draw, content) if kind == 'text' else content}{_gap(draw)}"


def neighbour(draw: Random, found: Value) -> Value:
    """The value with one place changed."""
    kind, content = found
    if kind in ("object", "list") and content and draw.random() < 0.8:
        at = draw.randrange(len(content))
        place = content[at]
        changed = (place[0], neighbour(draw, place[1])) if kind == "object" else neighbour(draw, place)
        return kind, [*content[:at], changed, *content[at + 1 :]]
    if kind == "text":
        return draw.choice([("text", content + draw.choice(CHARACTERS)), ("list", [found])])
    if kind == "number":
        return draw.choice([("text", content), ("number", "7" + content.lstrip("-"))])
    return "list", [found]


def broken(draw: Random, text_of: str) -> str:
    """The text after one to three small accidents."""
    for _ in range(draw.randrange(1, 4)):
        at = draw.randrange(len(text_of) + 1)
        gone = draw.choice([0, 0, 1, 1, 2, 5])
        text_of = text_of[:at] + draw.choice(["", *BROKEN]) + text_of[at + gone :]
    return text_of


def _gap(draw: Random) -> str:
    return draw.choice(["", "", "", " ", "\n", "\t", "\r\n "])


def _escaped(draw: Random, content: str) -> str:
    if draw.random() < 0.5:
        return quoted(content)
    return '"' + "".join(_one(draw, char) for char in content) + '"'


def _one(draw: Random, char: str) -> str:
    if draw.random() < 0.5:
        return quoted(char)[1:-1]
    units = char.encode("utf-16-be")
    pieces = [f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2)]
    return "".join(piece[:2] + piece[2:].upper() if draw.random() < 0.5 else piece for piece in pieces)
