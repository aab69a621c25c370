"""Whatever schema and value are: an answer in bounded time, and never a fault of ours."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from placet.model.errors import Invalid
from placet.service import schemas
from tests.unit.schemas.refusing import BROKEN, COMPLEX, NO_SCHEMA, refused

LONGEST_S = 1.5  # of the processor: other work on the machine says nothing


@pytest.fixture(autouse=True)
def nothing_unforeseen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The door's last resort is never needed."""
    met: list[BaseException] = []
    real = schemas._unexpected

    def unexpected(error: BaseException) -> Invalid:
        met.append(error)
        return real(error)

    monkeypatch.setattr(schemas, "_unexpected", unexpected)
    yield
    assert met == []


def doubled(levels: int, keyword: str) -> dict[str, Any]:
    """Each level refers to the one below twice."""
    levelled: dict[str, Any] = {"d0": {"type": "integer"}}
    for level in range(1, levels + 1):
        levelled[f"d{level}"] = {keyword: [{"$ref": f"#/$defs/d{level - 1}"}] * 2}
    return {"$defs": levelled, "$ref": f"#/$defs/d{levels}"}


def nested(levels: int, around: Callable[[Any], Any]) -> Any:
    rule: Any = {"type": "integer"}
    for _ in range(levels):
        rule = around(rule)
    return rule


def on_items(rule: dict[str, Any]) -> dict[str, Any]:
    return {"properties": {"a": {"items": rule}}, **({"$defs": rule.pop("$defs")} if "$defs" in rule else {})}


FAR = nested(29, lambda rule: {"properties": {"x": rule}})
LONG_ADDRESS = "http://a.example/" + "b/" * 30_000
LONG = int("7" * 999)
LONG_NUMBERS = {"a": [LONG] * 240}
LITERALS: dict[str, tuple[Any, Any, set[str]]] = {
    "exponential allOf": ({"a": 1}, doubled(39, "allOf"), {COMPLEX}),
    "exponential oneOf": ({"a": 1}, doubled(39, "oneOf"), {COMPLEX}),
    "exponential at each item": ({"a": [1.5] * 3_000}, on_items(doubled(11, "anyOf")), {COMPLEX}),
    "exponential beside unevaluated": (
        {"a": 1},
        {**doubled(11, "anyOf"), "unevaluatedProperties": False},
        {BROKEN, COMPLEX},
    ),
    "recursion through not": ({"a": 1}, {"not": {"$ref": "#"}, "x": {"not": {"$ref": "#"}}}, {NO_SCHEMA}),
    "recursion through itself": ({"a": 1}, {"$ref": "#"}, {NO_SCHEMA}),
    "recursion of two": (
        {"a": 1},
        {"$ref": "#/$defs/x", "$defs": {"x": {"$ref": "#/$defs/y"}, "y": {"$ref": "#/$defs/x"}}},
        {NO_SCHEMA},
    ),
    "a chain of references": (
        {"a": 1},
        {"$ref": "#/$defs/d0", "$defs": {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(3_000)} | {"d3000": {}}},
        {COMPLEX},
    ),
    "an unknown type where nobody looks": (
        {"a": "SECRET-ARG"},
        {"$ref": "#/foo", "foo": {"type": "nonsense"}},
        {NO_SCHEMA},
    ),
    "9,000 in allOf": ({"a": 1}, {"allOf": [{"type": "object"}] * 9_000}, {COMPLEX}),
    "a long text printed 9,000 times": (
        {"a": ["x" * 200_000]},
        on_items({"allOf": [{"type": "integer"}] * 1_000}),
        {BROKEN, COMPLEX},
    ),
    "9,000 names at 9,000 items": (
        {"a": [{}] * 9_000},
        on_items({"required": [f"n{n}" for n in range(9_000)]}),
        {BROKEN, COMPLEX},
    ),
    "a name that repeats": ({"a": 1}, {"required": ["a"] * 60_000}, {NO_SCHEMA, COMPLEX}),
    "names beyond names": (
        {f"k{n}": 1 for n in range(9_000)},
        {"patternProperties": {f"^x{n}": True for n in range(100)}},
        {COMPLEX},
    ),
    "texts for the engine that tries again": (
        {"a": ["a" * 2_000] * 100},
        {"properties": {"a": {"items": {"pattern": r"(?=(a*)*)\1*\1*\1*$"}}}},
        {COMPLEX},
    ),
    "names nobody has judged": (
        {f"k{n}": 1 for n in range(5_000)},
        {"allOf": [{"properties": {f"k{n}": True}} for n in range(200)], "unevaluatedProperties": False},
        {COMPLEX},
    ),
    "a value of 5,000 levels": ({"a": nested(5_000, lambda rule: [rule])}, {}, {BROKEN}),
    "a schema of 5,000 levels": ({"a": 1}, nested(5_000, lambda rule: {"not": rule}), {NO_SCHEMA}),
    "a schema of 100 levels": ({"a": 1}, nested(100, lambda rule: {"not": rule}), {COMPLEX}),
    "long numbers that are whole": (LONG_NUMBERS, on_items({"allOf": [{"type": "integer"}] * 75}), {"", COMPLEX}),
    "multiples of long numbers": (LONG_NUMBERS, on_items({"allOf": [{"multipleOf": 7}] * 75}), {"", COMPLEX}),
    "long numbers among others": (LONG_NUMBERS, on_items({"allOf": [{"enum": [7, LONG]}] * 75}), {"", COMPLEX}),
    "a long text among others": (
        {"a": ["x" * 230_000]},
        on_items({"allOf": [{"enum": ["y"]}] * 3_000}),
        {BROKEN, COMPLEX},
    ),
    "a class of many classes": ({"a": "x"}, {"pattern": "[" + r"\p{L}" * 6_000 + "]"}, {COMPLEX}),
    "100,000 choices": ({"a": "x"}, {"pattern": "|" * 100_000}, {COMPLEX}),
    "a pointer through 29 levels at 20,000 items": (
        {"a": [*range(20_000)]},
        {"$defs": {"d": FAR}, "properties": {"a": {"items": {"$ref": "#/$defs/d" + "/properties/x" * 29}}}},
        {COMPLEX},
    ),
    "a long address, joined at 9,000 items": (
        {"a": [*range(9_000)]},
        {"$id": LONG_ADDRESS, "properties": {"a": {"items": {"$ref": "c"}}}, "$defs": {"d": {"$id": "c"}}},
        {COMPLEX},
    ),
    "a long address, joined 1,500 times": (
        {"a": 1},
        {"$id": LONG_ADDRESS, "$defs": {f"d{n}": {"$id": f"c{n}"} for n in range(1_500)}},
        {COMPLEX},
    ),
    "1,000 large expressions": (
        {"a": "x"},
        {"allOf": [{"pattern": rf"\w{{20}}x{n}"} for n in range(1_000)]},
        {COMPLEX},
    ),
}


@pytest.mark.parametrize("name", LITERALS)
def test_a_schema_as_a_weapon(name: str) -> None:
    arguments, schema, codes = LITERALS[name]
    began = time.process_time()
    code, problems = refused(arguments, schema)
    assert code in codes, problems
    assert time.process_time() - began < LONGEST_S
    assert "SECRET-ARG" not in str(problems)


@pytest.mark.parametrize("keyword", ["not", "items", "additionalProperties", "propertyNames", "contains"])
def test_what_a_request_can_nest_leaves_python_its_frames(keyword: str) -> None:
    """64 levels are what a body can have: judged in full, below a caller of 300 frames."""

    def called(frames: int) -> str:
        if frames:
            return called(frames - 1)
        rule = nested(62, lambda rule: {keyword: rule})
        value = nested(60, lambda rule: [rule] if keyword in ("items", "contains") else {"a": rule})
        return refused({"a": value}, {"properties": {"a": rule}})[0]

    assert called(300) in ("", BROKEN)


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        (list(range(10_000)), {"items": {"type": "number"}}),
        (
            [{"x": 1, "y": "b", "z": [1]}] * 1_500,
            {"items": {"properties": {"x": {"type": "integer"}}, "required": ["x", "y"]}},
        ),
        (
            {f"p{n}": "x" for n in range(500)},
            {"properties": {f"p{n}": {"type": "string", "maxLength": 3} for n in range(500)}},
        ),
        ("x" * 200_000, {"pattern": r"^[\s\S]*$", "maxLength": 200_000}),
    ],
)
def test_what_is_large_and_honest_passes(value: Any, rule: Any) -> None:
    assert refused({"a": value}, {"properties": {"a": rule}}) == ("", [])
