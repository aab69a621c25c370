"""extend: a call gets more time, by somebody who may decide it. Nothing is decided, and nobody is asked who was not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from placet.model.absences import InPlaceOf, all_names
from placet.model.events import Event, EventName
from placet.model.pauses import Reviewer
from placet.records import clauses as c
from placet.records.calls import HeadCall
from placet.records.conditions import Clause
from placet.records.heads import Head
from placet.records.keys import Keys
from placet.records.ops import Op, update
from placet.records.writes.deciding import apart, right_checks, right_clauses
from placet.records.writes.places import Move, placed, stood
from placet.records.writes.telling import by_whom, generation_mark, put_event


@dataclass(frozen=True)
class MoreTime:
    """A new deadline of one call, and who gives it.

    Attributes:
        group, level, in_place_of, handed: the right that is used, as in `Ballot`.
        since, most_ms: the attribute of the head that holds the moment from which its longest wait counts, and how long that is.
    """

    reviewer: Reviewer
    call: HeadCall
    until_ms: int
    reason: str
    group: str
    level: int
    since: str
    most_ms: int
    in_place_of: InPlaceOf | None = None
    handed: str = ""

    @property
    def names(self) -> frozenset[str]:
        """Of everybody by whose right it is given."""
        return all_names(self.reviewer.names, self.in_place_of)


def extend(keys: Keys, head: Head, more: MoreTime, now_ms: int) -> list[Op]:
    """The deadline of one call moves to a later moment. No permit, vote or list changes.

    The pause's own deadline and the moment at which the sweep looks follow; of one that is listed as stuck only the deadline. The
    timer fires at the old moment, finds nothing due, and is set to the next one then.
    """
    number = more.call.number
    after = [replace(call, deadline_ms=more.until_ms) if call.number == number else call for call in head.pending]
    move = _extended(keys, head, after, now_ms)
    changes: dict[str, Any] = {f"calls.{number}.deadline_ms": more.until_ms, "said": True, **move.set}
    conditions = [*_extend_clauses(head, more, now_ms), *move.clauses]
    return [
        update(keys.head(head.pause), conditions, set=changes),
        put_event(keys, head.pause, extended_fact(head.gen, number, more.until_ms), _extension(more, now_ms)),
        *right_checks(keys, more.reviewer.sub, more.group, more.in_place_of, now_ms),
    ]


def _extended(keys: Keys, head: Head, after: list[HeadCall], now_ms: int) -> Move:
    if head.stuck or not after:  # of none that is open the write is refused
        nearest = min((call.deadline_ms for call in after), default=0)
        return Move(head, {"deadline_ms": nearest}, judged=stood(head, after))
    return placed(keys, head, after, now_ms)


def extended_fact(gen: int, number: int, until_ms: int) -> str:
    """The unique name of an extension: no call gets the same deadline twice under one execution; a new one may begin it anew."""
    return f"{number}#extended{generation_mark(gen)}#{until_ms}"


def _extend_clauses(head: Head, more: MoreTime, now_ms: int) -> list[Clause]:
    number = more.call.number
    return [
        c.call_pending(number),
        c.in_time(number, now_ms),
        c.deadline_grows(number, more.until_ms),
        c.within_maximum(more.since, more.until_ms - more.most_ms),
        *apart(head, more.names),
        *right_clauses(number, more.level, more.handed),
        c.open_as_seen(head.open_calls),
    ]


def _extension(more: MoreTime, now_ms: int) -> Event:
    fields: dict[str, Any] = {
        "call": more.call.number,
        **by_whom(more.reviewer, more.in_place_of, more.group),
        "before_ms": more.call.deadline_ms,
        "until_ms": more.until_ms,
        "reason": more.reason,
    }
    return Event(EventName.EXTENDED, now_ms, fields)
