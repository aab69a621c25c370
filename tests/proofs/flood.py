"""A flood: many captures at once cost nobody else anything, spend no budget twice, and none of them is lost."""

from __future__ import annotations

from collections.abc import Callable

from tests.proofs import Proof, Size
from tests.proofs.flooding import budgets

FULL = budgets.Plan(rounds=60, captures=64, processes=4)
QUICK = budgets.Plan(rounds=3, captures=32, processes=2)


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Race for budgets on DynamoDB."""
    plan = QUICK if size.quick else FULL
    return judged(budgets.raced(say, plan, size.seed))


def judged(spent: budgets.Tally) -> Proof:
    """The last line."""
    figures = {"tried": spent.tried, "budget_overrun": spent.overrun, "lost": spent.lost}
    return Proof("flood", spent.table(), figures, [*spent.violations, *_not_covered(spent)])


def _not_covered(spent: budgets.Tally) -> list[str]:
    """Races for a budget that were none."""
    wanted = {"passed": spent.passed, "was sent to a person": spent.asked, "lost a race for a budget": spent.contested}
    return [f"coverage: no capture {what}" for what, count in wanted.items() if not count]
