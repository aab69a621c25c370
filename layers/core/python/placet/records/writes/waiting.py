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
from placet.records.writes.places import (
    MAIL_AGAIN_MS,
    MAIL_LATEST_MS,
    in_queue,
    into_queue,
    leave_queue,
    most_urgent,
    next_look,
    permits_seen,
)
from placet.records.writes.telling import put_event

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


def _timed(head: Head, now_ms: int) -> list[HeadCall]:
    """The pending calls with their deadlines: from now, but for one that was shown before and waits beside a stale approval."""
    return [
        call if call.deadline_ms else replace(call, deadline_ms=now_ms + 1000 * call.wait_s) for call in head.pending
    ]


def notify(keys: Keys, head: Head, told: list[str], now_ms: int) -> list[Op]:
    """Into the reviewers' queue; the deadlines count from now, because now the pause becomes visible. Those that run already do so.

    Everybody in `told` still has to be mailed: whoever crashes from here on leaves that behind, and a second mail is all that can
    come of it. The next moment is the deadline all the same, so that no sweep mails beside the notify that is at work.
    """
    calls = _timed(head, now_ms)
    urgent = most_urgent(calls)
    at = urgent[0].deadline_ms
    changes: dict[str, Any] = {f"calls.{call.number}.deadline_ms": call.deadline_ms for call in calls}
    changes |= {"notified_ms": now_ms, "deadline_ms": at, **({"mails_missed": told} if told else {})}
    move = into_queue(keys, head, calls, at)
    conditions = [
        c.not_notified(),
        c.my_generation(head.gen),
        c.urgent_pending(call.number for call in urgent),
        *move.clauses,
    ]
    gone = ("mails_missed",) if head.mails_missed and not told else ()
    remove = (*move.remove, *gone, *_tried(head))
    return [update(keys.head(head.pause), conditions, set=changes | move.set, remove=remove)]


def requeue(keys: Keys, head: Head, level: int, wsk: int) -> list[Op]:
    """Out of a queue that nobody reads any more since a deploy, into the one of today; its clocks go on.

    `wsk`: the moment at which it stands there and stays; the index may have told an earlier one.
    """
    move = in_queue(keys, head, head.pending, wsk, level=level)
    conditions = [
        c.open_as_seen(head.open_calls),
        c.my_generation(head.gen),
        c.same_work_list(head.wpk),
        c.same_moment(wsk),
        *move.clauses,
    ]
    return [update(keys.head(head.pause), conditions, set=move.set, remove=move.remove)]


def mailed(keys: Keys, head: Head, missed: list[str], now_ms: int) -> list[Op]:
    """Everybody who was to be told was mailed, but for `missed`: them the sweep has mailed, soon.

    With nobody missed the next moment is the deadline, or a claim's end, which it mostly is already: then no index entry moves.
    """
    due = next_look(head, head.deadline_ms)
    moment = min(due, now_ms + mail_again_ms(head.mails_tried)) if missed else due
    told = {"mails_missed": missed, "mails_tried": head.mails_tried + 1} if missed else {}
    changes: dict[str, Any] = told | _moved(head, moment)
    gone = ("mails_missed", *_tried(head))
    conditions = [
        c.same_work_list(head.wpk),
        c.my_generation(head.gen),
        c.same_deadline(head.deadline_ms),
        *permits_seen(head),
    ]
    return [update(keys.head(head.pause), conditions, set=changes, remove=() if missed else gone)]


def mail_again_ms(tried: int) -> int:
    """How long the sweep waits for its next try at the mails of a pause: 1, 2, 4, then every 5 minutes."""
    return min(MAIL_LATEST_MS, MAIL_AGAIN_MS << min(tried, 4))


def _tried(head: Head) -> tuple[str, ...]:
    return ("mails_tried",) if head.mails_tried else ()


def tell_at(keys: Keys, head: Head, at_ms: int) -> list[Op]:
    """The sweep comes for a shown pause at that moment, to have done again what its wait or an earlier try may have left out."""
    conditions = [c.same_work_list(head.wpk), c.same_moment(head.wsk), *permits_seen(head)]
    return [update(keys.head(head.pause), conditions, set={"wsk": min(next_look(head, head.deadline_ms), at_ms)})]


def look_later(keys: Keys, head: Head) -> list[Op]:
    """A shown pause was looked at because of a claim that is still out: the sweep comes back for what is next."""
    changes = {"wsk": next_look(head, head.deadline_ms)}
    return [
        update(
            keys.head(head.pause),
            [c.same_work_list(head.wpk), c.same_moment(head.wsk), *permits_seen(head)],
            set=changes,
        )
    ]


def _moved(head: Head, moment: int) -> dict[str, Any]:
    return {} if moment == head.wsk else {"wsk": moment}


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
    move = leave_queue(keys, head, numbers, now_ms)
    event = Event(
        EventName.EXPIRED, now_ms, {"calls": numbers, "deadline_ms": min(call.deadline_ms for call in overdue)}
    )
    fact = "expired#" + ".".join(
        str(call.number) if call.round == 1 else f"{call.number}r{call.round}" for call in overdue
    )
    return [
        update(
            keys.head(head.pause),
            [*conditions, *move.clauses],
            set=changes | move.set,
            add={"open_calls": -len(overdue)},
            remove=move.remove,
        ),
        put_event(keys, head.pause, fact, event),
    ]
