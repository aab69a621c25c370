"""Schemas that are meant to hurt: references out, doubling, endless recursion, slow expressions, shapes that no draft knows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from placet.model.canonical import Lexeme, parse
from tests.proofs.schematic.drawing import MARK, URIS, Drawing
from tests.proofs.schematic.made import FAMILIES, whole

OUTSIDE = "OUTSIDE-THE-SCHEMA"  # stands in a file to which schemas refer
SCHEMES = ("http", "https", "ftp", "file", "data", "HTTP", "")
KEYS = (
    *(
        "type",
        "enum",
        "const",
        "properties",
        "items",
        "prefixItems",
        "additionalProperties",
        "patternProperties",
        "required",
        "not",
    ),
    *(
        "allOf",
        "anyOf",
        "oneOf",
        "if",
        "then",
        "else",
        "contains",
        "minContains",
        "maxContains",
        "multipleOf",
        "maximum",
        "pattern",
    ),
    *(
        "exclusiveMaximum",
        "format",
        "dependencies",
        "dependentSchemas",
        "dependentRequired",
        "propertyNames",
        "uniqueItems",
    ),
    *(
        "unevaluatedProperties",
        "unevaluatedItems",
        "$ref",
        "$dynamicRef",
        "$recursiveRef",
        "$id",
        "id",
        "$anchor",
        "$dynamicAnchor",
    ),
    *(
        "$schema",
        "$defs",
        "definitions",
        "nullable",
        "minLength",
        "maxItems",
        "$recursiveAnchor",
        "$vocabulary",
        "additionalItems",
    ),
)
LONG = int("7" * 999)  # as long as a number may be
SLOW = (
    "^(a+)+$",
    "^(a|a)*$",
    "(.*)*x",
    r"^(?=(a+)+$)",
    r"^(a*)*\1$",
    "(a{1,90}){1,90}b",
    r"(\w{1,60})+!",
    "([01]*1[01]{99}){9}x",
)


def outward(draw: Random, file: Path) -> Any:
    """A schema whose references lead out of it."""
    scheme = draw.choice(SCHEMES)
    address = {
        "file": f"file://{file}",
        "": draw.choice([str(file), f"//{file}", "../x.json", "x.json"]),
        "data": "data:,{}",
    }
    at = address.get(scheme, f"{scheme}://127.0.0.1:9/latest/meta-data")
    rule: dict[str, Any] = draw.choice(
        [
            {"$ref": at},
            {"$ref": f"{at}#/a"},
            {"$dynamicRef": at},
            {"$id": at, "$ref": draw.choice(["y.json", "#/nowhere", "."])},
            {"$id": at, "$dynamicRef": "y.json#z"},
            {"id": at, "$ref": "y.json"},
            {"allOf": [{"$ref": at}]},
            {"$schema": at, "$vocabulary": {at: True}, "$ref": "#/nowhere"},
            {"not": {"items": {"$ref": at}}},
        ]
    )
    uri = URIS[draw.choice([*URIS])]
    return {**({"$schema": uri} if uri else {}), **draw.choice([rule, {"properties": {"a": rule}}])}


def doubling(draw: Random, file: Path) -> Any:
    """Each level twice the one below."""
    levels, keyword = draw.randrange(1, 41), draw.choice(["allOf", "anyOf", "oneOf", "properties", "items"])
    parts: dict[str, Any] = {"d0": draw.choice([{"type": "integer"}, {"pattern": "^(a+)+$"}, {"enum": [[1]]}])}
    for level in range(1, levels + 1):
        below = {"$ref": f"#/$defs/d{level - 1}"}
        parts[f"d{level}"] = (
            {keyword: {"a": below, "b": below}} if keyword == "properties" else {keyword: [below, below]}
        )
        if keyword == "items":
            parts[f"d{level}"] = {"items": below, "contains": below}
    beside = draw.choice([{}, {"unevaluatedProperties": False}])
    return {"$defs": parts, "properties": {"a": {"$ref": f"#/$defs/d{levels}", **beside}}}


def endless(draw: Random, file: Path) -> Any:
    """Recursion, with and without an end."""
    single: list[Callable[[Any], Any]] = [
        lambda rule: {"not": rule},
        lambda rule: {"items": rule},
        lambda rule: {"dependentSchemas": {"a": rule}},
        lambda rule: {"propertyNames": rule},
        lambda rule: {"unevaluatedProperties": rule, "anyOf": [{}]},
    ]
    double: list[Callable[[Any], Any]] = [
        lambda rule: {"allOf": [rule, rule]},
        lambda rule: {"if": rule, "then": rule},
        lambda rule: {"properties": {"a": rule}, "additionalProperties": rule},
        lambda rule: {"items": rule, "contains": rule},
    ]
    rule: Any = {draw.choice(["$ref", "$dynamicRef"]): draw.choice(["#", "#/x", "#/x/not", "#m"])}
    for level in range(draw.randrange(1, draw.choice([3, 6, 70]))):
        rule = draw.choice(single + double if level < 8 else single)(rule)
    return {"$dynamicAnchor": "m", **rule, "x": {"not": {"$ref": "#"}}}


def slow(draw: Random, file: Path) -> Any:
    """Expressions on which an engine that tries again never ends."""
    pattern = draw.choice(SLOW)
    rule = draw.choice(
        [{"pattern": pattern}, {"patternProperties": {pattern: True}}, {"propertyNames": {"pattern": pattern}}]
    )
    return {"properties": {"a": rule, "b": rule}, **rule}


def large(draw: Random, file: Path) -> Any:
    """Many names, many parts, large numbers."""
    many = draw.choice([10, 300, 3_000])
    digits = draw.choice(
        [{"type": "integer"}, {"multipleOf": 7}, {"enum": [7, LONG]}, {"multipleOf": Lexeme(f"0.{LONG}")}]
    )
    return draw.choice(
        [
            {"required": [f"n{number}" for number in range(many)]},
            {"allOf": [{"type": "object"}] * many},
            {"properties": {f"n{number}": {"pattern": f"^{number}$"} for number in range(many)}},
            {"properties": {"a": {"enum": [*range(many)]}}},
            {"properties": {"a": {"items": {"allOf": [digits] * 75}}}},
            {"properties": {"a": {"items": {"allOf": [{"uniqueItems": True, "maxLength": many}] * many}}}},
            {"properties": {"a": {"multipleOf": Lexeme("1e-999999999"), "maximum": Lexeme("1e-300")}}},
            {"properties": {"a": {"minLength": 10**900, "maxItems": Lexeme("1e308")}}},
            {
                "patternProperties": {f"^x{number}": True for number in range(many)},
                "additionalProperties": {"type": "integer"},
            },
        ]
    )


def hurt(draw: Random, file: Path) -> Any:
    """An honest schema with parts of it replaced by anything."""
    schema, _, _ = whole(Drawing(draw, draw.choice([*URIS]), FAMILIES))
    for _ in range(draw.randrange(1, 4)):
        schema = _replaced(draw, schema)
    return schema if isinstance(schema, dict) else {"not": schema}


def _replaced(draw: Random, node: Any) -> Any:
    if isinstance(node, dict) and node and draw.random() < 0.8:
        name = draw.choice([*node])
        if draw.random() < 0.2:
            return {**{key: value for key, value in node.items() if key != name}, draw.choice(KEYS): node[name]}
        return {**node, name: _replaced(draw, node[name])}
    if isinstance(node, list) and node and draw.random() < 0.8:
        at = draw.randrange(len(node))
        return [*node[:at], _replaced(draw, node[at]), *node[at + 1 :]]
    return _anything(draw, 2)


def _anything(draw: Random, level: int) -> Any:
    flat = [
        None,
        True,
        False,
        0,
        -1,
        1,
        parse("1e-9"),
        "",
        "string",
        "object",
        "#",
        "#/properties/a",
        "#/$defs/n0",
        "regex",
        "(",
        "\u202e",
    ]
    if level and draw.random() < 0.6:
        parts = {draw.choice(KEYS): _anything(draw, level - 1) for _ in range(draw.randrange(1, 4))}
        return draw.choice([parts, [parts], [_anything(draw, level - 1)], {"x": parts}])
    return draw.choice(flat)


def arguments(draw: Random) -> dict[str, Any]:
    """Arguments of many shapes, with the mark in every text."""
    word = f"{MARK}-{draw.randrange(10**6)}"
    value = draw.choice(
        [1, Lexeme("4.02"), word, [word] * 3, {"a": {"a": word}, "b": [1]}, None, True, "a" * 40 + "!" + word]
    )
    for _ in range(draw.randrange(draw.choice([1, 1, 3, 50]))):
        value = draw.choice([[value], {"a": value}, {"a": value, "b": word}])
    made = {"a": value, "b": word}
    if draw.random() < 0.03:
        made |= (
            {"a": [LONG] * 240}
            if draw.random() < 0.4
            else {"a": [word] * draw.choice([100, 5_000]), "c": word * draw.choice([10, 5_000])}
        )
    return made


WEAPONS: dict[str, Callable[[Random, Path], Any]] = {
    "outward": outward,
    "doubling": doubling,
    "endless": endless,
    "slow": slow,
    "large": large,
    "hurt": hurt,
}
