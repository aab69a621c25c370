"""The proof of schemas at its quick size, and the bugs that it must find."""

from __future__ import annotations

import gc
import re
import urllib.request
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from decimal import Decimal
from time import process_time
from typing import Any
from unittest import mock

import pytest
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from placet.model.canonical import parse
from placet.service.schemas import dialects, judging, patterns, values
from tests.proofs import Size, schemas
from tests.proofs.schematic import made, numbers, watching, weapons
from tests.proofs.schematic.drawing import URIS
from tests.proofs.schematic.watching import Watch

HERE = "placet.service.schemas"
Plant = Callable[[], AbstractContextManager[object]]


def say(line: str) -> None:
    print(line, flush=True)


def test_every_schema_is_answered_and_nothing_else_happens() -> None:
    proof = schemas.prove(say, Size(quick=True))
    assert proof.violations == [], proof.table
    assert proof.line.startswith("schemas: fuzzed=12")
    assert proof.line.endswith(" dialects=6 opened=0 killed=0 slow=0 leaked=0 inexact=0 wrongly_refused=0")


def patched(*changes: tuple[str, Any]) -> AbstractContextManager[object]:
    stack = ExitStack()
    for name, value in changes:
        stack.enter_context(mock.patch(f"{HERE}.{name}", value))
    return stack


def fetching() -> AbstractContextManager[object]:
    """What is not in the schema is looked for, as the library does by itself."""

    def retrieve(uri: str) -> Any:
        with urllib.request.urlopen(uri, timeout=1) as answer:  # noqa: S310 - the bug
            return Resource.from_contents(parse(answer.read()), DRAFT202012)

    def resolver(dialect: Any, rules: Any) -> Any:
        known: Any = Registry(retrieve=retrieve)  # type: ignore[call-arg]
        return known.combine(judging._metaschemas()).resolver_with_root(dialect.SPECIFICATION.create_resource(rules))

    return patched(("judging._resolver", resolver))


def floats() -> AbstractContextManager[object]:
    """Numbers are read as doubles."""
    return patched(("values._number", lambda value: values.Number(float(value))))


def remainder() -> AbstractContextManager[object]:
    """Multiples are computed in the 28 digits of a decimal context."""

    def is_multiple(number: Decimal, of: Decimal) -> bool:
        return (Decimal(number) / Decimal(of)) % 1 == 0

    return patched(("dialects.is_multiple", is_multiple))


def without_end() -> AbstractContextManager[object]:
    """Nothing is counted."""
    return patched(("dialects.Work.spend", lambda *_: None), ("judging._check_size", lambda links: None))


def trying_again() -> AbstractContextManager[object]:
    """Expressions run on Python's engine."""
    return patched(("patterns._linear", lambda pattern: lambda text: re.search(pattern, text) is not None))


def its_own_words() -> AbstractContextManager[object]:
    """The answer is the library's text, with the values in it."""

    return patched(
        ("judging.problem", lambda error: f"{error.instance!r} breaks {error.validator}"),
        ("values.Text.__repr__", str.__repr__),
    )


def one_dialect() -> AbstractContextManager[object]:
    """Whatever a schema names, it is judged as 2020-12."""
    latest = dialects.DIALECTS["json-schema.org/draft/2020-12/schema"]
    judge = lambda schema, default=None: latest  # noqa: E731 - the bug
    return patched(("judging.dialect_of", judge), ("dialects.dialect_of", judge))


def unlooked() -> AbstractContextManager[object]:
    """A schema is used without a look at its shape."""
    return patched(("judging._check_shape", lambda *_: None))


def unformatted() -> AbstractContextManager[object]:
    """Formats say nothing."""
    return patched(("dialects.fits", lambda name, text: True))


def strict() -> AbstractContextManager[object]:
    """What the linear engine does not read is no expression."""

    def retrying(self: Any, pattern: str) -> Any:
        raise patterns.NoPattern(pattern)

    return patched(("patterns.Patterns._retrying", retrying))


def told_outside() -> AbstractContextManager[object]:
    """A warning with the arguments in it."""
    import logging

    real = judging._judged

    def judged(value: Any, rules: Any) -> Any:
        logging.getLogger("placet").warning(
            "checking %s", dict.__repr__({name: str(one) for name, one in value.items()})
        )
        return real(value, rules)

    return patched(("judging._judged", judged))


DOUBLED = {
    "$defs": {"d0": {"type": "string"}}
    | {f"d{n}": {"anyOf": [{"not": {"$ref": f"#/$defs/d{n - 1}"}}] * 2} for n in range(1, 40)},
    "$ref": "#/$defs/d39",
}
HONEST, NUMBERS, WEAPONS = ("honest",), ("numbers",), ("weapons",)
PLANTS: dict[str, tuple[Plant, tuple[str, ...], int, str]] = {
    "references are fetched": (fetching, WEAPONS, 150, "opened"),
    "numbers are floats": (floats, NUMBERS, 200, "inexact"),
    "multiples by decimals": (remainder, NUMBERS, 300, "inexact"),
    "the library's words": (its_own_words, HONEST, 200, "leaked"),
    "the arguments in the log": (told_outside, HONEST, 20, "leaked"),
    "one dialect for all": (one_dialect, HONEST, 600, "wrongly_refused"),
    "shapes are not looked at": (unlooked, WEAPONS, 300, "killed"),
    "formats say nothing": (unformatted, HONEST, 600, "inexact"),
    "no look-ahead": (strict, HONEST, 600, "wrongly_refused"),
}


@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_bug_is_found(name: str) -> None:
    plant, kinds, count, figure = PLANTS[name]
    with plant():
        proof = schemas.play(say, count, 1, kinds)
    assert proof.figures[figure] > 0, proof.line
    assert any(one.startswith(f"{figure} ") for one in proof.violations)


@pytest.mark.parametrize(
    ("plant", "schema"),
    [
        (without_end, DOUBLED),
        (trying_again, {"properties": {"a": {"pattern": "^(a+)+$"}}}),
    ],
    ids=["nothing is counted", "Python's engine"],
)
def test_a_check_without_an_end_is_found(plant: Plant, schema: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.proofs.schematic.watching.HUNG_S", 1.6)
    monkeypatch.setattr(weapons, "arguments", lambda draw: {"a": "a" * 40 + "!"})
    monkeypatch.setattr(weapons, "WEAPONS", {"planted": lambda draw, file: schema})
    with plant():
        assert schemas.play(say, 1, 1, WEAPONS).figures["slow"] == 1


def test_too_little_proves_nothing() -> None:
    told = schemas.judged(Watch(), schemas.Tally()).violations
    families, bounds = len(made.every_family()), 2 * len(numbers.KEYWORDS)
    assert len(told) == families + bounds + len(weapons.WEAPONS) + 4
    assert "coverage: no recursion in draft4" in told
    assert "coverage: no check ended with schema_too_complex" in told


def test_each_dialect_and_family_is_drawn() -> None:
    assert {dialect for dialect, _ in made.every_family()} == set(URIS)
    assert len(set(made.every_family())) == len(made.every_family()) > 120


def spend(seconds: float) -> None:
    """Of the processor."""
    until = process_time() + seconds
    while process_time() < until:
        pass


def test_a_check_is_ended_even_if_its_end_falls_into_a_collection() -> None:
    """Python reports what a collection's callback raises, and goes on: a check without an end would have none."""
    ended = []

    def collected(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            watching._alarm(watching.MOMENT_S)
            spend(10 * watching.MOMENT_S)
            ended.append(phase)

    def check() -> None:
        gc.collect()
        spend(1)

    with watching.watching():
        gc.callbacks.append(collected)
        try:
            with pytest.raises(watching.Hung):
                check()
        finally:
            gc.callbacks.remove(collected)
            watching._alarm(0)
    assert ended
