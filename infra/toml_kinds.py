"""Kinds of values in a TOML file as the settings take them, and how one that is another is told."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator

from infra.registry import CAPITALS, SettingsError, same

MUST = {  # what a value of the wrong kind has to be, by the name of pydantic's error
    "bool_type": "true or false, without quotes",
    "int_type": "a whole number, without quotes",
    "string_type": "text in quotes",
    "tuple_type": 'a list: ["one", "other"]',
    "dict_type": "a table: { decide = 5 }",
}


def _listed(value: Any) -> Any:
    """TOML's lists as tuples; anything else is refused by its kind."""
    return tuple(value) if isinstance(value, list) else value


def once(value: tuple[str, ...]) -> tuple[str, ...]:
    """The names. Raises SettingsError when one stands there twice."""
    if doubled := sorted({one for one in value if value.count(one) > 1}):
        raise SettingsError(f"names {', '.join(doubled)} twice")
    return value


def once_as_roles(value: tuple[str, ...]) -> tuple[str, ...]:
    """The names of roles. Raises SettingsError when one stands there twice, in whatever capitals."""
    if doubled := same(value):
        raise SettingsError(f"names {', '.join(doubled)} twice; {CAPITALS}")
    return value


Words = Annotated[tuple[str, ...], BeforeValidator(_listed)]
