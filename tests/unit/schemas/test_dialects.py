"""Each schema is judged by the dialect that it names; without one by 2020-12 with the forms of OpenAPI 3.0."""

from __future__ import annotations

from typing import Any

import pytest

from placet.model.canonical import Lexeme
from tests.unit.schemas.refusing import BROKEN, NO_SCHEMA, URIS, refused

UNKNOWN = "https://example.com/my-dialect"


def judged(dialect: str, value: Any, rule: dict[str, Any]) -> str:
    named = {"$schema": URIS.get(dialect, dialect)} if dialect else {}
    return refused({"a": value}, {**named, "type": "object", "properties": {"a": rule}})[0]


@pytest.mark.parametrize(
    ("dialect", "value", "rule", "code"),
    [
        # boolean bounds are draft 4's and OpenAPI's
        *((name, 5, {"maximum": 5, "exclusiveMaximum": True}, BROKEN) for name in ("draft4", "", UNKNOWN)),
        *((name, 4, {"maximum": 5, "exclusiveMaximum": True}, "") for name in ("draft4", "", UNKNOWN)),
        *((name, 5, {"minimum": 5, "exclusiveMinimum": False}, "") for name in ("draft4", "")),
        *((name, 4, {"maximum": 5, "exclusiveMaximum": True}, NO_SCHEMA) for name in URIS if name != "draft4"),
        ("", 5, {"exclusiveMaximum": 5}, BROKEN),
        ("draft4", 5, {"exclusiveMaximum": 5}, NO_SCHEMA),
        # nullable is OpenAPI's
        ("", None, {"type": "string", "nullable": True}, ""),
        ("", None, {"$ref": "#/properties/b", "nullable": True, "enum": ["x"]}, NO_SCHEMA),
        ("", None, {"type": "string", "enum": ["x"], "nullable": True}, ""),
        ("", None, {"type": "string", "nullable": False}, BROKEN),
        ("", 1, {"type": "string", "nullable": True}, BROKEN),
        ("draft2020-12", None, {"type": "string", "nullable": True}, BROKEN),
        # tuples
        *((name, [1, 2], {"items": [{}, {"type": "string"}]}, BROKEN) for name in ("draft4", "draft6", "draft7")),
        ("draft7", [1, "x", 2], {"items": [{}, {"type": "string"}], "additionalItems": False}, BROKEN),
        ("draft2020-12", [1, 2], {"prefixItems": [{}, {"type": "string"}]}, BROKEN),
        ("draft2020-12", [1, 2], {"items": [{}, {"type": "string"}]}, NO_SCHEMA),
        # without a draft's name a list under `items` is a tuple, as pydantic's first generation and TypeBox write it
        *((name, [1, 2], {"items": [{}, {"type": "string"}]}, BROKEN) for name in ("", UNKNOWN)),
        *((name, [1, "x"], {"items": [{}, {"type": "string"}]}, "") for name in ("", UNKNOWN)),
        ("", [1, "x", 2], {"items": [{}, {"type": "string"}], "additionalItems": False}, BROKEN),
        ("", [1, "x", 2], {"items": [{}, {"type": "string"}], "additionalItems": {"type": "number"}}, ""),
        ("", [1, "x", "y"], {"items": [{}, {"type": "string"}], "additionalItems": {"type": "number"}}, BROKEN),
        ("", [1, 2], {"items": {"type": "string"}, "additionalItems": False}, BROKEN),
        ("", [1, 2], {"items": {"type": "integer"}, "additionalItems": False}, ""),
        ("", [1, "x", 2], {"prefixItems": [{}, {"type": "string"}], "items": False}, BROKEN),
        ("", [1], {"items": [{"$ref": "#/nowhere"}]}, NO_SCHEMA),
        ("", [1], {"items": [{"type": 7}]}, NO_SCHEMA),
        ("", [1, 2], {"items": [{}], "additionalItems": {"$ref": "#/nowhere"}}, NO_SCHEMA),
        ("", {"x": 1}, {"dependencies": {"x": ["y"]}}, BROKEN),
        ("", {"x": 1}, {"dependencies": {"x": {"required": ["y"]}}}, BROKEN),
        ("", {"x": 1, "y": 2}, {"dependencies": {"x": ["y"]}}, ""),
        ("draft2020-12", {"x": 1}, {"dependencies": {"x": ["y"]}}, ""),
        # a part that names its draft is looked at, and judged, by that one
        ("", [1, "x"], {"$schema": URIS["draft7"], "items": [{}, {"type": "string"}]}, ""),
        ("", [1, 2], {"$schema": URIS["draft7"], "items": [{}, {"type": "string"}]}, BROKEN),
        ("draft2020-12", [1, 2], {"$schema": URIS["draft7"], "items": [{}, {"type": "string"}]}, BROKEN),
        ("draft2020-12", 5, {"$schema": URIS["draft4"], "maximum": 5, "exclusiveMaximum": True}, BROKEN),
        ("draft4", [1, 2], {"$schema": URIS["draft2020-12"], "items": [{}, {}]}, NO_SCHEMA),
        ("draft2019-09", [1, 2], {"prefixItems": [{}, {"type": "string"}]}, ""),
        # keywords that came or went
        ("draft4", 2, {"const": 1}, ""),
        ("draft6", 2, {"const": 1}, BROKEN),
        ("draft6", 2, {"if": {}, "then": False}, ""),
        ("draft7", 2, {"if": {}, "then": False}, BROKEN),
        ("draft7", {"x": 1}, {"dependentRequired": {"x": ["y"]}}, ""),
        ("draft7", {"x": 1}, {"dependencies": {"x": ["y"]}}, BROKEN),
        ("draft2019-09", {"x": 1}, {"dependentRequired": {"x": ["y"]}}, BROKEN),
        # beside a reference, older drafts read nothing
        ("draft7", 2, {"$ref": "#/definitions/n", "maximum": 1}, NO_SCHEMA),
        ("draft2020-12", {"x": 1}, {"unevaluatedProperties": False, "properties": {"y": {}}}, BROKEN),
        ("draft2020-12", {"y": 1}, {"unevaluatedProperties": False, "allOf": [{"properties": {"y": {}}}]}, ""),
        *((name, Lexeme("1.0"), {"type": "integer"}, "") for name in URIS),
    ],
)
def test_a_rule_in_its_dialect(dialect: str, value: Any, rule: dict[str, Any], code: str) -> None:
    assert judged(dialect, value, rule) == code


@pytest.mark.parametrize("named", [uri.rstrip("#") + end for uri in URIS.values() for end in ("", "#")])
def test_a_dialect_is_known_with_and_without_a_fragment(named: str) -> None:
    fits_in_one = {"$schema": named.replace("http:", "https:"), "properties": {"a": {"const": 1}}}
    assert refused({"a": 2}, fits_in_one)[0] == ("" if "draft-04" in named else BROKEN)


def test_a_part_may_name_a_dialect_of_its_own() -> None:
    inner = {"$schema": URIS["draft7"], "dependencies": {"x": ["y"]}}
    assert refused({"a": {"x": 1}}, {"properties": {"a": inner}})[0] == BROKEN
    assert refused({"a": {"x": 1}}, {"properties": {"a": {**inner, "$schema": URIS["draft2020-12"]}}})[0] == ""


def test_the_dialect_is_kept_through_references() -> None:
    schema = {
        "$schema": URIS["draft4"],
        "properties": {"a": {"$ref": "#"}, "b": {"maximum": 1, "exclusiveMaximum": True}},
    }
    assert refused({"a": {"a": {"b": 1}}}, schema) == (
        BROKEN,
        [{"at": "a/a/b", "problem": "has to be under maximum 1"}],
    )


def test_references_inside_the_schema_work() -> None:
    tree = {"$defs": {"n": {"$anchor": "n", "properties": {"c": {"items": {"$ref": "#n"}}, "v": {"type": "integer"}}}}}
    good, bad = {"c": [{"v": 1}]}, {"c": [{"v": "x"}]}
    for reference in ("#n", "#/$defs/n"):
        assert refused(good, {**tree, "$ref": reference})[0] == ""
        assert refused(bad, {**tree, "$ref": reference})[0] == BROKEN
    by_id = {"$id": "T0", "properties": {"next": {"$ref": "T0"}}, "required": ["v"]}  # as TypeBox writes recursion
    assert refused({"v": 1, "next": {"v": 2}}, by_id)[0] == ""
    assert refused({"v": 1, "next": {}}, by_id)[0] == BROKEN
    mixed = {
        "$schema": URIS["draft7"],
        "dependencies": {"a": ["b"], "b": {"$ref": "#/definitions/n"}},
        "definitions": {"n": False},
    }
    assert refused({"b": 1}, mixed)[0] == BROKEN


def test_a_metaschema_is_at_hand() -> None:
    for uri in URIS.values():
        schema = {"properties": {"a": {"$ref": uri}}}
        assert refused({"a": {"minLength": 1}}, schema)[0] == ""
        assert refused({"a": {"minLength": "x"}}, schema)[0] == BROKEN
