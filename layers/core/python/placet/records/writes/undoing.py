"""undo: a decision is taken back while its run is held for that; and the hold ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from placet.model.absences import InPlaceOf
from placet.model.events import Event, EventName
from placet.model.pauses import Reviewer
from placet.model.states import CallState, PauseState, ResumeState
from placet.records import clauses as c
from placet.records.calls import HeadCall
from placet.records.heads import Head
from placet.records.keys import Keys
from placet.records.ops import Op, Put, update
from placet.records.writes.asked import questions_told
from placet.records.writes.deciding import right_checks
from placet.records.writes.places import Move, permits_seen, placed
from placet.records.writes.telling import by_whom, put_event


@dataclass(frozen=True)
class TakingBack:
    """Who takes a decision back, by which right, and which one: that of the revision on their page.

    Attributes:
        in_place_of: whose right it is, when the person stands in for somebody who is away.
    """

    reviewer: Reviewer
    call: HeadCall
    revision: int
    group: str
    in_place_of: InPlaceOf | None = None


def undo(keys: Keys, head: Head, back: TakingBack, epoch: int, now_ms: int) -> list[Op]:
    """Put a call back to its people, as a new revision with the arguments that its decider saw, and without any vote.

    It stays in the round of its deadline: what was planned for it stands, and one whose deadline has passed meanwhile ends as its
    class says.
    """
    number, at = back.call.number, f"calls.{back.call.number}"
    pending = [*head.pending, replace(back.call, state=CallState.PENDING)]
    move = _back_in_queue(keys, head, pending, now_ms)
    conditions = [
        c.window_open(number, now_ms),
        c.not_handed_out(),
        c.same_epoch(epoch),
        c.open_as_seen(head.open_calls),
        *move.clauses,
    ]
    changes: dict[str, Any] = {
        f"{at}.state": CallState.PENDING.value,
        f"{at}.rev": back.call.rev + 1,
        f"{at}.same_as": back.call.back_rev or back.call.written_rev,
        f"{at}.digest": back.call.back_digest or back.call.digest,
        f"{at}.round": back.call.round + 1,
        f"{at}.votes": {},
        "state": PauseState.OPEN.value,
        "resume_state": ResumeState.NOT_DUE.value,
    }
    gone = [f"{at}.permit", f"{at}.undo_ms", "held_ms", *move.remove]
    gone += [f"{at}.back"] if back.call.back_rev else []
    gone += [f"{at}.for"] if back.call.stand_ins else []
    gone += [f"{at}.voted"] if back.call.marks else []
    return [
        update(keys.head(head.pause), conditions, set=changes | move.set, add={"open_calls": 1}, remove=gone),
        _told(keys, head, back, now_ms),
        *right_checks(keys, back.reviewer.sub, back.group, back.in_place_of, now_ms),
    ]


def _back_in_queue(keys: Keys, head: Head, pending: Sequence[HeadCall], now_ms: int) -> Move:
    """The queue of its open calls and of the one that is open again; its people find it there, nobody is mailed anew."""
    card = questions_told(head, pending)
    if not all(call.deadline_ms for call in pending):
        # Another one was asked for again and is not shown yet: notify finds the place of both.
        return Move(head, judged=(c.same_work_list(head.wpk), *permits_seen(head))).beside(card)
    return placed(keys, head, pending, now_ms).beside(card)


def undone_fact(number: int, revision: int) -> str:
    """The unique name of the taking back of a decision.

    A revision is decided once: who means one that was taken back and decided anew finds it told already, and takes nothing back.
    """
    return f"{number}#undone#{revision}"


def _told(keys: Keys, head: Head, back: TakingBack, now_ms: int) -> Put:
    fields: dict[str, Any] = {
        "call": back.call.number,
        **by_whom(back.reviewer, back.in_place_of, back.group),
        "digest": back.call.digest,
        "revision": back.revision,
        "round": back.call.round + 1,
    }
    fact = undone_fact(back.call.number, back.revision)
    return put_event(keys, head.pause, fact, Event(EventName.UNDONE, now_ms, fields))


def end_hold(keys: Keys, head: Head) -> list[Op]:
    """The time to take its decisions back is over: the edge that has the wait of its run answered."""
    return [update(keys.head(head.pause), [c.hold_as_seen(head.held_ms)], remove=("held_ms",))]
