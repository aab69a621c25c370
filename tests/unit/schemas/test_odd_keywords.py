"""Keywords that name or find a schema, holding what is no name: some metaschemas do not say what they hold."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from placet.model.errors import Invalid
from placet.service import schemas
from tests.proofs.schematic.drawing import URIS

NAMING = ("$ref", "$dynamicRef", "$recursiveRef", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor")
ODD: tuple[Any, ...] = ({}, {"a": 1}, [], 1, None, True)


@pytest.mark.parametrize("dialect", URIS)
def test_no_odd_keyword_ends_a_check_in_an_error_of_the_library(dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def unforeseen(error: BaseException) -> Invalid:
        raise error

    monkeypatch.setattr(schemas, "_unexpected", unforeseen)
    named = {"$schema": URIS[dialect]} if URIS[dialect] else {}
    for name, odd in product(NAMING, ODD):
        rule = {name: odd}
        for schema in (rule, {"properties": {"a": rule}}, {"allOf": [{**rule, "unevaluatedProperties": False}]}):
            assert _code({**named, **schema}) in ("", "schema_invalid", "arguments_break_schema"), (name, odd)


@pytest.mark.parametrize("draft", ["draft4", "draft7"])
def test_a_reference_that_is_no_text_is_named(draft: str) -> None:
    with pytest.raises(Invalid) as refused:
        schemas.check_arguments({"a": 1}, {"$schema": URIS[draft], "properties": {"a": {"$ref": {"b": 1}}}})
    assert refused.value.code == "schema_invalid"
    assert "$ref" in str(refused.value.members)


def _code(schema: dict[str, Any]) -> str:
    try:
        schemas.check_arguments({"a": {}}, schema)
    except Invalid as refused:
        return refused.code
    return ""
