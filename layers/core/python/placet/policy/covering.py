"""Which rule stops all that another one stops, so that the other says nothing."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from decimal import Decimal

from placet.policy.budgets import Budget
from placet.policy.choices import NotOneOf, OneOf
from placet.policy.places import place_of
from placet.policy.rules import Always, Rule
from placet.policy.sampling import Sample
from placet.policy.thresholds import ConfidenceBelow, NumberOver, Threshold

_BESIDE = {"id", "sentence"}


def covers(wide: Rule, narrow: Rule) -> bool:
    """Whether the first fires whenever the second does; False where that cannot be told."""
    if isinstance(wide, Sample) or isinstance(narrow, Sample):
        return False
    if isinstance(wide, Always):
        return True
    if isinstance(wide, Threshold) and isinstance(narrow, Threshold):
        return wide.argument == narrow.argument and _within(wide, narrow)
    if isinstance(wide, OneOf | NotOneOf) and isinstance(narrow, OneOf | NotOneOf):
        return wide.argument == narrow.argument and _chosen(wide, narrow)
    if isinstance(wide, ConfidenceBelow) and isinstance(narrow, ConfidenceBelow):
        return wide.least >= narrow.least
    if isinstance(wide, NumberOver) and isinstance(narrow, NumberOver):
        return wide.number == narrow.number and wide.above <= narrow.above
    return not isinstance(wide, Budget) and _same(wide, narrow)


def is_idle(rule: Rule) -> str:
    """Why a rule can never fire; empty when it can, or when that cannot be told."""
    if isinstance(rule, Threshold) and rule.above is None and place_of(rule.argument).of == "len":
        least = rule.least or Decimal(0)
        return "a length is never under zero" if least <= 0 else ""
    return ""


def _within(wide: Threshold, narrow: Threshold) -> bool:
    """Whether what passes the wide rule passes the narrow one."""
    over = narrow.above is None or (wide.above is not None and wide.above <= narrow.above)
    under = narrow.least is None or (wide.least is not None and wide.least >= narrow.least)
    return over and under


def _chosen(wide: OneOf | NotOneOf, narrow: OneOf | NotOneOf) -> bool:
    if isinstance(wide, OneOf):
        return wide.values <= narrow.values if isinstance(narrow, OneOf) else not narrow.spells_any(wide.values)
    return isinstance(narrow, NotOneOf) and wide.values >= narrow.values


def _same(wide: Rule, narrow: Rule) -> bool:
    """Whether two rules differ in nothing but their names and sentences."""
    if type(wide) is not type(narrow) or not is_dataclass(wide):
        return False
    return all(getattr(wide, one.name) == getattr(narrow, one.name) for one in fields(wide) if one.name not in _BESIDE)
