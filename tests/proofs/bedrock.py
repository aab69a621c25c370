"""Decisions for Bedrock agents: every mode, decision and fault of the wire; effects counted where they happen, and each of them
held against what the runtime itself recorded that it proposed.

Boto3's own client, the real event stream over HTTP, the service on the in-memory store. What is not proven here: Bedrock itself.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable

from local.bedrock import Mode
from tests.proofs import Proof, Size
from tests.proofs.answering.cells import DECISIONS, Wrong, cells
from tests.proofs.answering.crashes import FEW, Crash, crashes
from tests.proofs.answering.crashes import cells as crash_cells
from tests.proofs.answering.playing import Played, play

WANTED = 84
WHERE = {"table.get", "table.write", "runtime.turn", "executors.run"}  # where a process has to have died
MODES = (Mode.RESULT, Mode.CONFIRM, Mode.CONFIRM_AND_RESULT)


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Play every cell; the quick size plays each once, with one of its agents."""
    asked = list(cells())
    if size.quick:
        asked = [cell for number, cell in enumerate(asked) if cell.agent == ("complies", "stubborn")[number // 2 % 2]]
        asked += [cell for cell in cells() if cell.place not in {one.place for one in asked}]
    found: list[Played] = []
    for number, cell in enumerate(asked, start=1):
        found.append(play(cell))
        if number % 40 == 0:
            say(f"{number} of {len(asked)} cases, violations: {sum(bool(violations_of(one)) for one in found)}")
    died = _died(say, size)
    return _proof(found, died)


def _died(say: Callable[[str], None], size: Size) -> list[Crash]:
    """Every process that died on the way, and how it went on."""
    died: list[Crash] = []
    for cell in FEW if size.quick else crash_cells():
        died += crashes(cell)
        wrong = sum(bool(violations_of(one.played)) for one in died)
        say(f"{len(died)} processes died while they answered, violations: {wrong}; last: {cell}")
    return died


def violations_of(played: Played) -> list[str]:
    """What one case did wrong."""
    said = []
    if played.twice:
        said.append(f"{played.cell}: paid {played.twice + 1} times")
    if played.lost:
        said.append(f"{played.cell}: {played.lost}")
    if played.open:
        said.append(f"{played.cell}: {played.open} calls were never answered")
    said += [f"{played.cell}: a control that nobody proposed was taken: {played.taken}"] * bool(played.taken)
    said += [f"{played.cell}: not proposed: {what}" for what in played.unproposed]
    if not played.fired:
        said.append(f"{played.cell}: the fault never happened")
    return said


def _proof(found: list[Played], died: list[Crash]) -> Proof:
    table = Counter(one.cell.place for one in found)
    grid = list(itertools.product([one.value for one in MODES], DECISIONS, [one.value for one in Wrong]))
    empty = [place for place in grid if not table[place]]
    violations = [said for one in found for said in violations_of(one)][:20]
    violations += [
        f"died {'after' if one.after else 'before'} {one.where}: {said}"
        for one in died
        for said in violations_of(one.played)
    ][:20]
    violations += [f"nobody died at {where}" for where in sorted(WHERE - {one.where for one in died})]
    everything = [*found, *(one.played for one in died)]
    violations += [f"{len(found)} cases, {WANTED} are wanted"] * (len(found) < WANTED)
    violations += [f"no case of {', '.join(place)}" for place in empty[:5]]
    violations += _idle(found)
    figures: dict[str, float] = {
        "cases": len(everything),
        "empty_cells": len(empty),
        "executed_twice": sum(one.twice for one in everything),
        "executed_unproposed": sum(len(one.unproposed) for one in everything),
        "lost": sum(bool(one.lost) for one in everything),
        "unanswered_calls": sum(one.open for one in everything),
    }
    return Proof("bedrock", _table(found) + _deaths(died), figures, violations)


def _idle(found: list[Played]) -> list[str]:
    """What has to have happened somewhere, or the table proves little."""
    missing = ["no refund was paid"] * (not any(one.effects for one in found))
    turned_away = [one for one in found if one.cell.wrong is Wrong.NOT_STARTED and one.effects]
    missing += ["nothing was run after the executor had been throttled"] * (not turned_away)
    missing += ["nobody had to find anything out"] * (not any(one.found_out for one in found))
    return missing + ["no agent asked again"] * (not any(one.asked > 1 for one in found))


def _table(found: list[Played]) -> str:
    head = f"{'mode':<30}{'decision':<10}" + "".join(f"{one.value:>22}" for one in Wrong)
    lines = [head]
    for mode, decision in itertools.product(MODES, DECISIONS):
        row = [[one for one in found if one.cell.place == (mode.value, decision, wrong.value)] for wrong in Wrong]
        lines.append(f"{mode.value:<30}{decision:<10}" + "".join(f"{_cell(one):>22}" for one in row))
    return "\n".join([*lines, "", "each cell: cases / refunds paid / outcomes that a person found out"])


def _deaths(died: list[Crash]) -> str:
    places = Counter(f"{'after' if one.after else 'before'} {one.where}" for one in died)
    unknown = sum(one.played.found_out for one in died)
    lines = [f"  {count:>5} {place}" for place, count in sorted(places.items())]
    return "\n".join(["", f"{len(died)} processes died, {unknown} outcomes that a person found out:", *lines])


def _cell(found: list[Played]) -> str:
    paid = sum(sum(one.effects.values()) for one in found)
    return f"{len(found)} / {paid} / {sum(one.found_out for one in found)}"
