"""Where a pause stands in the work index: one rule for every write that moves it.

A pause with an open call stands where its people see it: `placed`, judged by `stood`. Without one it stands on its agent's list
or on none, unless nobody knows whether one of its calls ran: then it stays on the stuck list until a person has settled that. What
cannot be read can neither be shown nor handed out: it stays there as well, until it is repaired.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from placet.model.errors import Damaged
from placet.model.states import CallState, PermitState
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

    def beside(self, other: Move) -> Move:
        """Both, in one write."""
        both = self.set | other.set
        return Move(self.head, both, (*self.remove, *other.remove), (*self.judged, *other.judged))


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


def placed(keys: Keys, head: Head, calls: Sequence[HeadCall], now_ms: int, told: Sequence[str] = ()) -> Move:
    """Where a shown pause stands once these are its open calls, and when the sweep looks at it: in the queue of their classes, at
    the highest level whose people have one of them, by the nearest of their deadlines.

    Two closed calls that race past each other leave a queue and a card of more calls than are open, never of fewer.

    Args:
        told: who is to be mailed because of this write.
    """
    nearest, level = min(call.deadline_ms for call in calls), level_of(head, calls)
    deadline = {} if nearest == head.deadline_ms else {"deadline_ms": nearest}
    move = in_queue(keys, head, calls, look(head, calls, now_ms, told), level=level, **deadline)
    kept = () if told or not head.mails_missed else (c.same_moment(head.stands),)
    return replace(move, judged=(*stood(head, calls), *kept))


def stood(head: Head, calls: Sequence[HeadCall]) -> tuple[Clause, ...]:
    """What `placed` has read of a pause: its list, who is still to be mailed, every claim, and of each of these calls that was
    open all that its queue and its moments follow from. That one of them is closed meanwhile is no matter: two people at two calls
    do not stand in each other's way.
    """
    were = [one for call in calls if (one := head.call(call.number)) is not None and one.state is CallState.PENDING]
    return (
        c.same_work_list(head.wpk),
        c.mails_as_seen(head.mails_missed),
        *(one for call in were for one in _call_seen(call)),
        *claims_seen(head, were),
    )


def _call_seen(call: HeadCall) -> tuple[Clause, ...]:
    return (
        c.level_as_seen(call.number, call.level),
        c.handed_as_seen(call.number, len(call.handed)),
        c.reminded_as_seen(call.number, call.reminded),
        c.deadline_as_seen(call.number, call.deadline_ms),
    )


def look(head: Head, calls: Sequence[HeadCall], now_ms: int, told: Sequence[str] = ()) -> int:
    """When the sweep looks at a pause with these open calls. At once while somebody is to be told: whoever is called about it may
    be lost. While others are still to be mailed it comes when it was called for them, or soon.
    """
    if told:
        return now_ms
    due = next_look(head, next_moment(calls, head.deadline_ms))
    if not head.mails_missed:
        return due
    return min(due, head.wsk if is_called(head) else now_ms + MAIL_AGAIN_MS)


def is_called(head: Head) -> bool:
    """Whether the sweep was called to a shown pause: all that a moment before its next one and a claim's end can mean."""
    return bool(head.notified_ms and head.open_calls and not head.stuck and head.wsk < next_look(head))


def shown_again(keys: Keys, head: Head, over: Mapping[int, int], level: int, mail: Sequence[str], now_ms: int) -> Move:
    """Where a listed pause stands before its people again; its clocks went on.

    Args:
        over: by call, how many of its reminders are told, or were due while nobody was there.
        mail: who is told by the sweep, in place of whoever was still to be mailed before.
    """
    after = [replace(call, reminded=over.get(call.number, call.reminded)) for call in head.pending]
    move = in_queue(keys, head, after, look(head, after, now_ms, mail), level=level)
    mails: dict[str, Any] = {"mails_missed": sorted(mail)} if mail else {}
    mails |= {"mails_tried": 0} if mail and head.mails_tried else {}
    reminded = {f"calls.{call.number}.reminded": over[call.number] for call in after if call.number in over}
    return replace(move, set=move.set | mails | reminded)


def level_of(head: Head, calls: Sequence[HeadCall]) -> int:
    """The level of their queue. A later one than the pause's own only by what is new: a level that a deploy took away since stays
    away."""
    were = {call.number: call.queue_level for call in head.pending}
    new = (call.queue_level for call in calls if call.queue_level > were.get(call.number, -1))
    return min(level_reached(calls), max([head.level, *new]))


def queue_of(keys: Keys, calls: Sequence[HeadCall], level: int) -> str:
    """The queue in which the people of all these open calls find them."""
    classes = {call.action_class for call in calls}
    return keys.queue(classes.pop() if len(classes) == 1 else SEVERAL, level)


def in_queue(keys: Keys, head: Head, calls: Sequence[HeadCall], wsk: int, level: int, **also: Any) -> Move:
    """In the queue of these open calls. The card names their classes: that is how a queue of several is read by one's own."""
    also |= {} if level == head.level else {"level": level}
    queue = queue_of(keys, calls, level)
    return to_people(head, queue, in_lane(head.agent, wsk), **told_classes(head, calls), **also)


def told_classes(head: Head, calls: Sequence[HeadCall]) -> dict[str, Any]:
    """What changes of the classes that the card names; nothing mostly."""
    classes = sorted({call.action_class for call in calls})
    return {} if classes == sorted(head.card.classes) else {"card.classes": classes}


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
