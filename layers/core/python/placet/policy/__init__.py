"""The customer's policy as code: its types (`rules`) and their evaluation (`evaluate`). Pure."""

from placet.policy.evaluate import Ruling, gates, rule_on
from placet.policy.rules import ActionClass, Always, Effect, Level, Policy, Threshold, Tool

__all__ = [
    "ActionClass",
    "Always",
    "Effect",
    "Level",
    "Policy",
    "Ruling",
    "Threshold",
    "Tool",
    "gates",
    "rule_on",
]
