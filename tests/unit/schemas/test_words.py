"""What the answer says: our sentences, places and limits, and no value of the arguments."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from placet.service.schemas.words import LONGEST_PLACE
from placet.service.schemas.words import shortened as shown
from tests.unit.schemas.refusing import BROKEN, COMPLEX, NO_SCHEMA, refusal, refused

MARK = "MARKER-7f3a"


@pytest.mark.parametrize(
    ("value", "rule", "says"),
    [
        (101, {"maximum": 100}, "is over maximum 100"),
        (1, {"minimum": 2}, "is under minimum 2"),
        (1, {"exclusiveMinimum": 1}, "is not over exclusiveMinimum 1"),
        (MARK, {"type": ["integer", "null"]}, "is not of type integer or null"),
        (
            MARK,
            {"enum": ["EUR", "USD", 1, True, None, {"x": 1}]},
            'is none of "EUR", "USD", 1, true, null, the object that the schema names',
        ),
        (MARK, {"const": "EUR"}, 'is not "EUR"'),
        (MARK, {"maxLength": 3}, "has more characters than maxLength 3"),
        (MARK, {"pattern": "^[A-Z]{3}$"}, 'does not match the pattern "^[A-Z]{3}$"'),
        (MARK, {"format": "date-time"}, 'is not in the format "date-time"'),
        ({}, {"required": ["iban"]}, 'lacks "iban", which is required'),
        ({"x": 1}, {"dependentRequired": {"x": ["y"]}}, 'lacks "y", which another name asks for'),
        (MARK, {"not": {"type": "string"}}, "fits what `not` rules out"),
        (MARK, False, "is not allowed here"),
        ([MARK, MARK], {"uniqueItems": True}, "has the same item twice"),
        ([MARK], {"contains": {"type": "integer"}}, "has no item that fits contains"),
        (
            [1, MARK],
            {"contains": {"type": "integer"}, "minContains": 2},
            "has fewer items that fit contains than minContains 2",
        ),
        ([MARK], {"items": False}, "has more items than are allowed"),
        (MARK, {"oneOf": [{"type": "string"}, {}]}, "fits more than one of the forms of oneOf"),
        (
            MARK,
            {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "fits none of the 2 forms of anyOf; in the nearest one it is not of type integer",
        ),
        (
            {"x": {"y": MARK}},
            {"anyOf": [{"type": "null"}, {"properties": {"x": {"properties": {"y": {"type": "integer"}}}}}]},
            "fits none of the 2 forms of anyOf; in the nearest one x/y is not of type integer",
        ),
    ],
)
def test_a_sentence(value: Any, rule: Any, says: str) -> None:
    assert refusal(value if not isinstance(value, str) else f'"{value}"', rule) == (
        BROKEN,
        [{"at": "a", "problem": says}],
    )


def test_places() -> None:
    schema = {
        "properties": {"rows": {"items": {"properties": {"n": {"type": "integer"}}, "additionalProperties": False}}}
    }
    code, problems = refused({"rows": [{}, {"n": "x", "is_admin": True}]}, schema)
    assert code == BROKEN
    assert problems == [
        {"at": "rows/1/n", "problem": "is not of type integer"},
        {"at": "rows/1/is_admin", "problem": "is not allowed here"},
    ]
    assert refused({}, {"required": ["a"]})[1][0]["at"] == "(arguments)"
    assert refused({"a": 1}, {"properties": {"a": {"minLength": -1}}})[1] == [
        {"at": "#/properties/a/minLength", "problem": "is under minimum 0"}
    ]


def test_everything_is_short() -> None:
    long = "x" * 10_000
    problems = refused({long: 1}, {"additionalProperties": {"enum": [long] * 50}})[1]
    problems += refused({}, {"required": [long]})[1] + refused({"a": 1}, {"$ref": f"#/{long}"})[1]
    problems += refused({"a": ""}, {"properties": {"a": {"pattern": f"^{long}(?=y)"}}})[1]
    assert len(problems) == 4
    assert all(len(one["at"]) <= LONGEST_PLACE and len(one["problem"]) < 400 for one in problems)
    assert len(refused({}, {"required": [f"n{n}" for n in range(500)]})[1]) == 20


def test_no_value_of_the_arguments_is_said() -> None:
    rules = [
        *(
            {keyword: limit}
            for keyword, limit in (
                ("type", "integer"),
                ("enum", [1]),
                ("const", 1),
                ("maxLength", 1),
                ("pattern", "^$"),
            )
        ),
        *({"format": name} for name in ("date", "uuid", "email", "ipv4", "uri", "regex")),
        *({keyword: [{"type": "integer"}, {"maxLength": 1}]} for keyword in ("anyOf", "oneOf", "allOf")),
    ]
    for rule in rules:
        for value, schema in (
            (f"(MARK {MARK}", rule),
            ([MARK], {"items": rule}),
            ({"x": MARK}, {"additionalProperties": rule}),
        ):
            assert MARK not in str(refusal(value if not isinstance(value, str) else f'"{value}"', schema))


def test_a_panic_of_compiled_code_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        pass

    def panics(*_: object) -> None:
        raise PanicException(f"while checking {MARK}")

    monkeypatch.setattr("placet.service.schemas.judging.problems_of", panics)
    assert refused({"a": 1}, {}) == (COMPLEX, [{"at": "#", "problem": "The check ended with PanicException."}])


def test_who_asks_for_an_end_gets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def ends(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("placet.service.schemas.judging.problems_of", ends)
    with pytest.raises(KeyboardInterrupt):
        refused({"a": 1}, {})


def test_who_checks_nothing_imports_nothing() -> None:
    checks = "import sys, placet.service.capture; from placet.service.schemas import check_arguments as c"
    ends = (
        "c({}, None); sys.exit(any(name in sys.modules for name in ('jsonschema', 'referencing', 'regex', 'pydantic')))"
    )
    assert subprocess.run([sys.executable, "-c", f"{checks}; {ends}"], check=False).returncode == 0


def test_no_schema_is_no_schema() -> None:
    for rule in (
        {"type": "money"},
        {"type": 7},
        {"required": "a"},
        {"properties": []},
        {"enum": 1},
        {"minLength": 1.5},
    ):
        assert refused({"a": 1}, {"properties": {"a": rule}})[0] == NO_SCHEMA
        assert refused({}, {"properties": {"a": rule}})[0] == NO_SCHEMA  # whatever the arguments are


PLACES = [
    ("pattern", {"properties": {"x/y": {"items": [{"pattern": None}]}}}, "#/properties/x~1y/items/0/pattern"),
    ("name", {"$defs": {"a~b": {"patternProperties": {None: {}}}}}, "#/$defs/a~0b/patternProperties/"),
]


def _with(schema: Any, pattern: str) -> Any:
    if isinstance(schema, dict):
        filled = {pattern if name is None else name: one for name, one in schema.items()}
        return {name: pattern if one is None else _with(one, pattern) for name, one in filled.items()}
    return [_with(one, pattern) for one in schema] if isinstance(schema, list) else schema


@pytest.mark.parametrize(
    ("pattern", "code", "why"),
    [
        (r"\p{RGI_Emoji}", NO_SCHEMA, "it names a property of characters that is not known"),
        (r"\1", NO_SCHEMA, "it refers to a group that it does not have"),
        (r"(?P=x)", NO_SCHEMA, "it refers to a group that it does not have"),
        ("([", NO_SCHEMA, "a class is opened with [ and not closed"),
        ("(a", NO_SCHEMA, "a group is opened with ( and not closed"),
        ("a)", NO_SCHEMA, "a group is closed with ) that was not opened"),
        ("*a", NO_SCHEMA, "there is nothing that *, +, ? or {} could repeat"),
        ("[z-a]", NO_SCHEMA, "a range in a class ends before it begins"),
        ("a{2,1}", NO_SCHEMA, "a count in {} ends before it begins"),
        (r"\q", NO_SCHEMA, "\\ stands before a sign that it says nothing of"),
        ("(?x) a", NO_SCHEMA, "it opens a group in a way that is not taken (docs/schemas.md)"),
        ("(?'n'a)", NO_SCHEMA, "neither engine reads it"),
        ("a{20001}", COMPLEX, "it is over the size of 20,000"),
        (
            "x(?=b)" + "a" * 2_000,
            COMPLEX,
            "the linear engine does not read it (look-around, a back-reference), and the other",
        ),
    ],
)
@pytest.mark.parametrize(("kind", "shape", "at"), PLACES, ids=[one[0] for one in PLACES])
def test_a_pattern_that_is_not_taken_is_named_with_its_place_and_why(
    kind: str, shape: Any, at: str, pattern: str, code: str, why: str
) -> None:
    found, (problem,) = refused({"x/y": ["a"]}, _with(shape, pattern))
    assert found == code
    named = pattern.replace("~", "~0").replace("/", "~1")[:40] if kind == "name" else ""
    assert problem["at"].startswith(at + named)
    assert f", which is not taken: {why}" in problem["problem"]
    assert shown(pattern)[:30] in problem["problem"]


@pytest.mark.parametrize(
    ("pattern", "text", "why"),
    [
        (r"(?<!x)(a|aa)+$", "a" * 60 + "b", "for 10 ms, and takes longer"),
        (r"(?<=a)b", "a" * 2_001, "in texts of at most 2,000 characters, 50 times"),
        ("a{5000}", "b" * 30_000, "are over 100,000,000 in this check"),
    ],
)
def test_a_pattern_that_is_too_slow_on_a_text_is_named_with_its_place(pattern: str, text: str, why: str) -> None:
    code, (problem,) = refused({"a": text}, {"properties": {"a": {"pattern": pattern}}})
    assert (code, problem["at"]) == (COMPLEX, "#/properties/a/pattern")
    assert problem["problem"].startswith(f"is the pattern {shown(pattern)}, which is not taken: ")
    assert why in problem["problem"]


@pytest.mark.parametrize("text", ["a{20001}" + MARK, "x(?=b)" + MARK * 200])
def test_an_expression_among_the_arguments_is_never_repeated(text: str) -> None:
    code, (problem,) = refused({"a": text}, {"properties": {"a": {"format": "regex"}}})
    assert (code, problem["at"]) == (COMPLEX, "#")
    assert problem["problem"].startswith("The text in a format `regex` is not taken: ")
    assert MARK not in str(problem)
