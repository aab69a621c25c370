"""The flood at its quick size, and the bugs that it must see."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from unittest import mock

import pytest

from placet.records import clauses
from placet.records.conditions import Clause, clause
from placet.service import queues
from tests.proofs import Proof, Size, flood
from tests.proofs.flooding import budgets
from tests.proofs.flooding.course import DESK, SHOP, Plan, played

SMALL = budgets.Plan(rounds=2, captures=24, processes=2)
SHORT = Plan(90, 1, 55, 12, 2)  # an hour in which the bound is met, a page is filled, and people make room
DEEP = Plan(150, 1, 130, 12, 2)  # the same with more than two pages
SPENT = budgets.Tally(tried=1, passed=1, asked=1, contested=1)
Plant = Callable[[], AbstractContextManager[object]]


def say(line: str) -> None:
    print(line, flush=True)


def short(plan: Plan = SHORT) -> Proof:
    """One agent floods."""
    found = flood.Flood(played(plan, DESK, SHOP), played(plan, None, SHOP))
    return flood.judged(plan, [found], SPENT)


def test_a_flood_costs_nobody_else_anything_and_nothing_is_lost() -> None:
    proof = flood.prove(say, Size(quick=True))
    assert proof.violations == [], proof.table
    told = re.fullmatch(
        r"flood: tried=300 refused_429=(\d+) other_first_page=1 other_rru_ratio=([\d.]+) other_requests_ratio=([\d.]+)"
        r" mails_per_person_5min=1 budget_overrun=0 lost=0",
        proof.line,
    )
    assert told is not None, proof.line
    assert int(told[1]) > 50
    assert all(float(one) <= 1.1 for one in told.groups()[1:])


def test_the_full_size_is_ten_thousand_captures() -> None:
    assert 2 * flood.FULL.tries == 10_000
    assert flood.FULL.most == 1_000


def no_bound() -> AbstractContextManager[object]:
    return mock.patch("placet.service.capture.admit")


def by_time_only() -> AbstractContextManager[object]:
    """The inbox deals whatever is due soonest, as of one agent."""

    def soonest(lanes: list[Any], limit: int) -> list[Any]:
        rows: list[Any] = []
        while len(rows) < limit and (there := queues._with_rows(lanes)):
            rows.append(there[0].take())
        return rows

    return mock.patch("placet.service.inbox.dealt", soonest)


def every_entry_read() -> AbstractContextManager[object]:
    """The inbox reads whatever stands in the queue before it deals."""
    through = queues._Look.through
    return mock.patch.object(queues._Look, "through", lambda look, size: through(look, 1_000))


def mailbox_without_its_clause() -> AbstractContextManager[object]:
    """Two clauses hold a second mail up: that it is too soon, and that one is owed."""

    def always(*_: Any) -> Clause:
        return clause("always", ("never", "absent"))

    return mock.patch.multiple(clauses, mail_apart=always, nothing_owed=always)


def no_timer() -> AbstractContextManager[object]:
    return mock.patch("placet.service.notify.set_timer")


def shown_to_nobody() -> AbstractContextManager[object]:
    """An inbox that forgets what stands behind its first page."""
    return mock.patch("placet.service.inbox.lanes_cursor", return_value="")


def no_time_to_wait() -> AbstractContextManager[object]:
    return mock.patch("placet.http.routing.retry_after_s", return_value=0)


PLANTS: dict[str, tuple[Plant, str]] = {
    "no bound": (no_bound, "nothing was refused"),
    "a refusal that says not how long to wait": (no_time_to_wait, "was refused with"),
    "an inbox by time only": (by_time_only, "is not on the first page"),
    "an inbox that reads all of a queue": (every_entry_read, "other_rru_ratio is"),
    "a mailbox without its clause": (mailbox_without_its_clause, "mails_per_person_5min is"),
    "a pause without a timer": (no_timer, "lost: "),
    "an inbox of one page": (shown_to_nobody, "lost: "),
}


@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_bug_is_found(name: str) -> None:
    plant, told = PLANTS[name]
    with plant():
        found = short(DEEP if plant is every_entry_read else SHORT)
    assert any(told in one for one in found.violations), found.violations


def test_a_short_flood_has_none_of_them() -> None:
    found = short()
    assert found.violations == [], found.line


def test_a_flood_that_meets_no_bound_or_fills_no_page_proves_nothing() -> None:
    found = short(Plan(20, 1, 55, 12, 2)).violations
    assert "coverage: nothing was refused" in found
    assert "coverage: the other agent captured nothing while the bound was met" in found
    assert "coverage: the flood filled too few pages that the other agent's reviewer looked at" in found


def test_a_counter_without_its_clause_is_overrun() -> None:
    tally = budgets.raced(say, SMALL, seed=1, drop=("within_budget",))
    assert tally.overrun > 0
    assert any("passed and" in one for one in tally.violations), tally.violations


def test_a_race_that_nobody_lost_is_no_proof() -> None:
    found = flood.races_not_covered(budgets.Tally(tried=1, passed=1))
    assert "coverage: no capture lost a race for a budget" in found
    assert "coverage: no capture was sent to a person" in found
