"""Asking the policy: which gate a call meets, in which class, and which rules fired."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from placet.model.argument_places import names_of
from placet.policy.rules import ActionClass, Always, Effect, Policy, Rule, Tool

UNKNOWN_TOOL = Always("policy/unknown-tool", "The policy does not know this tool, so a person has to look.")

DENIED_TOOL = Always("policy/denied-tool", "The policy forbids this tool.")


@dataclass(frozen=True)
class Ruling:
    """What the policy says of one call.

    Attributes:
        review: True when a person has to decide; False when the call passes.
        denied: True when nobody may let it through.
        fired: (rule id, sentence) of every rule that fired.
    """

    review: bool
    action_class: ActionClass
    fired: tuple[tuple[str, str], ...]
    denied: bool = False


def rule_on(policy: Policy, tool: str, arguments: dict[str, Any]) -> Ruling:
    """The ruling on one call. A tool that the policy does not name is reviewed in its `unknown_class`."""
    known = policy.tools.get(tool)
    if known is None:
        return Ruling(True, policy.classes[policy.unknown_class], _named(UNKNOWN_TOOL))
    if known.denied:
        return Ruling(False, policy.classes[known.action_class], _named(DENIED_TOOL), denied=True)
    fired = tuple(pair for rule in known.rules if rule.fires(arguments) for pair in _named(rule))
    return Ruling(bool(fired), policy.classes[known.action_class], fired)


def gates(policy: Policy) -> dict[str, str]:
    """The gate list of the SDK: `free` or `pause` by tool name. Tools that are not in it pause."""
    return {name: "free" if tool.free else "pause" for name, tool in sorted(policy.tools.items())}


def tool_of(policy: Policy, name: str) -> Tool:
    """The policy's entry for a tool; an unknown one is treated as impossible to undo."""
    return policy.tools.get(name) or Tool(name, policy.unknown_class, (UNKNOWN_TOOL,), effect=Effect.NEVER)


def fixed_in(tool: Tool, arguments: Iterable[str]) -> list[str]:
    """The names that no edit may change, of those under which arguments stand; in order."""
    fixed = {name for one in tool.fixed for name in names_of(one)}
    return sorted(fixed.intersection(arguments))


def _named(rule: Rule) -> tuple[tuple[str, str], ...]:
    return ((rule.id, rule.sentence),)
