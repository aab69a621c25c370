"""Proofs: programs that play something on the local stack, count, and say with one last line whether a promise holds.

`make proof-NAME` runs `prove` of the module NAME here; it returns a `Proof`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


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
        return f"{self.name}: " + " ".join(f"{name}={value:g}" for name, value in self.figures.items())
