"""Families of rules on one value, with one that fits and one that breaks."""

from __future__ import annotations

from typing import Any

from placet.model.canonical import Lexeme, parse
from tests.proofs.schematic.drawing import MARK, OPEN, Drawing, Made

FORMATS = {
    "date-time": ("2026-11-30T09:00:00Z", "tomorrow at nine"),
    "date": ("2026-02-28", "2026-02-30"),
    "time": ("09:00:00Z", "25:00:00Z"),
    "duration": ("P1DT2H", "two hours"),
    "uuid": ("6f0b1a52-0f2f-4b3a-9a44-0c8a2ad9d2a1", "6f0b1a52"),
    "email": ("a@b.example", "a.b.example"),
    "ipv4": ("192.0.2.1", "192.0.2.256"),
    "ipv6": ("2001:db8::1", "2001:db8"),
    "uri": ("https://a.example/b", "a b"),
    "hostname": ("a.example", "-a-"),
    "json-pointer": ("/a/0", "a"),
    "regex": ("^a+$", "(a"),
}
PATTERNS = {
    "^[A-Z]{3}$": ("EUR", "eur"),
    r"^\d{4}-\d{2}$": ("2026-11", "2026-1"),
    "^(a+)+$": ("aaaa", "a" * 40 + "!"),
    r"^(?!.*\.\.)[a-z.]+$": ("a.b", "a..b"),
    r"^(.)\1$": ("xx", "xy"),
    r"^\p{L}+$": ("\u00e9\u6f22", "\u00e9 1"),
    "b": ("abc", "aac"),
    r"^a$": ("a", "a\n"),
}
OTHERS: dict[str, list[Any]] = {
    "string": [1, True, None, [], {}],
    "integer": [True, None, [1], Lexeme("1.5"), "1"],
    "number": [True, None, "1", {}],
    "boolean": [0, 1, "true", None],
    "null": [0, False, "", []],
    "array": [{}, "[]", 1],
    "object": [[], "{}", None],
}


def types(draw: Drawing, level: int) -> Made:
    samples = {
        "string": draw.word(),
        "integer": draw.random.choice([7, Lexeme("7.0"), Lexeme("7e2")]),
        "number": Lexeme("7.25"),
    }
    samples |= {"boolean": False, "null": None, "array": [draw.word()], "object": {"x": draw.word()}}
    name = draw.random.choice([*samples])
    wrong = draw.random.choice([*OTHERS[name], *([draw.word()] if name != "string" else [])])
    written = name if draw.random.random() < 0.7 else [name]
    return Made({"type": written}, samples[name], wrong)


def bounds(draw: Drawing, level: int) -> Made:
    """At the bound, or beside it by less than any float can hold."""
    digits = draw.random.randrange(10**3, 10**30)
    tiny = "0" * draw.random.randrange(1, 30) + "1"
    low, high = parse(str(digits)), Lexeme(f"{digits}.{tiny}")
    upper = draw.random.random() < 0.5
    keyword = "maximum" if upper else "minimum"
    inside, outside = (low, high) if upper else (high, low)
    if draw.random.random() < 0.5:
        return Made({keyword: inside}, inside, outside)
    name = f"exclusive{keyword.capitalize()}"
    if draw.dialect == "draft4" or (draw.dialect in OPEN and draw.random.random() < 0.5):
        return Made({keyword: outside, name: True}, inside, outside)
    return Made({name: outside}, inside, outside) if draw.since("draft6") else Made({keyword: inside}, inside, outside)


def multiples(draw: Drawing, level: int) -> Made:
    places, unit, times = draw.random.randrange(0, 9), draw.random.randrange(2, 999), draw.random.randrange(10**12)
    wrong = times * unit + draw.random.randrange(1, unit)
    return Made({"multipleOf": _scaled(unit, places)}, _scaled(times * unit, places), _scaled(wrong, places))


def _scaled(whole_number: int, places: int) -> Any:
    """The number with its point moved; written in one of several ways."""
    digits = str(whole_number).rjust(places + 1, "0")
    return parse(f"{digits[:-places]}.{digits[-places:]}") if places else whole_number


def lengths(draw: Drawing, level: int) -> Made:
    at = draw.random.randrange(3, 20)
    if draw.random.random() < 0.5:
        return Made({"maxLength": at}, "\U0001f600" * at, MARK * at)
    return Made({"minLength": at}, draw.word() * at, "\U0001f600" * (at - 1))


def patterns(draw: Drawing, level: int) -> Made:
    pattern = draw.random.choice([*PATTERNS])
    return Made({"pattern": pattern}, *PATTERNS[pattern])


def formats(draw: Drawing, level: int) -> Made:
    name = draw.random.choice([*FORMATS])
    good, bad = FORMATS[name]
    return Made(
        {"format": name}, good, bad if draw.random.random() < 0.5 or name == "regex" else f"{draw.word()} is none"
    )


def enums(draw: Drawing, level: int) -> Made:
    values = [1, "1", None, {"x": [1, Lexeme("2.50")]}, [True], Lexeme("0.10")]
    same = {1: Lexeme("1.0")}
    pairs = [
        (1, True),
        ("1", "01"),
        (None, False),
        ({"x": [Lexeme("1.0"), Lexeme("2.5")]}, {"x": [1, 2]}),
        ([True], [1]),
    ]
    good, bad = draw.random.choice(pairs)
    if good == 1 and good is not True and draw.random.random() < 0.5:
        good = same[1]
    return Made({"enum": values}, good, bad if draw.random.random() < 0.5 else draw.word())


def consts(draw: Drawing, level: int) -> Made:
    pairs = [
        (0, Lexeme("0.0"), False),
        ({"x": 1, "y": 2}, {"y": Lexeme("2.0"), "x": 1}, {"x": 1}),
        ("EUR", "EUR", draw.word()),
    ]
    const, good, bad = draw.random.choice(pairs)
    return Made({"const": const}, good, bad)


def counts(draw: Drawing, level: int) -> Made:
    at = draw.random.randrange(1, 5)
    many, few = [draw.word() for _ in range(at + 1)], [draw.word() for _ in range(at)]
    named = ({f"k{n}": draw.word() for n in range(at + 1)}, {f"k{n}": draw.word() for n in range(at)})
    if draw.random.random() < 0.5:
        upper = draw.random.random() < 0.5
        return Made({"maxItems": at}, few, many) if upper else Made({"minItems": at + 1}, many, few)
    upper = draw.random.random() < 0.5
    return Made({"maxProperties": at}, named[1], named[0]) if upper else Made({"minProperties": at + 1}, *named)


def uniques(draw: Drawing, level: int) -> Made:
    word = draw.word()
    same = draw.random.choice(
        [(1, Lexeme("1.00")), (word, word), ({"x": 1, "y": word}, {"y": word, "x": Lexeme("1.0")})]
    )
    return Made({"uniqueItems": True}, [1, True, "1", word, [1], [True]], [same[0], None, same[1]])


def nullables(draw: Drawing, level: int) -> Made:
    name = draw.random.choice(["string", "integer", "object"])
    good = draw.random.choice([None, {"string": draw.word(), "integer": 1, "object": {}}[name]])
    if good is None:
        return Made({"type": name, "nullable": True}, None, [draw.word()])
    return Made({"type": name, "nullable": False}, good, None)
