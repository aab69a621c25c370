"""The customer's policy as code: its types, the kinds of rules, what a rule may know (`facts`) and their evaluation. Pure."""

from placet.policy.budgets import Budget, Per
from placet.policy.choices import NotOneOf, OneOf
from placet.policy.classes import ActionClass, Level, Then
from placet.policy.evaluate import Ruling, gates, questions_of, rule_on
from placet.policy.facts import NO_FACTS, Facts, Of, OrderSeen, Origin, Passage, Seen, Spending, Unjudged
from placet.policy.novelty import FirstTime, UnseenOrder
from placet.policy.provenance import FromUntrusted
from placet.policy.rules import Always, Effect, Policy, Tool
from placet.policy.sampling import Sample
from placet.policy.thresholds import ConfidenceBelow, NumberOver, Threshold
from placet.policy.undoing import Argument, Outcome, Undo
from placet.policy.working_time import WEEKDAYS, Day, WorkingHours

__all__ = [
    "NO_FACTS",
    "WEEKDAYS",
    "ActionClass",
    "Always",
    "Argument",
    "Budget",
    "ConfidenceBelow",
    "Day",
    "Effect",
    "Facts",
    "FirstTime",
    "FromUntrusted",
    "Level",
    "NotOneOf",
    "NumberOver",
    "Of",
    "OneOf",
    "OrderSeen",
    "Origin",
    "Outcome",
    "Passage",
    "Per",
    "Policy",
    "Ruling",
    "Sample",
    "Seen",
    "Spending",
    "Then",
    "Threshold",
    "Tool",
    "Undo",
    "Unjudged",
    "UnseenOrder",
    "WorkingHours",
    "gates",
    "questions_of",
    "rule_on",
]
