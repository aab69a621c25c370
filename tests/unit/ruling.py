"""One rule by itself, on one call of a tool."""

from __future__ import annotations

from decimal import Decimal

from placet.model.canonical import parse
from placet.policy import (
    NO_FACTS,
    ActionClass,
    Facts,
    Level,
    Policy,
    Tool,
    rule_on,
)
from placet.policy.rules import Rule

CLASS = ActionClass("x", (Level(("finance",)),), deadline_s=10, hard_maximum_s=10, freshness_s=10)
ENDS = ("x", "x")
D = Decimal


def policy(*rules: Rule, denies: tuple[Rule, ...] = (), observe: bool = False) -> Policy:
    action_class = ActionClass("y", CLASS.levels, deadline_s=10, hard_maximum_s=10, freshness_s=10, observe=observe)
    return Policy.of("1", [CLASS, action_class], [Tool("pay", "y", rules=rules, denies=denies)], "x")


def outcome(rule: Rule, text: str, facts: Facts = NO_FACTS) -> bool | str:
    """True, False, or why it could not be judged."""
    ruling = rule_on(policy(rule), "pay", parse(text), facts)
    if not ruling.review:
        return False
    ((_, sentence),) = ruling.fired
    _, unsure, why = sentence.partition("This could not be judged: ")
    return why.removesuffix(".") if unsure else True
