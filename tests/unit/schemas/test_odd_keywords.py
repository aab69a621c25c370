"""Keywords that name or find a schema, holding what is no name: some metaschemas do not say what they hold."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from placet.model.errors import Invalid
from placet.service import schemas
from placet.service.schemas.dialects import OPEN
from tests.proofs.schematic.drawing import URIS

NAMING = ("$ref", "$dynamicRef", "$recursiveRef", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor")
ODD: tuple[Any, ...] = ({}, {"a": 1}, [], 1, None, True)
FORMS: tuple[Any, ...] = (*ODD, "a", [{"maximum": 1}], ["a"], [["a"]], {"a": ["b"]}, {"a": {"maximum": 1}}, {"a": "b"})


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


@pytest.mark.parametrize("dialect", URIS)
def test_no_form_of_any_keyword_does(dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def unforeseen(error: BaseException) -> Invalid:
        raise error

    monkeypatch.setattr(schemas, "_unexpected", unforeseen)
    named = {"$schema": URIS[dialect]} if URIS[dialect] else {}
    said = set[str]()
    for name, form in product(sorted({*OPEN.VALIDATORS, *NAMING, "definitions", "$defs", "nullable"}), FORMS):
        if (name, form) == (
            "$recursiveRef",
            "a",
        ):  # 2019-09 takes any text for `#`: a schema that is itself, without an end
            continue
        said.add(code := _code({**named, name: form}))
        assert code in ("", "schema_invalid", "arguments_break_schema"), (name, form)
    assert said == {"", "schema_invalid", "arguments_break_schema"}


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
