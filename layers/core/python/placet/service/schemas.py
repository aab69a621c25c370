"""Checking arguments against a tool's own JSON Schema (draft 2020-12), without any float in what is stored."""

from __future__ import annotations

import re
from typing import Any

from placet.model.canonical import plain
from placet.model.errors import Invalid

MAX_PROBLEMS = 20


def check_arguments(arguments: dict[str, Any], schema: dict[str, Any] | None) -> None:
    """Raises Invalid `arguments_break_schema` with `problems` ({at, problem}), or `schema_invalid` for a schema that is none."""
    if schema is None:
        return
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    value, rules = plain(arguments), plain(schema)
    try:
        Draft202012Validator.check_schema(rules)
        found = list(Draft202012Validator(rules, registry=Registry()).iter_errors(value))  # retrieves nothing
    except ArithmeticError as error:  # a number that the schema's own arithmetic cannot hold
        problems = [{"at": "(arguments)", "problem": str(error)[:200]}]
        raise Invalid("arguments_break_schema", "The arguments cannot be checked.", problems=problems) from None
    except (SchemaError, Unresolvable, RecursionError, ValueError, TypeError, AttributeError, re.error) as error:
        raise Invalid("schema_invalid", "The tool's schema is no JSON Schema.", problems=[str(error)[:200]]) from None
    if found:
        problems = [
            {"at": "/".join(map(str, one.absolute_path)) or "(arguments)", "problem": one.message[:200]}
            for one in found[:MAX_PROBLEMS]
        ]
        raise Invalid("arguments_break_schema", "The arguments do not fit the tool's own schema.", problems=problems)
