"""Deterministic simulation: the verbs under drawn orders, faults, clocks and crashes; each seed repeats exactly."""

from __future__ import annotations

import multiprocessing
import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tests.proofs import Proof, Size
from tests.proofs.world.deploys import POLICIES, REGISTRIES
from tests.proofs.world.handlers import wired
from tests.proofs.world.oracle import ALL_MOVES
from tests.proofs.world.seed import Outcome, play
from tests.proofs.world.simulation import FAULTS

CHANGES = (*POLICIES, *REGISTRIES, "what was")
SEEDS, QUICK_SEEDS = 10_000, 100
REPEATED = 5  # seeds that are played twice
SHOWN = 5


@dataclass
class Tally:
    """What all seeds came to."""

    seeds: int = 0
    steps: int = 0
    taken: Counter[str] = field(default_factory=Counter)
    fired: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    deploys: Counter[str] = field(default_factory=Counter)
    wrong: list[Outcome] = field(default_factory=list)
    unequal: list[int] = field(default_factory=list)
    digests: dict[int, str] = field(default_factory=dict)

    def add(self, outcome: Outcome) -> None:
        """One more."""
        self.seeds += 1
        self.digests[outcome.seed] = outcome.digest
        self.steps += outcome.steps
        self.taken += outcome.taken
        self.fired += outcome.fired
        self.endings += outcome.endings
        self.deploys += outcome.deploys
        if outcome.violations:
            self.wrong.append(outcome)

    def missing(self) -> list[str]:
        """Moves of the transition tables that no seed took."""
        return sorted(move for move in ALL_MOVES if not self.taken[move])


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Play the seeds from `size.seed` on."""
    tally = Tally()
    seeds = range(size.seed, size.seed + (QUICK_SEEDS if size.quick else SEEDS))
    for outcome in outcomes(seeds, 1 if size.quick else min(2, os.cpu_count() or 1)):
        tally.add(outcome)
        if outcome.violations:
            say(f"seed {outcome.seed}: {outcome.violations[0]}")
        if tally.seeds % 500 == 0:
            say(f"{tally.seeds} seeds, {len(tally.wrong)} with violations")
    with wired():
        while size.quick and tally.missing() and tally.seeds < 2 * QUICK_SEEDS:
            tally.add(play(size.seed + tally.seeds))  # what is rare needs a few more
        tally.unequal = [seed for seed in seeds[:REPEATED] if play(seed).digest != tally.digests[seed]]
    return _proof(tally)


def outcomes(seeds: range, processes: int) -> Iterator[Outcome]:
    """The seeds' outcomes; each process plays one seed at a time."""
    if processes == 1:
        with wired():
            yield from map(play, seeds)
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap_unordered(_alone, seeds, chunksize=20)


def _alone(seed: int) -> Outcome:
    with wired():
        return play(seed)


def _proof(tally: Tally) -> Proof:
    never_fired = [fault for fault in FAULTS if not tally.fired[fault]]
    never_taken = tally.missing()
    violations = [f"seed {one.seed}: {one.violations[0]}" for one in tally.wrong]
    violations += [f"no {fault} ever happened" for fault in never_fired]
    violations += [f"never taken: {move}" for move in never_taken]
    violations += [] if tally.taken["call taken back"] else ["no decision was ever taken back"]
    violations += [f"never deployed: {name}" for name in CHANGES if not tally.deploys[name]]
    violations += [f"seed {seed} does not repeat" for seed in tally.unequal]
    lines = [
        f"{tally.seeds} seeds, {tally.steps} steps",
        "faults: " + ", ".join(f"{fault} {tally.fired[fault]}" for fault in FAULTS),
        *(f"{move:32} {tally.taken[move]}" for move in sorted(tally.taken)),
        "deployed: " + ", ".join(f"{name} {count}" for name, count in sorted(tally.deploys.items())),
        "unattended endings: " + ", ".join(f"{name} {count}" for name, count in sorted(tally.endings.items())),
    ]
    for one in tally.wrong[:SHOWN]:
        lines += ["", f"seed {one.seed}:", *(f"  {line}" for line in one.trace), *one.violations[:3]]
    figures: dict[str, float] = {
        "seeds": tally.seeds,
        "config_changes": tally.deploys.total(),
        "faults_never_fired": len(never_fired),
        "transitions_never_taken": len(never_taken),
        "violations": len(tally.wrong) + len(tally.unequal),
    }
    return Proof("sim", "\n".join(lines), figures, violations)
