"""The customer's policy as code: its types (`rules`, `classes`, `working_time`), what a rule may know (`facts`), and their
evaluation (`evaluate`). Pure."""

from placet.policy.classes import ActionClass, Level, Then
from placet.policy.evaluate import Ruling, gates, questions_of, rule_on
from placet.policy.facts import NO_FACTS, Facts, Of, OrderSeen, Origin, Passage, Seen, Spending, Unjudged
from placet.policy.rules import Always, Effect, Policy, Threshold, Tool
from placet.policy.working_time import WEEKDAYS, Day, WorkingHours

__all__ = [
    "NO_FACTS",
    "WEEKDAYS",
    "ActionClass",
    "Always",
    "Day",
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
    "Then",
    "Threshold",
    "Tool",
    "Unjudged",
    "WorkingHours",
    "gates",
    "questions_of",
    "rule_on",
]
