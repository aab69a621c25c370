"""The customer's policy as code: its types (`rules`), what a rule may know (`facts`) and their evaluation (`evaluate`). Pure."""

from placet.policy.evaluate import Ruling, gates, questions_of, rule_on
from placet.policy.facts import NO_FACTS, Facts, Of, OrderSeen, Origin, Passage, Seen, Spending, Unjudged
from placet.policy.rules import ActionClass, Always, Effect, Level, Policy, Threshold, Tool

__all__ = [
    "NO_FACTS",
    "ActionClass",
    "Always",
    "Effect",
    "Facts",
    "Level",
    "Of",
    "OrderSeen",
    "Origin",
    "Passage",
    "Policy",
    "Ruling",
    "Seen",
    "Spending",
    "Threshold",
    "Tool",
    "Unjudged",
    "gates",
    "questions_of",
    "rule_on",
]
