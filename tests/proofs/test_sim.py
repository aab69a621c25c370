"""The simulation at its quick size, that a seed repeats exactly, and bugs that it has to see."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.proofs import Size, sim
from tests.proofs.sim import QUICK_SEEDS, prove
from tests.proofs.world.actors import USUAL, Actors
from tests.proofs.world.handlers import wired
from tests.proofs.world.planted import (
    held_by_nobody,
    taken_back_by_no_clock,
    unknown_runs_again,
    without_clause,
    without_events,
    without_sweep,
)
from tests.proofs.world.seed import play
from tests.proofs.world.simulation import Simulation

ROOT = Path(__file__).parents[2]
MOST_SEEDS = 2 * QUICK_SEEDS  # as many as the proof plays when something is rare
ONE = "from tests.proofs.world.seed import play\nfrom tests.proofs.world.handlers import wired\nwith wired(): print(play(7).digest)"


def test_no_order_and_no_fault_breaks_a_promise() -> None:
    proof = prove(lambda line: None, Size(quick=True))
    assert proof.violations == []
    assert proof.figures["config_changes"] > 0


def test_seeds_in_which_nothing_is_deployed_are_no_proof() -> None:
    found = sim._proof(sim.Tally()).violations
    assert {f"never deployed: {name}" for name in sim.CHANGES} <= set(found)


def test_every_action_that_is_drawn_more_often_is_one() -> None:
    """A name that no action has would change nothing, and a world of it alone has nothing else."""
    names = {act.__name__ for act, _ in Actors(Simulation(1)).actions}
    assert {name for often in OFTEN.values() for name in often} <= names
    only = Actors(Simulation(1), {name: int(name == "time") for name in names})
    assert [act.__name__ for act, weight in only.actions if weight] == ["time"]


def test_a_seed_repeats_in_another_process() -> None:
    path = os.pathsep.join([str(ROOT), str(ROOT / "layers/policy/python")])
    told = {
        subprocess.run(
            [sys.executable, "-c", ONE],
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": hashes},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hashes in ("1", "2")
    }
    assert len(told) == 1


PLANTED: dict[str, tuple[Callable[[], AbstractContextManager[None]], str]] = {
    "two claims of one permit": (lambda: without_clause("permit_free"), "two effects"),
    "decided after the deadline": (lambda: without_clause("in_time"), "at or after its deadline"),
    "decided twice": (lambda: without_clause("call_pending", "first"), "no move from"),
    "decided by a former member": (lambda: without_clause("still_member"), "no member any more"),
    "decided by the requester": (lambda: without_clause("not_requester"), "his own request"),
    "claimed after the cancel": (lambda: without_clause("not_cancelled", "not_resumed"), "and cancelled"),
    "event outside the transaction": (without_events, "without its event"),
    "claimed while it may be taken back": (held_by_nobody, "while its decision could be taken back"),
    "taken back after its time": (taken_back_by_no_clock, "taken back after its time"),
    "no sweep": (without_sweep, "neither ended nor listed"),
    "unknown runs again": (unknown_runs_again, "two effects"),
}


# One that is rarely met is looked for in worlds where what it hangs on is drawn more often.
OFTEN = {
    "two claims of one permit": {"intrude": 6},
    "unknown runs again": {"intrude": 6},
    "claimed after the cancel": {"cancel": 10, "intrude": 10},
    "claimed while it may be taken back": {"intrude": 10},
    "taken back after its time": {"take_back": 10},
}


@pytest.mark.parametrize("bug", PLANTED)
def test_a_planted_bug_is_seen(bug: str) -> None:
    planted, seen = PLANTED[bug]
    with wired(), planted():
        for seed in range(1, 1 + MOST_SEEDS):
            if any(seen in violation for violation in play(seed, OFTEN.get(bug, USUAL)).violations):
                return
    pytest.fail(f"{MOST_SEEDS} seeds did not see it")
