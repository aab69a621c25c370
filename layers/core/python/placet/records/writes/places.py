"""Where a pause stands in the work index: one rule for every write that moves it.

A pause with an open call stands where its people see it. Without one it stands on its agent's list or on none, unless nobody
knows whether one of its calls ran: then it stays on the stuck list until a person has settled that. What cannot be read can
neither be shown nor handed out: it stays there as well, until it is repaired.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from placet.model.errors import Damaged
from placet.model.states import PauseState, PermitState, ResumeState
from placet.records import clauses as c
from placet.records.calls import HeadCall
from placet.records.conditions import Clause
from placet.records.heads import Head
from placet.records.keys import SEVERAL, Keys
from placet.records.lanes import in_lane

UNKNOWN_REASON = "permit_unknown"
MAIL_AGAIN_MS = 60_000  # after that the sweep has mails sent that were missed; each time twice as long
MAIL_LATEST_MS = 5 * MAIL_AGAIN_MS  # but no longer than this, so that mails follow soon once they can be sent


@dataclass(frozen=True)
class Move:
    """A move in the work index: what to set, what to remove, and what it was judged by.

    Attributes:
        judged: clauses on whatever else of the head decided where the pause stands.
    """

    head: Head
    set: dict[str, Any] = field(default_factory=dict)
    remove: tuple[str, ...] = ()
    judged: tuple[Clause, ...] = ()

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """What the write must find as the move was judged by it; always that the pause was not listed since the read."""
        return (c.as_listed(self.head.stuck), *self.judged)


def to_people(head: Head, wpk: str, wsk: int, **also: Any) -> Move:
    """Onto a list of what waits for people."""
    if head.stuck == Damaged.reason:
        return Move(head, also)
    return Move(head, {"wpk": wpk, "wsk": wsk, **also}, ("stuck",) if head.stuck else ())


def to_agent(keys: Keys, head: Head, now_ms: int, **also: Any) -> Move:
    """Onto the list of what its agent has to take up."""
    if has_unknown(head):
        return _listed(keys, head, now_ms, also)
    if head.stuck == Damaged.reason:
        return Move(head, also)
    return Move(head, {"wpk": keys.out(head.agent), "wsk": now_ms, **also}, ("stuck",) if head.stuck else ())


def off(keys: Keys, head: Head, now_ms: int, **also: Any) -> Move:
    """Off every list."""
    if has_unknown(head):
        return _listed(keys, head, now_ms, also)
    return Move(head, also, ("wpk", "wsk", "stuck") if head.stuck else ("wpk", "wsk"))


def with_unknown(keys: Keys, head: Head, reason: str, now_ms: int) -> Move:
    """Where it stands once an outcome is unknown: with people while they have something to decide, else on the stuck list."""
    return Move(head) if head.open_calls else Move(head, listed_as(keys, reason, now_ms))


def has_unknown(head: Head) -> bool:
    """Whether a call of it has an outcome that nobody knows."""
    return any(call.permit is PermitState.UNKNOWN for call in head.calls)


def given_up(head: Head) -> dict[str, Any]:
    """Permits that are free again after an attempt that never reported: once nobody will retry them they are unknown."""
    tried = (call.number for call in head.calls if call.permit is PermitState.FREE and call.claimed_ms)
    return {f"calls.{number}.permit.state": PermitState.UNKNOWN.value for number in tried}


def _listed(keys: Keys, head: Head, now_ms: int, also: dict[str, Any]) -> Move:
    return Move(head, also if head.stuck else also | listed_as(keys, UNKNOWN_REASON, now_ms))


def next_moment(calls: Sequence[HeadCall], otherwise: int = 0) -> int:
    """The next moment of these open calls at which somebody is reminded or asked beside the others, or a deadline passes."""
    return min((call.next_ms for call in calls if call.deadline_ms), default=otherwise)


def next_look(head: Head, nearest_ms: int | None = None) -> int:
    """The moment at which the sweep has to look at a pause that waits for people: its next moment, or that one, or the end of a
    claim that is nearer."""
    nearest = next_moment(head.pending, head.deadline_ms) if nearest_ms is None else nearest_ms
    claims = [call.over_ms for call in head.calls if call.permit is PermitState.CLAIMED and call.over_ms]
    return min([nearest, *claims])


def level_reached(calls: Sequence[HeadCall]) -> int:
    """The highest level that one of these calls has reached, or was handed to: who may decide one finds the pause in its queue."""
    return max((call.queue_level for call in calls), default=0)


def unplanned(calls: Sequence[HeadCall]) -> tuple[str, ...]:
    """The paths of what calls lose that become visible anew: then all their moments are made anew."""
    return tuple(
        f"calls.{call.number}.{name}"
        for call in calls
        for name in ("level", "reminded", "levels_ms", "remind_ms", "undo_ms", "handed")
        if getattr(call, name)
    )


def leave_queue(keys: Keys, head: Head, closed: list[int], now_ms: int, undo_ms: int = 0) -> Move:
    """Where the pause stands once these calls are closed; `undo_ms`: until when that may be taken back.

    Judged on the calls that are left: the most urgent of them is still pending when it is written, and the last to close sees
    that it is the last.
    While somebody is still to be mailed about what is left the sweep is called soon: who is at that now has read another list,
    and would not see to it.
    """
    left = [call for call in head.pending if call.number not in closed]
    if not left:
        return closed_pause(keys, head, now_ms, undo_ms)
    if not all(call.deadline_ms for call in left):
        # One was asked for again and is not shown yet: notify finds the place of both.
        return Move(head, judged=(c.not_notified(),))
    urgent = most_urgent(left)
    judged = (
        c.urgent_pending(call.number for call in urgent),
        c.urgent_deadline((call.number, call.deadline_ms) for call in urgent),
    )
    nearest, moment = min(call.deadline_ms for call in left), next_moment(left)
    level = min(head.level, level_reached(left))
    stands = (head.wpk, head.deadline_ms, next_moment(head.pending))
    if (queue_of(keys, left, level), nearest, moment) == stands and not _told_classes(head, left):
        return Move(head, judged=judged)
    soon = min(moment, now_ms + MAIL_AGAIN_MS) if head.mails_missed else moment
    move = into_queue(keys, head, left, soon, deadline_ms=nearest, level=level)
    return replace(move, judged=(*judged, c.same_work_list(head.wpk), *move.judged))


def queue_of(keys: Keys, calls: Sequence[HeadCall], level: int) -> str:
    """The queue in which the people of all these open calls find them."""
    classes = {call.action_class for call in calls}
    return keys.queue(classes.pop() if len(classes) == 1 else SEVERAL, level)


def into_queue(keys: Keys, head: Head, calls: Sequence[HeadCall], wsk: int, **also: Any) -> Move:
    """Into the queue of these open calls, until that moment or the nearest end of a claim.

    Judged on every claim: a call that is claimed meanwhile has to be looked at when its claim is over.
    Two closed calls that race past each other leave a queue and a card of more calls than are open, never of fewer.
    """
    return replace(in_queue(keys, head, calls, next_look(head, wsk), **also), judged=claims_seen(head, calls))


def in_queue(keys: Keys, head: Head, calls: Sequence[HeadCall], wsk: int, **also: Any) -> Move:
    """In the queue of these open calls. The card names their classes: that is how a queue of several is read by one's own."""
    level = also.pop("level", head.level)
    also |= {} if level == head.level else {"level": level}
    queue = queue_of(keys, calls, level)
    return to_people(head, queue, in_lane(head.agent, wsk), **_told_classes(head, calls), **also)


def _told_classes(head: Head, calls: Sequence[HeadCall]) -> dict[str, Any]:
    classes = sorted({call.action_class for call in calls})
    return {} if classes == sorted(head.card.classes) else {"card.classes": classes}


def most_urgent(calls: Sequence[HeadCall]) -> list[HeadCall]:
    """Those that put a pause into the same queue by the same moment: the nearest deadline, and the class of its first call."""
    first = min(calls, key=lambda call: call.deadline_ms)
    return [call for call in calls if (call.action_class, call.deadline_ms) == (first.action_class, first.deadline_ms)]


def closed_pause(keys: Keys, head: Head, now_ms: int, undo_ms: int = 0) -> Move:
    """No call waits for a person: the run must be resumed, once no decision can be taken back any more.

    Judged on every permit: a stale one may be asked for again meanwhile, and a call that runs may become unknown. And on until when
    each decision may be taken back.
    """
    windows = [call for call in head.calls if call.state.may_run and call.undo_ms > now_ms]
    until_ms = max([undo_ms, *(call.undo_ms for call in windows)])
    held = {"held_ms": until_ms} if until_ms else {}
    move = to_agent(
        keys, head, until_ms or now_ms, state=PauseState.CLOSED.value, resume_state=ResumeState.DUE.value, **held
    )
    gone = ("held_ms",) if head.held_ms and not held else ()
    judged = (*permits_seen(head), *(c.window_as_seen(call.number, call.undo_ms) for call in windows))
    return replace(move, remove=(*move.remove, *gone), judged=judged)


def permits_seen(head: Head) -> tuple[Clause, ...]:
    """Every permit of a pause is as it was read."""
    return tuple(c.permits_as_seen(call.number, call.permit.value) for call in head.calls if call.state.may_run)


def claims_seen(head: Head, calls: Sequence[HeadCall]) -> tuple[Clause, ...]:
    """No claim came since the read, of a call that might run then or of these open ones: by their ends the moment is judged."""
    return (*permits_seen(head), *(c.unclaimed(call.number) for call in calls))


def attempts_seen(head: Head) -> tuple[Clause, ...]:
    """No attempt came and was given up since the read: it may have acted, and a run that ends has to list it."""
    free = (call for call in head.calls if call.permit is PermitState.FREE and not call.claimed_ms)
    return tuple(c.never_tried(call.number) for call in free)


def listed_as(keys: Keys, reason: str, now_ms: int) -> dict[str, Any]:
    """Onto the stuck list."""
    return {"wpk": keys.stuck(), "wsk": now_ms, "stuck": reason}
