"""The race at its quick size, and the bugs that it must see."""

from __future__ import annotations

import pytest

from tests.proofs import Size, race

SMALL = race.Plan(rounds=6, deciders=8, processes=2, others=0, http_rounds=0, http_deciders=0)


def say(line: str) -> None:
    print(line, flush=True)


def test_of_many_deciders_one_decides() -> None:
    proof = race.prove(say, Size(quick=True))
    assert proof.violations == [], proof.table
    assert proof.line == (
        "race: rounds=24 deciders=16 processes=2 http_rounds=3 winners_per_round=1 effects_per_round=1 server_errors=0"
    )


@pytest.mark.parametrize(
    ("dropped", "seen"),
    [
        (("call_pending", "first"), "were told that they decided"),
        (("permit_free",), "workers got the permit"),
    ],
)
def test_a_clause_that_is_left_out_is_seen(dropped: tuple[str, ...], seen: str) -> None:
    tally = race.raced(say, SMALL, seed=1, drop=dropped)
    assert any(seen in one for one in tally.violations), tally.violations


def test_a_race_that_nobody_lost_is_no_proof() -> None:
    tally = race.raced(say, race.Plan(1, 1, 1, 0, 0, 0), seed=1)
    found = race.judged(SMALL, tally, race.Tally()).violations
    assert "coverage: nobody ever raced in 'accept, edit, reject'" in found
    assert "coverage: nothing was raced over HTTP" in found
