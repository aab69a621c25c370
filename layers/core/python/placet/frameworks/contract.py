"""What a framework's room says of it: how a pause arrives, how long it can wait, what an edit needs, how answers find their calls.

A room is a package with a descriptor, `FRAMEWORK`, and two pure modules that are loaded when a pause needs them: `reading` with
`read`, native pause to our calls, and `answers` with `answer` and `notes`, our decisions to the native answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import Any

from placet.model.pauses import NativePause
from placet.model.states import CallState

DAY_S = 86_400
YEAR_S = 365 * DAY_S  # Step Functions ends an execution after a year, whatever it waits for
MOST_CALLS = 10  # of our own: the names of a pause's calls stand in its head, which every decision writes


class Edits(StrEnum):
    """Who runs the arguments that a reviewer changed."""

    NATIVE = "natively"  # the framework takes changed arguments in its answer
    EXECUTOR = "by an executor"  # what runs under the permit runs them; the framework is told the result
    NOT = "not"


class Matching(StrEnum):
    """How an answer finds its call."""

    BY_ID = "by id"
    BY_POSITION = "by position"


@dataclass(frozen=True)
class Framework:
    """One framework, as its runs pause and go on.

    Attributes:
        name: as an agent names it in `framework`.
        title: as people name it.
        room: the package with its `reading` and `answers`; empty of one that this release does not take.
        by_gateway: whether the gateway captures and answers its pauses itself, so that no agent hands one in.
        arrives: what a pause is.
        waits_s: the longest a paused run can wait in seconds, when nobody says how long its saver keeps it.
        saver_bounds: whether a saver of the customer's keeps the run, so that it decides how long.
        why: why it cannot wait longer.
        edits: who runs an edited call.
        most_calls: how many calls one pause may have.
        matching: how an answer finds its call.
        late: what becomes of a decision that comes after the run can no longer take it.
    """

    name: str
    title: str
    by_gateway: bool
    arrives: str
    waits_s: int
    saver_bounds: bool
    why: str
    edits: Edits
    most_calls: int
    matching: Matching
    late: str
    room: str = ""

    @property
    def taken(self) -> bool:
        """Whether this release reads and answers its pauses."""
        return bool(self.room)

    def read(self, run: str, native: dict[str, Any]) -> NativePause:
        """The calls in a native pause. Raises Invalid `native_invalid` when it is not one this release understands."""
        found: NativePause = self._module("reading").read(run, native)
        return found

    def answer(self, state: CallState, tool: str, arguments: dict[str, Any], reason: str) -> dict[str, Any]:
        """The decision in the framework's own shape."""
        answered: dict[str, Any] = self._module("answers").answer(state, tool, arguments, reason)
        return answered

    def notes(self, native: dict[str, Any], number: int) -> tuple[str, ...]:
        """Sentences for a reviewer on how the framework will take the decision on this call."""
        said: tuple[str, ...] = self._module("answers").notes(native, number)
        return said

    def _module(self, name: str) -> Any:
        return import_module(f"{self.room}.{name}")
