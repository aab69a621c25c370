"""The crash proof at its quick size, and bugs that it has to see."""

from __future__ import annotations

from contextlib import AbstractContextManager

import pytest

from tests.proofs import Size
from tests.proofs.crash import RUNS, SCENARIOS, Tally, _faults, judge, prove
from tests.proofs.world.handlers import wired
from tests.proofs.world.planted import told_before_done, unknown_runs_again, without_sweep


def test_no_crash_loses_or_doubles_anything() -> None:
    proof = prove(lambda line: None, Size(quick=True))
    assert proof.violations == []
    assert proof.figures["runs"] >= RUNS
    assert proof.figures["sweeps_to_recover"] <= 2


@pytest.mark.parametrize(
    ("planted", "seen"),
    [
        (without_sweep(), "on no list"),
        (unknown_runs_again(), "two effects"),
        (told_before_done(), "never told"),
    ],
    ids=["no sweep", "unknown runs again", "told before done"],
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
                if any(seen in violation for violation in tally.violations):
                    return
    pytest.fail("nobody saw it")
