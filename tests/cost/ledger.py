"""From what was seen to one row per step, and what is wrong with them. Pure: a test may plant anything."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.cost.kinds import ACCEPTED, Kind, Step
from tests.cost.metering import Access, Effect

COLUMNS = ("lambda", "wru", "rru", "transitions", "schedules", "mails", "http", "events")
# Runs every minute, or once for whatever happened within seconds, however many approvals there are; it may read here, not write.
FIXED = ("sweep", "publish")
# What an event of the bus belongs to: the first of these steps that the kind has.
TELLS = {
    "captured": ("capture", "turn"),
    "visible": ("notify",),
    "decided": ("decide",),
    "expired": ("timer",),
    "outcome": ("outcome", "resume"),
    "resumed": ("run went on", "resume"),
}


@dataclass(frozen=True)
class Invocation:
    """One ended invocation."""

    at: float
    function: str


@dataclass(frozen=True)
class Transition:
    """One transition of the state machine, and the function whose step it belongs to."""

    at: float
    function: str


@dataclass
class Seen:
    """Everything that one play left behind.

    Attributes:
        phases: name and start of each part of the play, in order.
        behind_http: the functions that only an HTTP request can invoke.
    """

    phases: list[tuple[str, float]] = field(default_factory=list)
    invocations: list[Invocation] = field(default_factory=list)
    accesses: list[Access] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    transitions: list[Transition] = field(default_factory=list)
    behind_http: frozenset[str] = frozenset()

    def phase(self, at: float) -> str:
        """The part of the play that this moment falls into."""
        return next((name for name, start in reversed(self.phases) if start <= at), "before")


@dataclass
class Row:
    """What one step took."""

    step: Step
    counts: dict[str, float]
    items: list[str] = field(default_factory=list)


@dataclass
class Ledger:
    """The rows of one play, and what belongs to none of them."""

    kind: Kind
    rows: list[Row]
    strays: list[str] = field(default_factory=list)
    fixed: dict[str, float] = field(default_factory=dict)

    def total(self, *, everything: bool = False) -> dict[str, float]:
        """From capture to its last report, or with what comes beside it."""
        counted = [row for row in self.rows if everything or not row.step.after]
        return {column: sum(row.counts[column] for row in counted) for column in COLUMNS}

    def violations(self) -> list[str]:
        """Steps that were not seen, what no step explains, and missed targets."""
        missing = [f"the step {row.step.name} was not seen" for row in self.rows if not row.counts["lambda"]]
        known = {row.step.name for row in self.rows}
        missing += [f"the step {step.name} has no row" for step in self.kind.steps if step.name not in known]
        total = self.total()
        over = [
            f"{total[name]:g} {name}, at most {most} allowed"
            for name, most in self.kind.targets.items()
            if total[name] > most
        ]
        return missing + self.strays + over


def ledger(seen: Seen, kind: Kind = ACCEPTED, steps: tuple[Step, ...] | None = None) -> Ledger:
    """Give everything seen to its step; `steps` only where a test leaves one out."""
    given = kind.steps if steps is None else steps
    book = Ledger(kind, [Row(step, dict.fromkeys(COLUMNS, 0.0)) for step in given])
    rows = {(row.step.phase, row.step.function): row for row in book.rows}

    def give(
        at: float, function: str, what: str, items: tuple[str, ...] = (), once: bool = False, **counts: float
    ) -> None:
        phase = seen.phase(at)
        row = rows.get((phase, function))
        if once or (row is None and function in FIXED and not counts.get("wru")):
            for name, count in counts.items():
                book.fixed[name] = book.fixed.get(name, 0) + count
        elif row is None:
            book.strays.append(f"{what} by {function} during '{phase}' belongs to no step")
        else:
            row.items += items
            for name, count in counts.items():
                row.counts[name] += count

    for call in seen.invocations:
        give(call.at, call.function, "an invocation", **{"lambda": 1, "http": call.function in seen.behind_http})
    for access in seen.accesses:
        if access.unknown:
            book.strays.append(access.unknown)
        of = f"{access.verb} [{', '.join(access.items)}]"
        give(access.at, access.function, of, (f"{of} {_units(access)}",), access.once, wru=access.wru, rru=access.rru)
    for effect in seen.effects:
        if effect.kind == "event":
            _told(book, effect)
            continue
        give(effect.at, effect.function, f"a {effect.kind}", **{f"{effect.kind}s": 1})
    for transition in seen.transitions:
        give(transition.at, transition.function, "a transition", transitions=1)
    return book


def _told(book: Ledger, event: Effect) -> None:
    """An event comes some time after what it tells, so it is given to its step by its name."""
    rows = {row.step.name: row for row in book.rows}
    row = next((rows[name] for name in TELLS.get(event.of, ()) if name in rows), None)
    if row is None:
        book.strays.append(f"an event {event.of or 'without a name'} belongs to no step")
    else:
        row.counts["events"] += 1


def _units(access: Access) -> str:
    return f"{access.wru:g} w" if access.wru else f"{access.rru:g} r"
