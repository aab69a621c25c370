"""Where a pause stands in the work index: one rule for every write that moves it.

A pause with an open call stands where its people see it. Without one it stands on its agent's list or on none, unless nobody
knows whether one of its calls ran: then it stays on the stuck list until a person has settled that.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from placet.model.states import PauseState, PermitState, ResumeState
from placet.records import clauses as c
from placet.records.heads import Head
from placet.records.keys import Keys

UNKNOWN_REASON = "permit_unknown"


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


def to_people(head: Head, wpk: str, wsk: int, **also: Any) -> Place:
    """Onto a list of what waits for people."""
    return Place(head, {"wpk": wpk, "wsk": wsk, **also}, ("stuck",) if head.stuck else ())


def to_agent(keys: Keys, head: Head, now_ms: int, **also: Any) -> Place:
    """Onto the list of what its agent has to take up."""
    if has_unknown(head):
        return _listed(keys, head, now_ms, also)
    return Place(head, {"wpk": keys.out(head.agent), "wsk": now_ms, **also}, ("stuck",) if head.stuck else ())


def off(keys: Keys, head: Head, now_ms: int, **also: Any) -> Place:
    """Off every list."""
    if has_unknown(head):
        return _listed(keys, head, now_ms, also)
    return Place(head, also, ("wpk", "wsk", "stuck") if head.stuck else ("wpk", "wsk"))


def with_unknown(keys: Keys, head: Head, reason: str, now_ms: int) -> Place:
    """Where it stands once an outcome is unknown: with people while they have something to decide, else on the stuck list."""
    return Place(head) if head.open_calls else Place(head, listed_as(keys, reason, now_ms))


def has_unknown(head: Head) -> bool:
    """Whether a call of it has an outcome that nobody knows."""
    return any(call.permit is PermitState.UNKNOWN for call in head.calls)


def given_up(head: Head) -> dict[str, Any]:
    """Permits that are free again after an attempt that never reported: once nobody will retry them they are unknown."""
    tried = (call.number for call in head.calls if call.permit is PermitState.FREE and call.claimed_ms)
    return {f"calls.{number}.permit.state": PermitState.UNKNOWN.value for number in tried}


def _listed(keys: Keys, head: Head, now_ms: int, also: dict[str, Any]) -> Place:
    return Place(head, also if head.stuck else also | listed_as(keys, UNKNOWN_REASON, now_ms))


def leave_queue(keys: Keys, head: Head, closed: list[int], now_ms: int) -> Place:
    """Where the pause stands once these calls are closed.

    Judged on the head as it was read: when two last calls close at once neither sees itself as the last, and dispatch mends
    the entry on the edge `open_calls = 0`.
    """
    left = [call for call in head.pending if call.number not in closed]
    if not left:
        return closed_pause(keys, head, now_ms)
    if not all(call.deadline_ms for call in left):
        return Place(head)  # one was asked for again and is not shown yet: notify finds the place of both
    urgent = min(left, key=lambda call: call.deadline_ms)
    queue = keys.queue(urgent.action_class, head.level)
    if (queue, urgent.deadline_ms) == (head.wpk, head.deadline_ms):
        return Place(head)
    return to_people(head, queue, urgent.deadline_ms, deadline_ms=urgent.deadline_ms)


def last_seen(head: Head, place: Place) -> list[c.Clause]:
    """A write that found no other call open closes the pause: not while a stale approval is asked for again beside it."""
    return [c.my_generation(head.gen)] if place.set.get("state") == PauseState.CLOSED.value else []


def closed_pause(keys: Keys, head: Head, now_ms: int) -> Place:
    """No call waits for a person: the run must be resumed."""
    return to_agent(keys, head, now_ms, state=PauseState.CLOSED.value, resume_state=ResumeState.DUE.value)


def listed_as(keys: Keys, reason: str, now_ms: int) -> dict[str, Any]:
    """Onto the stuck list."""
    return {"wpk": keys.stuck(), "wsk": now_ms, "stuck": reason}
