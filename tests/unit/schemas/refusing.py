"""What the door says of arguments and a schema."""

from __future__ import annotations

from typing import Any

from placet.model.canonical import parse
from placet.model.errors import Invalid
from placet.service.schemas import check_arguments

URIS = {
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}
BROKEN, NO_SCHEMA, COMPLEX = "arguments_break_schema", "schema_invalid", "schema_too_complex"


def said(value: Any, schema: Any) -> str:
    """The code for one argument `a` under its schema; "" when it fits. Texts are JSON."""
    return refusal(value, schema)[0]


def refusal(value: Any, schema: Any) -> tuple[str, list[dict[str, str]]]:
    """The code, and what is wrong."""
    rule = parse(schema) if isinstance(schema, str) else schema
    return refused({"a": parse(value) if isinstance(value, str) else value}, {"properties": {"a": rule}})


def refused(arguments: Any, schema: Any) -> tuple[str, list[dict[str, str]]]:
    """The same of whole arguments."""
    try:
        check_arguments(arguments, schema)
    except Invalid as error:
        return error.code, error.members["problems"]
    return "", []
