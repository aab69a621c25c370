"""The last moment at its quick size, and the bugs that it must see."""

from __future__ import annotations

from tests.proofs import Size, deadline
from tests.proofs.racing.planted import clock_read_once, silence_is_consent


def say(line: str) -> None:
    print(line, flush=True)


def test_a_decision_or_the_clock_and_never_late() -> None:
    proof = deadline.prove(say, Size(quick=True))
    assert proof.violations == [], proof.table
    assert proof.line.endswith("outcomes_per_call=1 late_accepts=0 auto_accepts=0")
    assert (proof.figures["rounds"], proof.figures["conflicts"] > 0) == (40, True)


def test_without_in_time_a_late_decision_is_seen() -> None:
    seen = deadline.raced(say, 24, 2, seed=1, drop=("in_time",))
    assert seen.late_accepts > 0


def test_a_clock_that_is_read_once_carries_a_decision_over_its_deadline() -> None:
    seen = deadline.raced(say, 24, 2, seed=1, plant=clock_read_once)
    assert seen.conflicts > 0
    assert seen.late_accepts > 0


def test_a_proof_without_a_conflict_is_none() -> None:
    assert any("no decision was held" in one for one in deadline.judged(deadline.Seen(rounds=100)).violations)


def test_an_expiry_that_accepts_is_seen() -> None:
    seen = deadline.raced(say, 8, 2, seed=1, plant=silence_is_consent)
    assert seen.auto_accepts > 0


def test_a_clock_that_never_wins_is_no_proof() -> None:
    seen = deadline.Seen(rounds=100)
    seen.won["accept"] = 100
    assert any("the clock won only 0" in one for one in deadline.judged(seen).violations)
