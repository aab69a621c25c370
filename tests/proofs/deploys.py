"""Deploys: whatever changes in policy, registry and groups while pauses of every state wait, each stays in sight and ends.

Every change comes upon a pause in every state. Then everybody goes on, by the verbs' own code on a played clock: a pause that
needs a person stands before one who may decide it, or on the stuck list because nobody may; what is decided is executed, ends, or
is listed. At last what was is deployed again, and an operator brings whatever was listed to its end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from tests.proofs import Proof, Size
from tests.proofs.deploying.changes import CHANGES
from tests.proofs.deploying.course import Cell, play
from tests.proofs.deploying.states import FROZEN, STATES

QUICK = 12  # changes, spread over the list; the seed moves them


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Every state under every change, or under a few."""
    step = len(CHANGES) / QUICK
    chosen = [CHANGES[int(size.seed - 1 + at * step) % len(CHANGES)] for at in range(QUICK)] if size.quick else CHANGES
    cells = []
    for change in chosen:
        cells += play(change)
        say(f"deploys: {change.name}: {len(STATES) + len(FROZEN)} pauses")
    return judged(cells)


def judged(cells: list[Cell]) -> Proof:
    """The figures, and what makes the proof fail."""
    changes, states = dict.fromkeys(cell.change for cell in cells), {cell.state.name for cell in cells}
    figures: dict[str, float] = {"changes": len(changes), "states": len(states), "cells": len(cells)}
    violations = [f"{cell.change}: {cell.state.name} was not reached" for cell in cells if not cell.reached]
    for kind in ("invisible", "unlisted", "lost"):
        found = [cell for cell in cells if getattr(cell, kind)]
        figures[kind] = len(found)
        violations += [f"{cell.change}: {cell.state.name}: {getattr(cell, kind)[0]}" for cell in found]
    rows = [f"| {change} | {_reasons(cells, change)} |" for change in changes]
    table = "\n".join(["| change | listed for |", "|---|---|", *rows])
    return Proof("deploys", table, figures, violations)


def _reasons(cells: list[Cell], change: str) -> str:
    found = Counter(reason for cell in cells if cell.change == change for reason in cell.reasons if reason)
    return ", ".join(f"{reason} {count}" for reason, count in sorted(found.items()))
