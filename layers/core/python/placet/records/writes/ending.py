"""cancel, the stuck list, freeze: what ends a pause from outside, and what cannot go on by itself is shown, never dropped."""

from __future__ import annotations

from typing import Any

from placet.model.events import Event, EventName
from placet.model.states import CallState, PauseState, PermitState, ResumeState
from placet.records import clauses as c
from placet.records.heads import Head
from placet.records.keys import SCHEMA_VERSION, Key, Keys
from placet.records.ops import Check, Item, Op, Put, update
from placet.records.writes.places import (
    UNKNOWN_REASON,
    Move,
    attempts_seen,
    given_up,
    listed_as,
    off,
    permits_seen,
    stood,
    to_people,
    unplanned,
    with_unknown,
)
from placet.records.writes.telling import put_event


def cancel(
    keys: Keys, head: Head, reason: str, successor: str, now_ms: int, *, while_it_waits: bool = False
) -> list[Op]:
    """The run moved on: close what is open, keep free permits from being claimed, list those that are out.

    What was claimed is not undone. `cancelled` is the edge that ends the wait.

    Args:
        while_it_waits: only for a successor that waits itself; two write units more.
    """
    state = CallState.SUPERSEDED if successor else CallState.CANCELLED
    open_numbers = [call.number for call in head.pending]
    claimed = [call.number for call in head.calls if call.permit is PermitState.CLAIMED]
    move = off(
        keys,
        head,
        now_ms,
        cancelled=reason,
        state=PauseState.ENDED.value,
        resume_state=ResumeState.DONE.value,
        **({"successor": successor} if successor else {}),
    )
    if tried := given_up(head):
        move = Move(head, move.set | tried | listed_as(keys, UNKNOWN_REASON, now_ms))
    if claimed:
        move = Move(head, move.set | listed_as(keys, "cancelled_while_claimed", now_ms))
    conditions = [
        c.not_cancelled(),
        c.not_resumed(),
        *(c.call_pending(number) for number in open_numbers),
        *permits_seen(head),
        *attempts_seen(head),
        *move.clauses,
    ]
    fields = {"calls": open_numbers, "reason": reason, "successor": successor, "claimed": claimed}
    return [
        update(
            keys.head(head.pause),
            conditions,
            set={f"calls.{number}.state": state.value for number in open_numbers} | move.set,
            add={"open_calls": -len(open_numbers)} if open_numbers else {},
            remove=move.remove,
        ),
        put_event(keys, head.pause, "cancelled", Event(EventName.CANCELLED, now_ms, fields)),
        *([Check(keys.head(successor), (c.successor_waits(),))] if while_it_waits else []),
    ]


def list_stuck(keys: Keys, head: Head, reason: str, now_ms: int) -> list[Op]:
    """Onto the stuck list, with the reason: a run that has not gone on. One that went on has nothing to repair.

    Judged on the generation, on how many calls are open, on who took it up last, and on since when it stands on its list; which
    list that is says the rest: at which level its people are, whose agent it waits for, or that it is listed.
    """
    event = Event(EventName.LISTED, now_ms, {"reason": reason})
    conditions = [
        c.not_resumed(),
        c.my_generation(head.gen),
        c.open_as_seen(head.open_calls),
        c.same_work_list(head.wpk),
        c.same_moment(head.stands),
        c.my_fence(head.fence),
    ]
    return [
        update(keys.head(head.pause), conditions, set=listed_as(keys, reason, now_ms)),
        put_event(keys, head.pause, f"listed#{reason}#{now_ms}", event),
    ]


def list_unreadable(keys: Keys, item: Item, reason: str, now_ms: int) -> list[Op]:
    """Onto the stuck list, off every other, with a head of any shape: only what says where it stands is written.

    `wpk`, `wsk` and `stuck` mean the same in every release, so that one can set aside what another wrote. A head on no list has
    ended, unless it says otherwise.
    """
    wpk = str(item.get("wpk", ""))
    conditions = [c.same_work_list(wpk), *(() if wpk else (c.head_known(), c.not_resumed()))]
    return [update(Key(item["pk"], item["sk"]), conditions, set=listed_as(keys, reason, now_ms))]


def unlist(keys: Keys, head: Head, move: Move, by: str, did: str, now_ms: int) -> list[Op]:
    """Off the stuck list, to where its work goes on; never to a decision."""
    changes = move.set
    gone = ("stuck",) if "wpk" in changes else ("stuck", "wpk", "wsk")
    if "gen" in changes:  # it becomes visible anew, and its clocks start anew
        gone = (*gone, "notified_ms", *unplanned(head.pending))
        changes = changes | {f"calls.{call.number}.deadline_ms": 0 for call in head.pending}
    event = Event(EventName.REPAIRED, now_ms, {"by": by, "reason": head.stuck, "did": did})
    conditions = [
        c.my_generation(head.gen),
        c.open_as_seen(head.open_calls),
        *(permits_seen(head) if "gen" in changes else stood(head, head.pending)),
        *move.clauses,
    ]
    return [
        update(keys.head(head.pause), conditions, set=changes, remove=gone),
        put_event(keys, head.pause, f"repaired#{now_ms}", event),
    ]


def into_epoch(keys: Keys, head: Head, epoch: int, now_ms: int) -> list[Op]:
    """A restored pause enters the new epoch: what the table calls free may have run since, so it becomes unknown and is listed;
    what is open waits again under a new execution."""
    used = [call.number for call in head.calls if call.permit in (PermitState.FREE, PermitState.CLAIMED)]
    waits = head.open_calls > 0
    move = with_unknown(keys, head, "restored_permits", now_ms) if used else Move(head)
    if waits:
        move = to_people(head, keys.new(), now_ms)
    changes: dict[str, Any] = {f"calls.{number}.permit.state": PermitState.UNKNOWN.value for number in used}
    changes |= {f"calls.{call.number}.deadline_ms": 0 for call in head.pending}
    return [
        update(
            keys.head(head.pause),
            [
                c.old_epoch(epoch),
                c.open_as_seen(head.open_calls),
                *(c.permits_as_seen(call.number, call.permit.value) for call in head.calls),
                *move.clauses,
            ],
            set=changes | {"epoch": epoch} | move.set,
            add={"gen": 1} if waits else {},
            remove=("notified_ms", *unplanned(head.pending), *move.remove) if waits else move.remove,
        )
    ]


def freeze(keys: Keys, by: str, reason: str, now_ms: int) -> list[Op]:
    """Stop captures, decisions and claims of the tenant."""
    return [Put(_freeze(keys, by, reason, now_ms) | {"held": True})]


def thaw(keys: Keys, by: str, now_ms: int) -> list[Op]:
    """Let them go on."""
    return [Put(_freeze(keys, by, "", now_ms) | {"held": False})]


def _freeze(keys: Keys, by: str, reason: str, now_ms: int) -> Item:
    item = {**keys.freeze()._asdict(), "schema_version": SCHEMA_VERSION, "kind": "FREEZE", "by": by, "reason": reason}
    return {**item, "at_ms": now_ms}
