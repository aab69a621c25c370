"""Slips in how the SDK is called, told where it is called: one sentence with what was given, what is wanted and what to write."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from placet.client.errors import Misused


def check_name(what: str, value: Any, where: str = "") -> str:
    """The id or name of something; an empty one would ask the gateway of another thing. Raises Misused."""
    if not isinstance(value, str) or not value.strip():
        shown = f"is a {type(value).__name__}" if not isinstance(value, str) else "is empty"
        raise Misused(f"{what} {shown}: it has to be a text that names one{f', {where}' if where else ''}.")
    return value


def check_text(what: str, value: Any) -> None:
    """Any text, an empty one too. Raises Misused."""
    if not isinstance(value, str):
        raise Misused(f"{what} is a {type(value).__name__}: it has to be a text.")


def check_one_of(what: str, value: Any, known: Collection[str]) -> str:
    """One of a few words. Raises Misused."""
    if value not in known:
        raise Misused(f"{what} is {value!r}: it has to be one of {', '.join(known)}.")
    return str(value)


def check_has(what: str, value: Any, method: str, write: str) -> None:
    """Something that can do what is asked of it: an instance, and no class. Raises Misused."""
    if isinstance(value, type):
        raise Misused(f"{what} is the class {value.__name__}: make one of it, {write}.")
    if not callable(getattr(value, method, None)):
        raise Misused(f"{what} is a {type(value).__name__}: pass {write}.")


def check_list(what: str, value: Any, write: str) -> None:
    """Several, as a list or tuple; a text would be the list of its letters. Raises Misused."""
    if not isinstance(value, list | tuple):
        raise Misused(f"{what} is a {type(value).__name__}: it has to be a list, {write}.")
