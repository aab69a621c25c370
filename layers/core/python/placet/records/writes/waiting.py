"""capture, notify, expire: a pause is stored, shown, and ends when nobody comes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from placet.model.events import Event, EventName
from placet.model.states import CallState
from placet.records import clauses as c
from placet.records.heads import Head, HeadCall
from placet.records.keys import SCHEMA_VERSION, Keys
from placet.records.ops import Item, Op, Put, update
from placet.records.writes.places import into_queue, leave_queue, most_urgent
from placet.records.writes.telling import put_event

MAIL_AGAIN_MS = 60_000
NOTIFY_WITHIN_MS = 60_000  # a captured pause that nobody was told of by then is overdue for the sweep


def capture(head: Item) -> list[Op]:
    """One item makes the pause visible; its body was put before."""
    return [Put(head, (c.not_captured(),))]


def store_token(keys: Keys, pause: str, gen: int, token: str, now_ms: int) -> list[Op]:
    """The wait's token. A retry of the wait carries a new one, which replaces the old."""
    item = {
        **keys.token(pause, gen)._asdict(),
        "schema_version": SCHEMA_VERSION,
        "kind": "TOKEN",
        "token": token,
        "at_ms": now_ms,
    }
    return [Put(item)]


def answer_token_now(keys: Keys, pause: str, gen: int) -> list[Op]:
    """The decision came before the token: the mark is the edge that wakes dispatch."""
    return [update(keys.token(pause, gen), [c.token_known()], set={"answer_now": "yes"})]


def deadline_of(head: Head, now_ms: int) -> int:
    """The nearest deadline of a pause that becomes visible now."""
    return min(call.deadline_ms for call in _timed(head, now_ms))


def _timed(head: Head, now_ms: int) -> list[HeadCall]:
    """The pending calls with their deadlines: from now, but for one that was shown before and waits beside a stale approval."""
    return [
        call if call.deadline_ms else replace(call, deadline_ms=now_ms + 1000 * call.wait_s) for call in head.pending
    ]


def notify(keys: Keys, head: Head, missed: list[str], now_ms: int) -> list[Op]:
    """Into the reviewers' queue; the deadlines count from now, because now the pause becomes visible. Those that run already do so.

    `missed` are the people whose mail has to be tried again: then the sweep is called earlier than the deadline.
    """
    calls = _timed(head, now_ms)
    urgent = most_urgent(calls)
    at = urgent[0].deadline_ms
    changes: dict[str, Any] = {f"calls.{call.number}.deadline_ms": call.deadline_ms for call in calls}
    changes |= {"notified_ms": now_ms, "deadline_ms": at, **({"mails_missed": missed} if missed else {})}
    moment = min(at, now_ms + MAIL_AGAIN_MS) if missed else at
    place = into_queue(keys, head, calls, moment)
    conditions = [
        c.not_notified(),
        c.my_generation(head.gen),
        c.urgent_pending(call.number for call in urgent),
        *place.clauses,
    ]
    return [update(keys.head(head.pause), conditions, set=changes | place.set, remove=place.remove)]


def requeue(keys: Keys, head: Head, level: int, wsk: int) -> list[Op]:
    """Out of a queue that nobody reads any more since a deploy, into the one of today; its clocks go on."""
    place = into_queue(keys, head, head.pending, wsk, level=level)
    conditions = [
        c.open_as_seen(head.open_calls),
        c.my_generation(head.gen),
        c.same_work_list(head.wpk),
        *place.clauses,
    ]
    return [update(keys.head(head.pause), conditions, set=place.set, remove=place.remove)]


def mailed(keys: Keys, head: Head, missed: list[str]) -> list[Op]:
    """The missing mails were tried again; with none left the deadline is the next moment."""
    changes: dict[str, Any] = {"mails_missed": missed} if missed else {"wsk": head.deadline_ms}
    conditions = [
        c.still_open(),
        c.same_work_list(head.wpk),
        c.my_generation(head.gen),
        c.same_deadline(head.deadline_ms),
    ]
    return [update(keys.head(head.pause), conditions, set=changes, remove=() if missed else ("mails_missed",))]


def next_generation(keys: Keys, head: Head, now_ms: int) -> list[Op]:
    """The execution of this generation is gone and nobody was told: the next one starts."""
    changes = {"gen": head.gen + 1, "wsk": now_ms + NOTIFY_WITHIN_MS}
    return [update(keys.head(head.pause), [c.still_open(), c.not_notified(), c.my_generation(head.gen)], set=changes)]


def expire(keys: Keys, head: Head, overdue: list[HeadCall], now_ms: int) -> list[Op]:
    """Close the calls whose deadline has passed. Nobody decided, so there is no permit."""
    conditions = [
        one for call in overdue for one in (c.call_pending(call.number), c.deadline_passed(call.number, now_ms))
    ]
    numbers = [call.number for call in overdue]
    changes: dict[str, Any] = {f"calls.{number}.state": CallState.EXPIRED.value for number in numbers}
    place = leave_queue(keys, head, numbers, now_ms)
    event = Event(
        EventName.EXPIRED, now_ms, {"calls": numbers, "deadline_ms": min(call.deadline_ms for call in overdue)}
    )
    fact = "expired#" + ".".join(
        str(call.number) if call.round == 1 else f"{call.number}r{call.round}" for call in overdue
    )
    return [
        update(
            keys.head(head.pause),
            [*conditions, *place.clauses],
            set=changes | place.set,
            add={"open_calls": -len(overdue)},
            remove=place.remove,
        ),
        put_event(keys, head.pause, fact, event),
    ]
