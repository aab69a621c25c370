"""Where a pause stands in the work index. One rule for every write that moves it: a pause with a call of which nobody knows
whether it ran stays on the stuck list until a person has settled it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from placet.model.states import PauseState, PermitState, ResumeState
from placet.records import clauses as c
from placet.records.heads import Head
from placet.records.keys import Keys


@dataclass(frozen=True)
class Place:
    """A move in the work index: what to set, what to remove, and the clause that it was judged on the listing as it is."""

    head: Head
    set: dict[str, Any] = field(default_factory=dict)
    remove: tuple[str, ...] = ()

    @property
    def clause(self) -> c.Clause:
        """The pause was not listed between the read and the write."""
        return c.as_listed(self.head.stuck)


def moved(head: Head, wpk: str, wsk: int, **also: Any) -> Place:
    """Onto another list; `also` is set in any case."""
    if keeps_listed(head):
        return Place(head, also)
    return Place(head, {"wpk": wpk, "wsk": wsk, **also}, ("stuck",) if head.stuck else ())


def off(head: Head, **also: Any) -> Place:
    """Off every list; `also` is set in any case."""
    if keeps_listed(head):
        return Place(head, also)
    return Place(head, also, ("wpk", "wsk", "stuck") if head.stuck else ("wpk", "wsk"))


def keeps_listed(head: Head) -> bool:
    """Whether a call of it has an outcome that nobody knows."""
    return any(call.permit is PermitState.UNKNOWN for call in head.calls)


def leave_queue(keys: Keys, head: Head, closed: list[int], now_ms: int) -> Place:
    """Where the pause stands once these calls are closed.

    Judged on the head as it was read: when two last calls close at once neither sees itself as the last, and dispatch mends
    the entry on the edge `open_calls = 0`.
    """
    left = [call for call in head.pending if call.number not in closed]
    if not left:
        return closed_pause(keys, head, now_ms)
    urgent = min(left, key=lambda call: call.deadline_ms)
    queue = keys.queue(urgent.action_class, head.level)
    if (queue, urgent.deadline_ms) == (head.wpk, head.deadline_ms):
        return Place(head)
    return moved(head, queue, urgent.deadline_ms, deadline_ms=urgent.deadline_ms)


def closed_pause(keys: Keys, head: Head, now_ms: int) -> Place:
    """No call waits for a person: the run must be resumed."""
    facts = {"state": PauseState.CLOSED.value, "resume_state": ResumeState.DUE.value}
    return moved(head, keys.out(head.agent), now_ms, **facts)


def listed_as(keys: Keys, reason: str, now_ms: int) -> dict[str, Any]:
    """Onto the stuck list."""
    return {"wpk": keys.stuck(), "wsk": now_ms, "stuck": reason}
