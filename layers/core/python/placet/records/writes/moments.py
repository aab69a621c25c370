"""escalate: what moments do. People are reminded, more are asked, and a call that nobody decided ends without a permit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from placet.model.events import BY_RULE, Event, EventName
from placet.model.states import CallState
from placet.records import clauses as c
from placet.records.calls import HeadCall
from placet.records.heads import Head
from placet.records.keys import Keys
from placet.records.ops import Op, update
from placet.records.writes.deciding import decided_fact
from placet.records.writes.leaving import leave_queue
from placet.records.writes.places import placed
from placet.records.writes.telling import put_event

REMINDED, WIDENED = "reminded", "widened"  # why somebody is mailed who is mailed because of a moment


def remind(keys: Keys, head: Head, counts: Mapping[int, int], told: Sequence[str], now_ms: int) -> list[Op]:
    """Reminders of these calls are due: `told` are to be mailed again, by notify; if nobody else calls it the sweep does.

    Args:
        counts: by call, how many of its reminders are told then. Several that are due together are one mail.
    """
    move = placed(keys, head, reminded_of(head, counts), now_ms, told)
    conditions = [
        *(c.call_pending(number) for number in counts),
        c.my_generation(head.gen),
        *move.clauses,
    ]
    changes: dict[str, Any] = {f"calls.{number}.reminded": count for number, count in counts.items()}
    fact = f"reminded#{head.gen}#" + ".".join(
        f"{_round(head, number)}x{count}" for number, count in sorted(counts.items())
    )
    event = Event(EventName.REMINDED, now_ms, {"calls": sorted(counts), "people": len(told)})
    changes |= move.set | _to_tell(head, told, REMINDED)
    return [
        update(keys.head(head.pause), conditions, set=changes, remove=move.remove),
        put_event(keys, head.pause, fact, event),
    ]


def reminded_of(head: Head, counts: Mapping[int, int]) -> list[HeadCall]:
    """The open calls of a pause as they are once so many reminders of these are told."""
    return [replace(call, reminded=counts.get(call.number, call.reminded)) for call in head.pending]


def widen(keys: Keys, head: Head, levels: Mapping[int, int], told: Sequence[str], why: str, now_ms: int) -> list[Op]:
    """These calls reach a later level: its people may decide, find the pause in their queue, and are to be mailed.

    Args:
        levels: by call, the level it has then.
        why: `after`, its moment has come, or `group_empty`, `too_few_people`: the levels before cannot decide it.
    """
    after = [replace(call, level=levels.get(call.number, call.level)) for call in head.pending]
    move = placed(keys, head, after, now_ms, told)
    conditions = [
        c.my_generation(head.gen),
        c.open_as_seen(head.open_calls),
        *move.clauses,
    ]
    changes: dict[str, Any] = {f"calls.{number}.level": level for number, level in levels.items()}
    fact = f"widened#{head.gen}#" + ".".join(
        f"{_round(head, number)}x{level}" for number, level in sorted(levels.items())
    )
    event = Event(EventName.WIDENED, now_ms, {"calls": sorted(levels), "level": max(levels.values()), "why": why})
    changes |= move.set | _to_tell(head, told, WIDENED)
    return [
        update(keys.head(head.pause), conditions, set=changes, remove=move.remove),
        put_event(keys, head.pause, fact, event),
    ]


def expire(keys: Keys, head: Head, overdue: Sequence[HeadCall], now_ms: int) -> list[Op]:
    """Close the calls whose deadline has passed, each as its class says: expired, or rejected by rule. Nobody decided, so there is
    no permit."""
    conditions = [
        one for call in overdue for one in (c.call_pending(call.number), c.deadline_passed(call.number, now_ms))
    ]
    numbers = [call.number for call in overdue]
    changes: dict[str, Any] = {f"calls.{call.number}.state": _ended(call).value for call in overdue}
    move = leave_queue(keys, head, numbers, now_ms)
    if head.stuck and len(overdue) < len(head.pending):  # it is listed once: what is left lacks what it lacked before
        kept = {name: value for name, value in move.set.items() if name not in ("wpk", "wsk", "level")}
        move = replace(move, set=kept, remove=tuple(name for name in move.remove if name != "stuck"))
    return [
        update(
            keys.head(head.pause),
            [*conditions, *move.clauses],
            set=changes | move.set,
            add={"open_calls": -len(overdue)},
            remove=move.remove,
        ),
        *_told(keys, head, overdue, now_ms),
    ]


def _ended(call: HeadCall) -> CallState:
    return CallState.REJECTED if call.then == "reject" else CallState.EXPIRED


def _told(keys: Keys, head: Head, overdue: Sequence[HeadCall], now_ms: int) -> list[Op]:
    """One event for all that expired, and for each that a rule rejected the one that a person's decision would have been."""
    expired = [call for call in overdue if _ended(call) is CallState.EXPIRED]
    ops: list[Op] = []
    if expired:
        fields = {"calls": [call.number for call in expired], "deadline_ms": min(call.deadline_ms for call in expired)}
        fact = "expired#" + ".".join(_round(head, call.number) for call in expired)
        ops.append(put_event(keys, head.pause, fact, Event(EventName.EXPIRED, now_ms, fields)))
    for call in overdue:
        if call not in expired:
            ruled = {
                "call": call.number,
                "state": _ended(call).value,
                "deadline_ms": call.deadline_ms,
                "reason": BY_RULE,
            }
            ops.append(put_event(keys, head.pause, decided_fact(call), Event(EventName.RULED, now_ms, ruled)))
    return ops


def _to_tell(head: Head, told: Sequence[str], why: str) -> dict[str, Any]:
    return {"mails_missed": sorted({*head.mails_missed, *told}), "mails_why": why} if told else {}


def _round(head: Head, number: int) -> str:
    call = head.call(number)
    return str(number) if call is None or call.round == 1 else f"{number}r{call.round}"
