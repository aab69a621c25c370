"""What one approval of each kind costs: every unit, invocation, transition, schedule, mail and call, on the deployed templates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from local.settings import LocalSettings
from local.stack import LocalStack
from tests.cost.kinds import ACCEPTED, KINDS, PRICES, micro_usd
from tests.cost.ledger import COLUMNS, Ledger, Row, Seen, ledger
from tests.cost.metering import Meter, SecondOpinion
from tests.cost.play import play
from tests.proofs import Proof, Size
from tests.shared import synthesize


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Play one approval of each kind and judge what was seen; there is one size."""
    seen, disagreeing = measure(say)
    return judged(books_of(seen), disagreeing)


def books_of(seen: Mapping[str, Seen]) -> dict[str, Ledger]:
    """Each kind's rows."""
    return {name: ledger(found, KINDS[name]) for name, found in seen.items()}


def measure(say: Callable[[str], None]) -> tuple[dict[str, Seen], list[str]]:
    """Play on a stack of its own, where nothing else is counted."""
    synthesize()
    stack = LocalStack(LocalSettings().on_free_ports(), say)
    try:
        with stack:
            seen, meter = play(stack, say)
            return seen, disagreements(stack.client("dynamodb"), meter)
    finally:
        stack.discard()


def judged(books: Mapping[str, Ledger], disagreeing: list[str]) -> Proof:
    """The rows as a proof: the line is of the accepted kind."""
    violations = [f"{name}: {one}" for name, book in books.items() for one in book.violations()] + disagreeing
    violations += [f"{name} was not played" for name in KINDS if name not in books]
    violations += [
        f"{column} has a price and is not counted" for column in PRICES["micro_usd"] if column not in COLUMNS
    ]
    data = {"kinds": {name: _data(book) for name, book in books.items()}, "prices": PRICES}
    text = "\n".join(
        line for book in books.values() for line in [book.kind.name, *markdown(book), "", *details(book), ""]
    )
    text += "\n".join(table([kinds_head(), *kinds_rows(books)]))
    total = books[ACCEPTED.name].total()
    figures = total | {"micro_usd": micro_usd(total), "kinds": len(books)}
    return Proof("cost", text, figures, violations, data)


def _data(book: Ledger) -> dict[str, Any]:
    rows = [{"step": row.step.name, **row.counts, "items": row.items} for row in book.rows]
    return {"rows": rows, "total": book.total(), "everything": book.total(everything=True), "fixed": book.fixed}


def kinds_head() -> tuple[str, ...]:
    """The head of the table of kinds."""
    return ("kind", "until", *COLUMNS, "micro-dollars")


def kinds_rows(books: Mapping[str, Ledger]) -> list[tuple[str, ...]]:
    """One row for each kind: what it takes on its way, and what that comes to."""
    totals = {name: book.total() for name, book in books.items()}
    return [
        (name, KINDS[name].last, *_numbers(totals[name]), str(micro_usd(totals[name])))
        for name in KINDS
        if name in totals
    ]


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
    return [("step", *COLUMNS), *steps, (f"capture to {book.kind.last}", *total), *beside, ("everything", *everything)]


def markdown(book: Ledger) -> list[str]:
    """The table as docs/data-model.md has it."""
    return table(rows_of(book))


def table(cells: list[tuple[str, ...]]) -> list[str]:
    """Lines of Markdown, the head first."""
    head, *rows = cells
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
