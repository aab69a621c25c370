"""What the rounds of a race came to: extremes, counts and violations."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.proofs.racing.jobs import Told

SHOWN = 20


@dataclass
class Tally:
    """Everything that is counted over the rounds.

    Attributes:
        extremes: smallest and largest of a per-round figure, by its name; all that is promised is that both are 1.
        contested: rounds in which a contender lost at the write itself, not already by reading.
    """

    rounds: Counter[str] = field(default_factory=Counter)
    extremes: dict[str, tuple[int, int]] = field(default_factory=dict)
    won: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    contested: Counter[str] = field(default_factory=Counter)
    server_errors: int = 0
    violations: list[str] = field(default_factory=list)

    def count(self, kind: str, told: list[Told], allowed: frozenset[str]) -> None:
        """One round's answers: who won with what, who lost with which code; no other code than `allowed` may come."""
        self.rounds[kind] += 1
        self.contested[kind] += any(one.lost_write for one in told)
        for one in told:
            if one.status >= 500:
                self.server_errors += 1
                self.wrong(kind, f"a contender got {one.status}: {one.code}")
            elif one.status != 200:
                self.codes[f"{kind}: {one.status} {one.code}"] += 1
                if one.code not in allowed:
                    self.wrong(kind, f"a contender got {one.status} {one.code}")
            elif not one.won:
                self.codes[f"{kind}: 200 replayed"] += 1

    def measure(self, name: str, value: int) -> None:
        """A figure of one round."""
        low, high = self.extremes.get(name, (value, value))
        self.extremes[name] = (min(low, value), max(high, value))

    def worst(self, name: str) -> int:
        """The figure furthest from 1 over all rounds."""
        return max(self.extremes.get(name, (0, 0)), key=lambda value: abs(value - 1))

    def wrong(self, kind: str, what: str) -> None:
        """A violation; the first ones are kept in words."""
        if len(self.violations) < SHOWN:
            self.violations.append(f"{kind}, round {self.rounds[kind]}: {what}")

    def expect(self, kind: str, holds: bool, what: str) -> None:
        """A violation unless it holds."""
        if not holds:
            self.wrong(kind, what)

    def table(self) -> str:
        """For people."""
        lines = ["| race | rounds | lost at the write in | won by |", "|---|---:|---:|---|"]
        for kind, rounds in self.rounds.items():
            won = ", ".join(f"{who} {count}" for who, count in sorted(_of(self.won, kind).items()))
            lines.append(f"| {kind} | {rounds} | {self.contested[kind]} | {won} |")
        return "\n".join([*lines, "", *(f"{code}: {count}" for code, count in sorted(self.codes.items()))])


def _of(counter: Counter[str], kind: str) -> dict[str, int]:
    return {key.partition(": ")[2]: count for key, count in counter.items() if key.startswith(f"{kind}: ")}
