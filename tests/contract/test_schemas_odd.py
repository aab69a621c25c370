"""Tools' schemas and arguments that no validator was made for: refused with a code, nothing stored, never our fault."""

from __future__ import annotations

import json
from typing import Any

import pytest

from placet.model.canonical import MAX_NUMBER_CHARACTERS
from tests.contract.test_sizes import TAKEN, body, captured
from tests.functions.conftest import Api, api  # noqa: F401 - a fixture

BROKEN = (422, "arguments_break_schema")
NO_SCHEMA = (422, "schema_invalid")
COMPLEX = (422, "schema_too_complex")
HUGE = "9" * MAX_NUMBER_CHARACTERS


@pytest.mark.parametrize(
    ("schema", "value", "said"),
    [
        ({"multipleOf": 0.01}, HUGE, {TAKEN}),
        ({"multipleOf": 7}, HUGE, {BROKEN}),
        ({"multipleOf": 9}, HUGE, {TAKEN}),
        ({"maximum": 1.5}, HUGE, {BROKEN}),
        ({"minimum": 0.5}, HUGE, {TAKEN}),
        ({"multipleOf": 0.01}, "240.50", {TAKEN}),
        ({"multipleOf": 0.01}, "4.02", {TAKEN}),
        ({"maximum": 100}, "100.00000000000000000001", {BROKEN}),
        ({"format": "date-time"}, '"tomorrow at nine"', {BROKEN}),
        ({"$ref": "file:///etc/hostname"}, '"x"', {NO_SCHEMA}),
        ({"not": {"not": {"pattern": "(a{1000}){1000}"}}}, '"x"', {COMPLEX}),
        ({"type": "integer"}, "1.0", {TAKEN}),
        ({"enum": [1]}, "1", {TAKEN}),
        ({"const": 1}, "2", {BROKEN}),
        ({"pattern": "("}, '"x"', {NO_SCHEMA}),
        ({"$ref": "#/properties/n"}, '"x"', {NO_SCHEMA}),
        ({"$ref": "https://example.com/schema"}, '"x"', {NO_SCHEMA}),
        ({"$ref": "#/nowhere"}, '"x"', {NO_SCHEMA}),
        ({"type": "money"}, '"x"', {NO_SCHEMA}),
        ({"type": 7}, '"x"', {NO_SCHEMA}),
        ({"minLength": -1}, '"x"', {NO_SCHEMA}),
    ],
)
def test_an_odd_schema(api: Api, schema: dict[str, Any], value: str, said: set[Any]) -> None:  # noqa: F811
    sent = body(("ask_bank", {"n": "HERE"}))
    sent["native"]["tools"] = {"ask_bank": {"schema": {"type": "object", "properties": {"n": schema}}}}
    assert captured(api, json.dumps(sent).replace('"HERE"', value)) in said
