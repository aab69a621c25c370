"""One rule and the part of a call that it looks at, with the right verdict: counted with fractions, or known from its making."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from random import Random
from typing import Any

from placet.policy import Passage
from placet.policy.facts import Answer, Question
from placet.policy.rules import Rule


class Verdict(StrEnum):
    """What a rule has to say."""

    FIRES = "fires"
    PASSES = "passes"
    UNJUDGED = "cannot tell"


@dataclass(frozen=True)
class Case:
    """A rule, and its part of one call.

    Attributes:
        arguments: members of the call's arguments as JSON text, by name.
        known: fields of `Facts` that the rule reads, beside passages and answers.
        answer: what the store says to a question of this rule; None when it cannot be read.
        edge: which boundary of the rule this is; empty for none.
    """

    kind: str
    rule: Rule
    verdict: Verdict
    arguments: Mapping[str, str] = field(default_factory=dict)
    known: Mapping[str, Any] = field(default_factory=dict)
    passages: tuple[Passage, ...] = ()
    answer: Callable[[Question], Answer | None] = lambda question: None
    edge: str = ""


Draw = Callable[[Random, str], Case]


def exact(text: str) -> Fraction:
    """A JSON number as the fraction that it is, read by hand: `-1.50e2` is -150."""
    mantissa, _, power = text.lower().partition("e")
    sign = -1 if mantissa.startswith("-") else 1
    whole, _, rest = mantissa.lstrip("-").partition(".")
    return sign * Fraction(int(whole + rest), 10 ** len(rest)) * Fraction(10) ** int(power or "0")


def near(draw: Random, limit: str) -> tuple[str, str]:
    """A number at, right beside, or far from a limit, as somebody may write it; and which of these it is."""
    edge = draw.choice(("at", "over", "under", "far"))
    point = exact(limit)
    tiny = Fraction(1, 10 ** draw.choice((0, 1, 2, 20, 33)))
    if edge == "far":
        return draw.choice(("0", "-0", "-1", "7", "1e300", "1e-300", "9" * 40, "-" + "9" * 40, "1E2", "0.1")), edge
    value = {"at": point, "over": point + tiny, "under": point - tiny}[edge]
    return written(draw, value), edge


def written(draw: Random, value: Fraction) -> str:
    """A decimal fraction as JSON, with zeros or a power that change nothing."""
    places = 0
    while (value * 10**places).denominator != 1:
        places += 1
    digits = str(abs(int(value * 10**places))).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    sign = "-" if value < 0 else ""
    zeros = draw.choice(("", "", "0", "000"))
    if zeros:
        text += zeros if places else "." + zeros
    elif draw.random() < 0.2:
        text = f"{digits}e-{places}" if places and digits[0] != "0" else f"{text}e0"
    return sign + text


NO_NUMBERS = ('"5"', "true", "false", "null", "[5]", '{"a":5}', '""', '"1e2"', "[]", '"\\u0661"')
SHAPES = ("plain", "nested", "items", "deep", "quoted", "gone", "half gone", "no list", "empty")


def placed(draw: Random, name: str, values: list[str]) -> tuple[str, Mapping[str, str], bool]:
    """(place, arguments, whether all values are there) for values as JSON, of which the first is the one that matters."""
    shape = draw.choice(SHAPES)
    first, many = values[0], [*values]
    draw.shuffle(many)
    if shape == "plain":
        return name, {name: first}, True
    if shape == "nested":
        return (
            f"{name}.inner.total",
            {name: f'{{"other":0,"inner":{{"total":{first}}}}}', f"{name}.inner.total": "0"},
            True,
        )
    if shape == "items":
        return f"{name}[].price", {name: "[" + ",".join(f'{{"price":{one}}}' for one in many) + "]"}, True
    if shape == "deep":
        return f"{name}.rows[][]", {name: '{"rows":[' + ",".join(f"[{one}]" for one in many) + "]}"}, True
    if shape == "quoted":
        return f'"{name}.x y"', {f"{name}.x y": first, name: '{"x y":0}'}, True
    if shape == "gone":
        return name, draw.choice(({}, {name.upper(): first}, {f"{name} ": first}, {f"in.{name}": first})), False
    if shape == "half gone":
        return f"{name}[].price", {name: "[" + ",".join(f'{{"price":{one}}}' for one in many) + ',{"cost":0}]'}, False
    if shape == "no list":
        return f"{name}[].price", {name: f'{{"price":{first}}}'}, False
    return f"{name}[].price", {name: "[]"}, False
