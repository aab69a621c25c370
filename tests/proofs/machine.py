"""Any order of all verbs by everybody, against an oracle with its own books and the ten invariants."""

from __future__ import annotations

import contextlib
import io
import time
from collections import Counter
from collections.abc import Callable, Iterable

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.proofs import Proof, Size
from tests.proofs.stateful.deployed import CHANGES
from tests.proofs.stateful.held import Held
from tests.proofs.stateful.oracle import CALL_MOVES, PERMIT_MOVES
from tests.proofs.stateful.questions import Questioning
from tests.proofs.stateful.rules import Verbs

ENDS = ("ended", "listed: not_picked_up", "listed: permit_unknown", "listed: agent_gone", "config changes")
TALK = (
    *("ask", "answer", "answer answer_too_late", "answer question_answered", "ask revision_differs"),
    *("an answer cleared votes", "decide accept revision_differs"),
)
HANDED = (
    *("hand on", "hand on not_found", "hand on already_decided"),
    "handed on and decided",
)
MOMENTS = (
    *("reminded", "widened", "a level passed for want of people", "decided in another's place", "away", "back"),
    *("away delegates_in_circle", "listed for want of people"),
)

BACK = (
    *("undo", "undo undo_over", "undo revision_differs", "undo replayed", "undo requester_may_not_decide"),
    *(
        "undo owner_may_not_decide",
        "claim call_held",
        "resumed still_held",
        "taken up after the hold",
        "the hold ended",
    ),
    *("call accepted -> pending", "call edited -> pending", "decided again and claimed"),
)


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """2,000 examples of up to 50 steps, 500 where decisions may be taken back, and as many where agents are asked."""
    (examples, held), steps = ((150, 50), 30) if size.quick else ((2000, 500), 50)
    say(f"machine: {examples} examples of up to {steps} steps and {held} with holds, seed {size.seed}")
    began, Verbs.counts, Held.counts, Questioning.counts = time.monotonic(), Counter(), Counter(), Counter()
    sizes = ((Verbs, examples), (Held, held), (Questioning, held))
    violation = next(filter(None, (run(machine, count, steps, size.seed) for machine, count in sizes)), "")
    say(f"machine: {time.monotonic() - began:.0f} s")
    figures: dict[str, float] = {"examples": examples, "steps": steps, "config_changes": Verbs.counts["config changes"]}
    figures |= {"handed_on": Verbs.counts["hand on"]}
    figures |= {"held": held, "taken_back": Held.counts["undo"], "violations": int(bool(violation))}
    found = [violation] if violation else [*not_reached(Verbs), *never(Held, BACK), *never(Questioning, TALK)]
    beside = f"Where decisions may be taken back:\n\n{table(Held)}\n\nWhere agents are asked:\n\n{table(Questioning)}"
    return Proof("machine", f"{table(Verbs)}\n\n{beside}", figures, found)


def run(machine: type[Verbs], examples: int, steps: int, start: int, shrink: bool = True) -> str:
    """The violation with the shortest sequence of steps that shows it, or nothing."""
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink] if shrink else [Phase.generate],
    )
    told = io.StringIO()
    try:
        with contextlib.redirect_stdout(told):
            run_state_machine_as_test(seed(start)(machine), settings=chosen)
    except Exception as error:  # whatever it is, it must not happen
        notes = "\n".join(getattr(error, "__notes__", []))
        return f"{type(error).__name__}: {error}\n{notes}{told.getvalue()}"
    return ""


def not_reached(machine: type[Verbs]) -> list[str]:
    """Moves that no example made: then it says nothing about them."""
    moves = [f"call {before} -> {after}" for before, after in sorted(CALL_MOVES)]
    moves += [f"permit {before} -> {after}" for before, after in sorted(PERMIT_MOVES, key=str)]
    deploys = [f"deployed: {word}{change}" for change in CHANGES for word in ("", "not ")]
    return never(machine, [*moves, *ENDS, *MOMENTS, *HANDED, *deploys])


def never(machine: type[Verbs], wanted: Iterable[str]) -> list[str]:
    """What of this no example did."""
    return [f"coverage: never happened: {one}" for one in wanted if not machine.counts[one]]


def table(machine: type[Verbs]) -> str:
    """What was done, and what it came to."""
    lines = ["| what | times |", "|---|---:|"]
    return "\n".join([*lines, *(f"| {what} | {count} |" for what, count in sorted(machine.counts.items()))])
