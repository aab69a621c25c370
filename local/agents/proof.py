"""What ran against what was approved: the agents' own record beside the gateway's."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from placet.client import Call, Gateway, GatewayRefused, Pause

DECIDED = ("accepted", "edited", "rejected", "expired")


@dataclass(frozen=True)
class Told:
    """A pause of the demo.

    Attributes:
        passed_on: its one approval was passed on to the call that the agent proposed next, which is told too.
        shows: what its record has to say beside the decision, such as `widened`; empty for nothing.
    """

    scenario: str
    pause: str
    note: str = ""
    passed_on: bool = False
    shows: str = ""


@dataclass(frozen=True)
class Row:
    """One call: what the gateway holds and what was done under it."""

    told: Told
    call: Call
    ended: bool
    ran: tuple[dict[str, str], ...]

    @property
    def may_run(self) -> bool:
        """Whether this very call is to run."""
        return self.call.may_run and not self.told.passed_on

    @property
    def as_approved(self) -> bool:
        """Exactly once with the approved arguments when it may run, else never."""
        if not self.may_run:
            return not self.ran
        return len(self.ran) == 1 and self.ran[0]["tool"] == self.call.tool and _same(self.ran[0], self.call)

    def cells(self) -> tuple[str, ...]:
        """For people."""
        by = self.call.decided_by or {"expired": "nobody", "passed": "policy"}.get(self.call.state, "")
        done = "; ".join(item["arguments"] for item in self.ran) or "-"
        return (self.told.scenario, self.call.tool, f"{self.call.state} by {by}", done, self.told.note)


@dataclass(frozen=True)
class Proof:
    """Attributes:
    stray: executions that belong to no call of the demo.
    shown: by what was to be shown beside decisions, in how many pauses the record says that it happened.
    """

    rows: tuple[Row, ...]
    pauses: int
    stray: tuple[dict[str, str], ...]
    shown: Mapping[str, int] = field(default_factory=dict)

    @property
    def double(self) -> int:
        """Executions beyond the first of their call."""
        return sum(max(0, len(row.ran) - 1) for row in self.rows)

    @property
    def lost(self) -> int:
        """Approved calls that did not run, and calls of pauses that did not end."""
        return sum((row.may_run and not row.ran) or not row.ended for row in self.rows)

    @property
    def holds(self) -> bool:
        """Every tool ran exactly as approved, once, nothing else ran, and everything that was to be shown happened."""
        right = all(row.as_approved for row in self.rows) and all(self.shown.values())
        return bool(self.rows) and right and not self.double and not self.lost and not self.stray

    def table(self) -> str:
        """Proposed, decided, executed."""
        rows = [("scene", "proposed", "decided", "executed with", ""), *(row.cells() for row in self.rows)]
        widths = [max(len(row[place]) for row in rows) for place in range(4)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)).rstrip() for row in rows
        ]
        wrong = [f"not as approved: {row.call.call} ran {list(row.ran)}" for row in self.rows if not row.as_approved]
        wrong += [f"never happened: {what}" for what, count in self.shown.items() if not count]
        return "\n".join([*lines, *wrong, *(f"ran without any approval: {item}" for item in self.stray)])

    def line(self) -> str:
        """The last line of the demo."""
        states = Counter(row.call.state for row in self.rows)
        counts = {state: states[state] for state in DECIDED} | dict(self.shown)
        counted = " ".join(f"{what}={count}" for what, count in counts.items())
        ran = sum(len(row.ran) for row in self.rows) + len(self.stray)
        return f"demo: pauses={self.pauses} {counted} executed={ran} double={self.double} lost={self.lost}"


def prove(
    told: list[Told],
    gateways: list[Gateway],
    executions: list[dict[str, str]],
    shown: Mapping[str, int] | None = None,
) -> Proof:
    """Lay both records side by side. `gateways`: one per agent, because each sees its own pauses only."""
    rows = []
    for item in told:
        pause = _seen_by_one(gateways, item.pause)
        for call in pause.calls:
            ran = tuple(done for done in executions if done["call"] == call.call)
            rows.append(Row(item, call, pause.state == "ended", ran))
    known = {row.call.call for row in rows}
    stray = tuple(done for done in executions if done["call"] not in known)
    return Proof(tuple(rows), len(told), stray, shown or {})


def _same(done: dict[str, str], call: Call) -> bool:
    """The same values; a tool that takes a float writes 200.0 for the approved 200.00."""
    return bool(json.loads(done["arguments"]) == json.loads(call.arguments))


def _seen_by_one(gateways: list[Gateway], pause: str) -> Pause:
    refused: Any = None
    for gateway in gateways:
        try:
            return gateway.pause(pause)
        except GatewayRefused as error:
            refused = error
    raise refused
