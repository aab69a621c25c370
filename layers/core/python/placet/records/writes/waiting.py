"""capture and notify: a pause is stored and shown; what was told of it, and when the sweep looks at it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from placet.records import clauses as c
from placet.records.calls import HeadCall
from placet.records.counters import Charge
from placet.records.heads import Head
from placet.records.keys import SCHEMA_VERSION, Keys
from placet.records.ops import Item, Op, Put, Update, update
from placet.records.writes.leaving import most_urgent
from placet.records.writes.places import (
    MAIL_AGAIN_MS,
    MAIL_LATEST_MS,
    in_queue,
    level_reached,
    next_look,
    next_moment,
    stood,
)

NOTIFY_WITHIN_MS = 60_000  # a captured pause that nobody was told of by then is overdue for the sweep
EVERYBODY = "#everybody"  # among who is to be mailed: whoever may decide then; no person is called so, because no key holds a `#`


def capture(head: Item, charges: Sequence[Charge] = ()) -> list[Op]:
    """One item makes the pause visible; its body was put before. What passes without a person is counted with it, or not at all."""
    return [Put(head, (c.not_captured(),)), *(_charged(one) for one in charges)]


def _charged(charge: Charge) -> Update:
    changes = {"schema_version": SCHEMA_VERSION, "kind": "BUDGET", "ttl": charge.until_s}
    left = charge.limit - charge.amount
    return update(charge.key, [c.within_budget(left)], set=changes, add={"spent": charge.amount})


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


def notify(keys: Keys, head: Head, planned: Sequence[HeadCall], now_ms: int) -> list[Op]:
    """Into the reviewers' queue; the moments of its calls count from now, because now the pause becomes visible. One that was shown
    before, and waits beside a stale approval, keeps its own.

    Nobody is mailed yet. That is not written: the machine repeats a notify that was cut off, and one that it gives up is written
    down then (`tell_at`). The next moment stands, so that no sweep mails beside the notify that is at work.

    Args:
        planned: the pending calls, with their moments and the level that each begins at.
    """
    urgent = most_urgent(planned)
    at = urgent[0].deadline_ms
    changes: dict[str, Any] = {
        path: value for call in planned for path, value in _plan(call, head.call(call.number)).items()
    }
    changes |= {"notified_ms": now_ms, "deadline_ms": at}
    move = in_queue(keys, head, planned, next_look(head, next_moment(planned)), level=level_reached(planned))
    conditions = [
        c.not_notified(),
        c.my_generation(head.gen),
        c.urgent_pending(call.number for call in urgent),
        *stood(head, planned),
        *move.clauses,
    ]
    gone = ("mails_missed",) if head.mails_missed else ()
    remove = (*move.remove, *gone, *_tried(head))
    return [update(keys.head(head.pause), conditions, set=changes | move.set, remove=remove)]


def _plan(call: HeadCall, before: HeadCall | None) -> dict[str, Any]:
    """What is written of a call's moments; what it has none of stays out of the record."""
    at = f"calls.{call.number}"
    made: dict[str, Any] = {f"{at}.deadline_ms": call.deadline_ms}
    if before is None or before.deadline_ms:
        return made
    made |= {f"{at}.levels_ms": list(call.levels_ms)} if call.levels_ms else {}
    made |= {f"{at}.remind_ms": list(call.remind_ms)} if call.remind_ms else {}
    return made | ({f"{at}.level": call.level} if call.level else {})


def requeue(keys: Keys, head: Head, level: int) -> list[Op]:
    """Out of a queue that nobody reads any more since a deploy, into the one of today; its clocks go on, its moment stays."""
    move = in_queue(keys, head, head.pending, head.wsk, level=level)
    conditions = [
        c.open_as_seen(head.open_calls),
        c.my_generation(head.gen),
        c.same_moment(head.stands),
        *stood(head, head.pending),
        *move.clauses,
    ]
    return [update(keys.head(head.pause), conditions, set=move.set, remove=move.remove)]


def mailed(keys: Keys, head: Head, missed: list[str], now_ms: int) -> list[Op]:
    """Everybody who was to be told was mailed, but for `missed`: them the sweep has mailed, soon.

    With nobody missed the next moment is that of its plan, or a claim's end, which it mostly is already: then no index entry moves.
    """
    due = next_look(head)
    moment = min(due, now_ms + mail_again_ms(head.mails_tried)) if missed else due
    told = {"mails_missed": missed, "mails_tried": head.mails_tried + 1} if missed else {}
    changes: dict[str, Any] = told | _moved(head, moment)
    gone = ("mails_missed", *_tried(head))
    conditions = [c.my_generation(head.gen), c.same_deadline(head.deadline_ms), *stood(head, head.pending)]
    return [update(keys.head(head.pause), conditions, set=changes, remove=() if missed else gone)]


def mail_again_ms(tried: int) -> int:
    """How long the sweep waits for its next try at the mails of a pause: 1, 2, 4, then every 5 minutes."""
    return min(MAIL_LATEST_MS, MAIL_AGAIN_MS << min(tried, 4))


def _tried(head: Head) -> tuple[str, ...]:
    return (*(("mails_tried",) if head.mails_tried else ()), *(("mails_why",) if head.mails_why else ()))


def tell_at(keys: Keys, head: Head, at_ms: int, *, everybody: bool = False) -> list[Op]:
    """The sweep comes for a shown pause at that moment, to have done again what its wait or an earlier try may have left out.

    `everybody`: the notify that shows it was given up or cut off, and whom that mailed nobody knows. Whom it is known to have
    missed stays as it is: it came to its end. A list that a moment or a handing-on began says nothing of it.
    """
    conditions = [c.same_moment(head.stands), *stood(head, head.pending)]
    changes: dict[str, Any] = {"wsk": head.lane + min(next_look(head), at_ms)}
    gone: tuple[str, ...] = ()
    if everybody and (not head.mails_missed or head.mails_why):
        changes |= {"mails_missed": sorted({EVERYBODY, *head.mails_missed})}
        gone = ("mails_why",) if head.mails_why else ()  # most of them hear of it for the first time
    return [update(keys.head(head.pause), conditions, set=changes, remove=gone)]


def _moved(head: Head, moment: int) -> dict[str, Any]:
    return {} if moment == head.wsk else {"wsk": head.lane + moment}


def next_generation(keys: Keys, head: Head, now_ms: int) -> list[Op]:
    """The execution of this generation is gone and nobody was told: the next one starts."""
    changes = {"gen": head.gen + 1, "wsk": now_ms + NOTIFY_WITHIN_MS}
    conditions = [c.still_open(), c.not_notified(), c.my_generation(head.gen), c.as_listed(head.stuck)]
    return [update(keys.head(head.pause), conditions, set=changes)]
