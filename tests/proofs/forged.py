"""Forged inputs through the real handlers: nothing runs that no agent proposed, nobody accepts their own, nobody sees another's."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from placet.frameworks import frameworks
from tests.proofs import Proof, Size
from tests.proofs.forging import controls, cookies, delegates, edits, names, runs
from tests.proofs.forging.house import AGENTS, House, house
from tests.proofs.forging.tally import Tally

WANTED = 500
FOREIGN = 1_200  # of another agent under one run's name: more than any window that a reader might have
KINDS = (controls.KIND, cookies.KIND, edits.KIND, runs.KIND, names.KIND, delegates.KIND)


@dataclass(frozen=True)
class Plan:
    """How much of what: rounds of controls and cookies, spellings and ways of each, edits, pauses of another agent, and
    spellings of everybody on the way from who is away to who decides."""

    controls: int
    names: int
    ways: int
    cookies: int
    edits: int
    foreign: int
    delegates: int


QUICK = Plan(controls=1, names=80, ways=2, cookies=1, edits=60, foreign=FOREIGN, delegates=12)
FULL = Plan(controls=4, names=1_200, ways=4, cookies=2, edits=600, foreign=FOREIGN, delegates=200)


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Play every kind of forged input."""
    return judged(*played(say, QUICK if size.quick else FULL, size.seed))


def played(say: Callable[[str], None], plan: Plan, seed: int = 1, kinds: tuple[str, ...] = KINDS) -> tuple[Tally, int]:
    """What the inputs of these kinds came to, and how many agents they were tried on."""
    tally, dice = Tally(), random.Random(seed)  # noqa: S311 - repeatable, guards nothing
    steps: dict[str, Callable[[House], None]] = {
        controls.KIND: lambda there: controls.tried(there, tally, dice, plan.controls),
        cookies.KIND: lambda there: cookies.tried(there, tally, dice, plan.cookies),
        edits.KIND: lambda there: edits.tried(there, tally, dice, plan.edits),
        runs.KIND: lambda there: runs.tried(there, tally, dice, plan.foreign),
        delegates.KIND: lambda there: delegates.tried(there, tally, dice, plan.delegates),
        names.KIND: lambda there: names.tried(there, tally, dice, plan.names, plan.ways),
    }
    for kind in kinds:
        with house() as made:
            steps[kind](made)
            say(f"forged: {kind}: {tally.inputs[kind]} inputs, violations: {len(tally.violations)}")
    return tally, len(AGENTS)


def judged(tally: Tally, agents: int) -> Proof:
    """The last line; too few inputs, or a kind of which nothing honest was taken, prove nothing."""
    inputs = sum(tally.inputs.values())
    missing = [f"coverage: nothing forged: {kind}" for kind in KINDS if not tally.inputs[kind]]
    missing += [f"coverage: nothing honest was taken: {kind}" for kind in KINDS if not tally.honest[kind]]
    missing += [f"coverage: {inputs} inputs, {WANTED} are wanted"] * (inputs < WANTED)
    figures = {
        "agents": agents,
        "frameworks": len(frameworks()),
        "inputs": inputs,
        "executed_unproposed": tally.executed_unproposed,
        "accepted_by_self": tally.accepted_by_self,
        "seen_by_others": tally.seen_by_others,
    }
    return Proof("forged", tally.table(), figures, [*tally.violations[:40], *missing])
