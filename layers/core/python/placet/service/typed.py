"""What a reviewer types before a call that cannot be undone is accepted (decision 043)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from placet.model.canonical import canonical, is_text
from placet.model.visible import counts
from placet.policy.rules import Effect, Tool
from placet.service.headlines import value_text

MOST_TYPED = 60  # characters of a value that we choose; the policy may name a longer one
TOOL_NAME = ""  # in place of an argument's name: the tool's own name is typed


def value_to_type(
    tool: Tool, arguments: dict[str, Any], beside: Sequence[dict[str, Any]] = ()
) -> tuple[str, str] | None:
    """(argument, value): of the argument that the policy names, or else of the first that tells the call from those beside it.

    Where nothing tells them apart it is the tool's name, under TOOL_NAME. None for what can be undone: friction only where it pays.

    Args:
        beside: arguments of the other calls of this tool in the pause.
    """
    if tool.effect is not Effect.NEVER:
        return None
    chosen = tool.type_to_accept if tool.type_to_accept in arguments else _telling(arguments, beside)
    return (chosen, value_text(arguments[chosen])) if chosen else (TOOL_NAME, tool.name)


def _telling(arguments: dict[str, Any], beside: Sequence[dict[str, Any]]) -> str:
    """The first argument that can be typed and has another value in every call beside this one; empty when there is none."""
    if not beside:
        return ""
    return next(
        (name for name in arguments if _is_typeable(arguments[name]) and _is_alone(name, arguments, beside)), ""
    )


def _is_alone(name: str, arguments: dict[str, Any], beside: Sequence[dict[str, Any]]) -> bool:
    own = canonical(arguments[name])
    return all(name not in other or canonical(other[name]) != own for other in beside)


def _is_typeable(value: Any) -> bool:
    if isinstance(value, bool) or value is None or isinstance(value, dict | list):
        return False
    text = value_text(value)
    if is_text(value) and (text != text.strip() or "\n" in text or counts(text).total):
        return False
    return 0 < len(text) <= MOST_TYPED
