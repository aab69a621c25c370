"""Where a pause stands once calls of it are closed: by a decision, or by their deadline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from placet.model.states import PauseState, ResumeState
from placet.records import clauses as c
from placet.records.calls import HeadCall
from placet.records.heads import Head
from placet.records.keys import Keys
from placet.records.writes.asked import questions_told
from placet.records.writes.places import (
    Move,
    level_of,
    next_moment,
    permits_seen,
    placed,
    queue_of,
    to_agent,
    told_classes,
)


def leave_queue(keys: Keys, head: Head, closed: list[int], now_ms: int, undo_ms: int = 0) -> Move:
    """Where the pause stands once these calls are closed; `undo_ms`: until when that may be taken back.

    Judged on the calls that are left: the most urgent of them is still pending when it is written, and the last to close sees
    that it is the last. One that has to move is judged by all that its new place follows from.
    """
    left = [call for call in head.pending if call.number not in closed]
    if not left:
        return closed_pause(keys, head, now_ms, undo_ms)
    card = questions_told(head, left)
    if not all(call.deadline_ms for call in left):
        # One was asked for again and is not shown yet: notify finds the place of both.
        return Move(head, judged=(c.not_notified(),)).beside(card)
    urgent = most_urgent(left)
    judged = (
        c.urgent_pending(call.number for call in urgent),
        c.urgent_deadline((call.number, call.deadline_ms) for call in urgent),
    )
    there = (head.wpk, head.deadline_ms, next_moment(head.pending))
    moved = (queue_of(keys, left, level_of(head, left)), min(call.deadline_ms for call in left), next_moment(left))
    if moved == there and not told_classes(head, left):
        return Move(head, judged=judged).beside(card)
    return placed(keys, head, left, now_ms).beside(Move(head, judged=judged)).beside(card)


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
