"""Tools' own schemas. They are hostile input: an agent sends them, and may have them from anybody.

One door, `check_arguments`. Behind it jsonschema judges, with everything taken away by which a schema could reach out, compute
without end or make the library talk: see docs/schemas.md and decision 022.
"""

from __future__ import annotations

from typing import Any

from placet.model.errors import Invalid


def check_arguments(arguments: dict[str, Any], schema: dict[str, Any] | None) -> None:
    """Let arguments pass that fit the tool's own schema, whatever both of them are.

    Raises:
        Invalid: `arguments_break_schema`, `schema_invalid`, `schema_too_complex`, with `problems`, at most 20 of
            {at, problem}: a place, and our own sentence. No text in them is a value of the arguments.
    """
    if schema is None:
        return
    try:
        from placet.service.schemas.judging import problems_of  # late: jsonschema is a third of a cold start

        problems = problems_of(arguments, schema)
    except (Invalid, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # Python's stack, its memory, a panic in compiled code; never their texts
        raise _unexpected(error) from None
    if problems:
        raise Invalid("arguments_break_schema", "The arguments do not fit the tool's own schema.", problems=problems)


def _unexpected(error: BaseException) -> Invalid:
    """What no bound foresaw is a refusal too. `make proof-schemas` counts it as a fault of ours."""
    says = f"The check ended with {type(error).__name__}."
    return Invalid(
        "schema_too_complex", "The tool's schema cannot be checked.", problems=[{"at": "#", "problem": says}]
    )
