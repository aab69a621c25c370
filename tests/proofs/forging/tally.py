"""What forged inputs came to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Tally:
    """Counts of a play.

    Attributes:
        inputs: forged inputs tried, by kind.
        honest: inputs beside them that had to be taken, by kind: where nothing is taken, nothing is shown by a refusal.
        executed_unproposed: effects, and permits, of what no agent proposed.
        accepted_by_self: accepts of a person's own request or own agent's call.
        seen_by_others: answers about another agent's pauses, or that hide one's own.
    """

    inputs: Counter[str] = field(default_factory=Counter)
    honest: Counter[str] = field(default_factory=Counter)
    executed_unproposed: int = 0
    accepted_by_self: int = 0
    seen_by_others: int = 0
    violations: list[str] = field(default_factory=list)

    def tried(self, kind: str) -> None:
        """One forged input more."""
        self.inputs[kind] += 1

    def taken(self, kind: str, held: bool, what: str) -> None:
        """One honest input more, which has to be taken."""
        self.honest[kind] += held
        self.must(held, f"{kind}: an honest input was refused: {what}")

    def must(self, holds: bool, otherwise: str) -> None:
        """A violation unless it holds."""
        if not holds:
            self.violations.append(otherwise)

    def table(self) -> str:
        """For people."""
        rows = [f"{kind:<40} {count:>6} {self.honest[kind]:>6}" for kind, count in sorted(self.inputs.items())]
        return "\n".join([f"{'forged':<40} {'inputs':>6} {'honest':>6}", *rows])
