"""Numbers and bounds close to one another, judged by fractions; the judge is not asked."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

from placet.model.canonical import parse
from tests.proofs.schematic.drawing import URIS

KEYWORDS = (
    "maximum",
    "minimum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "multipleOf",
    "enum",
    "const",
    "integer",
    "uniqueItems",
)


def case(draw: Random) -> tuple[str, dict[str, Any], Any, bool]:
    """A keyword, a schema with it, a number, and whether that fits."""
    keyword = draw.choice(KEYWORDS)
    limit = _text(draw)
    text = draw.choice([limit, _near(draw, limit), _other(draw, limit), _text(draw)])
    if draw.random() < 0.5:
        limit, text = text, limit
    if keyword == "multipleOf":
        limit = limit.removeprefix("-")
        limit = limit if Fraction(limit) else "0.01"
        text = draw.choice([text, _times(draw, limit)])
    rule: Any = parse(limit)
    schema = {"integer": {"type": "integer"}, "enum": {"enum": [rule, None]}, "uniqueItems": {"uniqueItems": True}}
    uri = URIS[draw.choice(["draft6", "draft7", "draft2019-09", "draft2020-12", "none"])]
    whole = {"properties": {"a": schema.get(keyword, {keyword: rule})}} | ({"$schema": uri} if uri else {})
    value = [rule, parse(text)] if keyword == "uniqueItems" else parse(text)
    return keyword, whole, value, _fits(keyword, Fraction(text), Fraction(limit))


def _fits(keyword: str, value: Fraction, limit: Fraction) -> bool:
    return {
        "maximum": lambda: value <= limit,
        "minimum": lambda: value >= limit,
        "exclusiveMaximum": lambda: value < limit,
        "exclusiveMinimum": lambda: value > limit,
        "multipleOf": lambda: (value / limit).denominator == 1,
        "enum": lambda: value == limit,
        "const": lambda: value == limit,
        "integer": lambda: value.denominator == 1,
        "uniqueItems": lambda: value != limit,
    }[keyword]()


def _text(draw: Random) -> str:
    sign = draw.choice(["", "", "-"])
    digits = str(draw.randrange(10 ** draw.choice([1, 2, 3, 9, 17, 40])))
    end = draw.choice(["", f".{draw.randrange(10**6)}", ".0", f".{'0' * draw.randrange(30)}1"])
    return f"{sign}{digits}{end}{draw.choice(['', '', f'e{draw.randrange(-30, 30)}', f'E-{draw.randrange(300)}'])}"


def _near(draw: Random, text: str) -> str:
    """The number moved by less than a float could tell."""
    digits, mark, exponent = text.partition("e" if "e" in text else "E")
    tail = "0" * draw.randrange(20) + draw.choice("0123456789")
    return f"{digits}{'' if '.' in digits else '.'}{tail}{mark}{exponent}"


def _other(draw: Random, text: str) -> str:
    """The same number in other words."""
    digits, mark, exponent = text.partition("e" if "e" in text else "E")
    moved = int(exponent or 0) - 2
    whole, _, part = digits.partition(".")
    return (
        f"{whole}{part.ljust(2, '0')[:2]}.{part[2:] or '0'}e{moved}"
        if whole.lstrip("-") != "0"
        else f"{digits}{mark}{exponent}"
    )


def _times(draw: Random, unit: str) -> str:
    """A multiple of a unit, written out."""
    digits, mark, exponent = unit.partition("e" if "e" in unit else "E")
    whole, _, part = digits.partition(".")
    times = str(int(whole + part) * draw.randrange(1, 10**9)).rjust(len(part) + 1, "0")
    point = len(times) - len(part)
    return f"{times[:point]}{'.' if part else ''}{times[point:]}{mark}{exponent}"
