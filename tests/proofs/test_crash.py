"""The crash proof at its quick size, and bugs that it has to see."""

from __future__ import annotations

from contextlib import AbstractContextManager

import pytest

from placet.service.dispatch import Edge
from tests.proofs import Size
from tests.proofs.crash import RUNS, SCENARIOS, Tally, _faults, _hold, judge, judge_unswept, prove
from tests.proofs.world.cast import BILLING
from tests.proofs.world.handlers import wired
from tests.proofs.world.life import Fault, Life, Scenario
from tests.proofs.world.planted import (
    never_released,
    ran_while_it_was_held,
    taken_back_late,
    tokens_forgotten,
    told_before_done,
    unknown_runs_again,
    without_edge,
    without_sweep,
)


def test_no_crash_loses_or_doubles_anything() -> None:
    proof = prove(lambda line: None, Size(quick=True))
    assert proof.violations == []
    assert proof.figures["runs"] >= RUNS
    assert proof.figures["sweeps_to_recover"] <= 3
    assert proof.figures["sweep_off_missing"] == 0


@pytest.mark.parametrize(
    ("planted", "seen"),
    [
        (without_sweep(), "on no list"),
        (unknown_runs_again(), "two effects"),
        (told_before_done(), "never told"),
        (without_edge(Edge.CAPTURED), "without a sweep: the run does not go on"),
        (without_edge(Edge.CLOSED), "without a sweep: the run does not go on"),
        (tokens_forgotten(), "still runs"),
    ],
    ids=["no sweep", "unknown runs again", "told before done", "nothing starts", "nothing is answered", "no token"],
)
def test_a_planted_bug_is_seen(planted: AbstractContextManager[None], seen: str) -> None:
    tally = Tally()
    with wired():
        plans = [
            (scenario, fault)
            for scenario in SCENARIOS
            if scenario.verdict == "accept" and not scenario.keyed
            for fault in _faults(scenario, Tally())
        ]
        with planted:
            for scenario, fault in plans:
                judge(tally, scenario, (fault,))
                judge_unswept(tally, scenario, fault)
                if any(seen in violation for violation in tally.violations):
                    return
    pytest.fail("nobody saw it")


@pytest.mark.parametrize(
    ("planted", "verdict", "seen"),
    [
        (ran_while_it_was_held(), "accept", "acts while its decision may be taken back"),
        (never_released(), "accept", "on no list"),
        (taken_back_late(), "undo", "an effect without a yes"),
    ],
    ids=["a permit while it is held", "a hold that never ends", "taken back after its time"],
)
def test_a_planted_bug_of_taking_back_is_seen(planted: AbstractContextManager[None], verdict: str, seen: str) -> None:
    """Without any crash: these are wrong in every life."""
    found = [one for one in SCENARIOS if one.window and one.verdict == verdict]
    tally = Tally()
    with wired(), planted:
        for scenario in found:
            _hold(tally, Life(scenario).play(), scenario.name)
    assert any(seen in violation for violation in tally.violations), tally.violations


def test_an_edit_that_got_too_old_is_asked_again_as_what_it_made_of_the_call() -> None:
    """Two deliveries die one after the other with their leases, which outlives the approval."""
    tally, scenario = Tally(), Scenario("edit", BILLING, keyed=True)
    faults: list[Fault] = []
    with wired():
        for _ in range(2):
            touches = Life(scenario, tuple(faults)).play().touches
            leased = [
                index for index, touch in enumerate(touches) if (touch.by, touch.what) == ("resume", "ids.secret")
            ]
            faults.append(
                Fault(leased[-1] + 2, "after", again=True)
            )  # the lease was taken, and what is delivered is read
        judge(tally, scenario, tuple(faults))
        life = Life(scenario, tuple(faults)).play()
    assert (tally.pairs, tally.violations) == (1, [])
    (call,) = life.world.head(life.pause).calls
    assert call.round == 2
    (effect,) = life.process.ledger
    assert effect.digest == call.digest
