"""Arguments and passages that want to cost time or to break a rule; whatever is answered, it is answered soon."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from placet.model.canonical import Lexeme
from placet.policy import (
    Budget,
    Facts,
    FirstTime,
    FromUntrusted,
    NotOneOf,
    NumberOver,
    OneOf,
    Origin,
    Passage,
    Sample,
    Threshold,
    UnseenOrder,
)
from placet.policy.rules import Rule

PLACES = ("a", "a.b", "a[]", "a[][]", "len(a)", "sum(a[])", "a[].b")
TEXTS = {
    "one letter": "a",
    "two letters": "ab ",
    "digits": "1 ",
    "grouped": "1,2.3",
    "dots": "a.",
    "signs": "@/?&=#:",
    "marks": "a\u0301\u0323",
    "phrases": "\ufdfa",
    "hidden": "\u200b",
    "emoji": "\U0001f469\u200d\U0001f4bb",
    "half pairs": "\ud800",
    "nulls": "\0",
    "many scripts": "".join(map(chr, range(0x100, 0x2100))),
}
LONG = 60_000


def rules() -> list[Rule]:
    """One of each kind at each place."""
    values = frozenset({"EUR", 5})
    return [
        *(rule for place in PLACES for rule in _at(place, values)),
        *(FromUntrusted(f"untrusted/{place}", "", place) for place in PLACES if "(" not in place),
        NumberOver("number", "", "rows", 5),
        Budget("steps", "", 5),
        UnseenOrder("order", ""),
        Sample("sample", "", 3),
    ]


def _at(place: str, values: frozenset[Any]) -> Iterator[Rule]:
    yield Threshold(f"over/{place}", "", place, 5)
    yield Budget(f"budget/{place}", "", 5, argument=place)
    yield FirstTime(f"first/{place}", "", place)
    yield OneOf(f"one/{place}", "", place, values)
    yield NotOneOf(f"none/{place}", "", place, values)


def arguments() -> Iterator[tuple[str, Any]]:
    """(name, arguments)."""
    deep: Any = 1
    for _ in range(60):
        deep = {"a": [deep]}
    yield "deep", deep
    yield "a large integer", {"a": 10**999}
    yield "an integer beyond a request", {"a": 10**100_000}
    yield "long fractions", {"a": [Lexeme("0." + "1" * 990)] * 250}
    yield "large and small", {"a": [Lexeme("1e308"), Lexeme("1e-999999999999999999999"), Lexeme("1e-400")]}
    yield "many items", {"a": [{"b": 1}] * 30_000}
    yield "many lists", {"a": [[]] * 60_000}
    yield "many names", {"a": {f"k{number}": number for number in range(20_000)}}
    yield "no JSON", {"a": [b"x", object(), 1.5, float("nan"), {1: 2}, (1,)]}
    for name, text in TEXTS.items():
        long = (text * LONG)[:LONG]
        yield f"long: {name}", {"a": long}
        yield f"short: {name}", {"a": long[:16_000]}
        yield f"listed: {name}", {"a": [long[:60]] * 900}


def facts() -> Iterator[tuple[str, Facts]]:
    """(name, facts)."""
    yield "none", Facts(agent="desk")
    yield (
        "wrong",
        Facts(agent="desk", numbers={"rows": Decimal("1e999999")}, confidence=Decimal("sNaN"), before="x" * 100_000),
    )
    for name, text in TEXTS.items():
        long = (text * LONG)[:LONG]
        told = (Passage(Origin.TOOL, long), Passage(Origin.USER, long[1:]))
        yield name, Facts(agent="desk", passages=told)
