"""Proofs: programs that play something, count, and say with one last line whether a promise holds.

`make proof-NAME` runs `prove(say, size)` of the module NAME here; it returns a `Proof`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Size:
    """How much a proof does.

    Attributes:
        quick: as inside `make test`, at most ten seconds; otherwise everything.
        seed: of whatever is drawn; the same seed draws the same.
    """

    quick: bool = False
    seed: int = 1


@dataclass
class Proof:
    """What a proof found.

    Attributes:
        table: for people.
        figures: the last line, in order.
        violations: a sentence each; any of them makes the proof fail.
        data: the same as the table, for programs.
    """

    name: str
    table: str
    figures: dict[str, float]
    violations: list[str] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def line(self) -> str:
        """The last line."""
        return f"{self.name}: " + " ".join(f"{name}={_number(value)}" for name, value in self.figures.items())


def _number(value: float) -> str:
    """Whole numbers with every digit, others shortened."""
    return str(int(value)) if value == int(value) else f"{value:g}"
