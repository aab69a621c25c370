"""What one approval costs: every unit, invocation, transition, schedule, mail and call, by step, on the deployed templates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from placet.local.settings import LocalSettings
from placet.local.shared import synthesize
from placet.local.stack import LocalStack
from tests.cost.ledger import COLUMNS, Ledger, Row, Seen, ledger
from tests.cost.metering import Meter, SecondOpinion
from tests.cost.play import play
from tests.proofs import Proof, Size


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Play one approval and judge what was seen; there is one size."""
    seen, disagreeing = measure(say)
    return judged(ledger(seen), disagreeing)


def measure(say: Callable[[str], None]) -> tuple[Seen, list[str]]:
    """Play one approval on a stack of its own, where nothing else is counted."""
    synthesize()
    stack = LocalStack(LocalSettings().on_free_ports(), say)
    try:
        with stack:
            seen, meter = play(stack, say)
            return seen, disagreements(stack.client("dynamodb"), meter)
    finally:
        stack.discard()


def judged(book: Ledger, disagreeing: list[str]) -> Proof:
    """The rows as a proof."""
    data: dict[str, Any] = {"rows": [{"step": row.step.name, **row.counts, "items": row.items} for row in book.rows]}
    data |= {"everything": book.total(everything=True), "fixed": book.fixed}
    text = "\n".join([*markdown(book), "", *details(book)])
    return Proof("cost", text, book.total(), book.violations() + disagreeing, data)


def disagreements(dynamodb: Any, meter: Meter) -> list[str]:
    """Writes of which the emulator's own count says something else."""
    second = SecondOpinion(dynamodb, meter.description)
    found = []
    for access in meter.accesses:
        if access.wru and (told := second.units(access)) != access.wru:
            found.append(f"{access.verb} by {access.function}: {access.wru:g} units here, {told:g} by the emulator")
    return found


def rows_of(book: Ledger) -> list[tuple[str, ...]]:
    """The table's cells: head, steps, total, what comes beside the way, everything."""
    steps = [_cells(row) for row in book.rows if not row.step.after]
    beside = [_cells(row) for row in book.rows if row.step.after]
    total, everything = _numbers(book.total()), _numbers(book.total(everything=True))
    return [("step", *COLUMNS), *steps, ("capture to outcome", *total), *beside, ("everything", *everything)]


def markdown(book: Ledger) -> list[str]:
    """The table as docs/data-model.md has it."""
    head, *rows = rows_of(book)
    widths = [max(len(row[place]) for row in [head, *rows]) for place in range(len(head))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return ["| " + " | ".join(_padded(row, widths)) + " |" for row in [head, rule, *rows]]


def details(book: Ledger) -> list[str]:
    """What each step read (r) and wrote (w), and what ran beside the approval."""
    lines = [f"{row.step.name}: {'; '.join(row.items)}" for row in book.rows if row.items]
    fixed = " ".join(f"{name}={count:g}" for name, count in book.fixed.items())
    return [*lines, f"fixed, not per approval: {fixed}"] if fixed else lines


def _padded(row: Sequence[str], widths: list[int]) -> list[str]:
    return [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]


def _cells(row: Row) -> tuple[str, ...]:
    return (row.step.name, *_numbers(row.counts))


def _numbers(counts: dict[str, float]) -> list[str]:
    return [f"{counts[column]:g}" for column in COLUMNS]
