"""The flood at its quick size, and the bugs that it must see."""

from __future__ import annotations

import re

from tests.proofs import Size, flood
from tests.proofs.flooding import budgets

SMALL = budgets.Plan(rounds=2, captures=24, processes=2)


def say(line: str) -> None:
    print(line, flush=True)


def test_a_flood_spends_no_budget_twice_and_loses_nothing() -> None:
    proof = flood.prove(say, Size(quick=True))
    assert proof.violations == [], proof.table
    assert re.fullmatch(r"flood: tried=96 budget_overrun=0 lost=0", proof.line)


def test_a_counter_without_its_clause_is_overrun() -> None:
    tally = budgets.raced(say, SMALL, seed=1, drop=("within_budget",))
    assert tally.overrun > 0
    assert any("passed and" in one for one in tally.violations), tally.violations


def test_a_race_that_nobody_lost_is_no_proof() -> None:
    found = flood.judged(budgets.Tally(tried=1, passed=1)).violations
    assert "coverage: no capture lost a race for a budget" in found
    assert "coverage: no capture was sent to a person" in found
