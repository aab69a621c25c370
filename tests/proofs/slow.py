"""Every service that a function asks hangs, fails, refuses, is gone, answers late or slowly, from its first requests on: no pause
is taken from its reviewers, nothing stays unsent once the service is back, and no function goes on longer than its time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

from tests.proofs import Proof, Size
from tests.proofs.outages.playing import Outcome, cells_of, play
from tests.proofs.outages.scenes import SCENES
from tests.proofs.outages.troubles import KINDS, SERVICES, Cell

WANTED, QUICK_WANTED = 1_000, 100
MOST = 4  # requests of a function to one service from which on it is in trouble, in the full size


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Play each scene once with nothing wrong, to see who asks whom; then once for each cell."""
    draw = Random(size.seed)  # noqa: S311 - a seed has to repeat
    cells = [cell for scene in SCENES for cell in cells_of(scene, 1 if size.quick else MOST)]
    if size.quick:
        cells = _one_of_each(cells, draw)
    found = []
    for number, cell in enumerate(cells, start=1):
        found.append(play(cell))
        if number % 500 == 0:
            say(f"slow: {number} of {len(cells)} cells played")
    return judged(found, size)


def _one_of_each(cells: list[Cell], draw: Random) -> list[Cell]:
    """Every kind for each service, and every function that asks it."""
    draw.shuffle(cells)
    found: dict[tuple[str, str], Cell] = {}
    for cell in cells:
        found[cell.service, cell.kind] = found[cell.service, cell.verb] = cell
    return list(dict.fromkeys(found.values()))


def judged(found: list[Outcome], size: Size) -> Proof:
    """The figures, and what makes the proof fail."""
    violations = [f"{one.cell}: {what}" for one in found for what in one.wrong]
    violations += [f"{one.cell}: it never came to this request" for one in found if not one.fired]
    services = {one.cell.service for one in found if one.fired}
    kinds = {(one.cell.service, one.cell.kind) for one in found if one.fired}
    violations += [f"{service} was never in trouble" for service in SERVICES if service not in services]
    violations += [f"{s} never {k}" for s in services for k in KINDS if (s, k) not in kinds]
    wanted = QUICK_WANTED if size.quick else WANTED
    violations += [f"only {len(found)} cells"] * (len(found) < wanted)
    figures = {
        "services": len(services),
        "cells": len(found),
        "invisible": sum(bool(one.invisible) for one in found),
        "unsent": sum(bool(one.unsent) for one in found),
        "over_time": sum(one.over_time for one in found),
    }
    played = Counter((one.cell.service, one.cell.verb) for one in found)
    listed = Counter((one.cell.service, one.cell.verb) for one in found if one.repaired)
    lines = [
        f"{service:<22} {verb:<13} {count:>5} cells {listed[service, verb]:>5} needed an operator"
        for (service, verb), count in sorted(played.items())
    ]
    return Proof("slow", "\n".join(lines), figures, violations)
