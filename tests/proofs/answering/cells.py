"""One cell of the table: a refund is asked for, decided, and the answer goes wrong in one way."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum

from local.bedrock import Fault, Mode
from tests.bedrock.desk import Desk, desk
from tests.bedrock.verified import verified

DECISIONS = ("accept", "edit", "reject", "expire")
ORDER, PROPOSED, EDITED = "ORD-7", 50000, 30000


class Wrong(StrEnum):
    """What goes wrong with the answer."""

    NOTHING = "none"
    LATE = "late"
    LOST = "response lost"
    DUPLICATE = "duplicate answer"
    THROTTLED = "in-stream throttling"
    TRUNCATED = "truncated frame"
    NOT_STARTED = "executor throttled"


# In-stream throttling may come before or after the answer was processed: both are played.
FAULTS: dict[Wrong, tuple[Fault | None, ...]] = {
    Wrong.NOTHING: (None,),
    Wrong.LATE: (None,),
    Wrong.LOST: (Fault.LOST,),
    Wrong.DUPLICATE: (None,),
    Wrong.THROTTLED: (Fault.STREAM_THROTTLED, Fault.STREAM_THROTTLED_AFTER),
    Wrong.TRUNCATED: (Fault.TRUNCATED,),
    Wrong.NOT_STARTED: (None,),
}
AGENTS = ("complies", "stubborn")  # what it does when it is told no, or told in a new session


@dataclass(frozen=True)
class Cell:
    """One case.

    Attributes:
        checks: whether the action that Bedrock runs claims the permit itself; only where Bedrock runs it.
    """

    mode: Mode
    decision: str
    wrong: Wrong
    fault: Fault | None
    agent: str
    checks: bool = False

    @property
    def place(self) -> tuple[str, str, str]:
        """Row, column and depth of the table."""
        return self.mode.value, self.decision, self.wrong.value

    def __str__(self) -> str:
        return f"{self.mode.value}, {self.decision}, {self.fault or self.wrong.value}, {self.agent}{', checked' * self.checks}"

    def desk(self) -> AbstractContextManager[Desk]:
        """Where it is played."""
        behaves, twice = {self.agent: True}, self.wrong is Wrong.DUPLICATE
        return verified(behaves, twice=twice) if self.checks else desk(self.mode, behaves=behaves, twice=twice)


def cells() -> Iterator[Cell]:
    """Every case of the table."""
    for mode, decision, wrong in itertools.product(
        (Mode.RESULT, Mode.CONFIRM, Mode.CONFIRM_AND_RESULT), DECISIONS, Wrong
    ):
        for fault, agent, checks in itertools.product(FAULTS[wrong], AGENTS, (False, True)):
            if mode is Mode.CONFIRM or not checks:
                yield Cell(mode, decision, wrong, fault, agent, checks)
