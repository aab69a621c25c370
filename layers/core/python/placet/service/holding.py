"""A decided pause whose decisions may still be taken back: its run is held until that time is over, and then goes on."""

from __future__ import annotations

from placet.model.errors import PlacetError
from placet.model.states import ResumeState
from placet.records import writes
from placet.records.heads import Head
from placet.records.ops import ConditionFailed
from placet.service.ports import Ports, wired

GRACE_MS = 90_000  # the timer has a minute's precision; only what is later than that is lost


def end_hold(ports: Ports, head: Head) -> str:
    """Let the run of a decided pause go on if its time is over, else set the timer to that moment.

    Nothing but time ends a hold, and whoever takes the run up compares the clock as well: a timer that comes twice, late or not
    at all opens nothing early and loses nothing.

    Returns:
        `released`, `held`, or `over` (nothing is held, or it is not what it was).
    """
    if not head.held_ms or head.open_calls or head.cancelled:
        return "over"
    if head.is_held(ports.clock.now_ms()):
        _set_timer(ports, head)
        return "held"
    try:
        ports.table.write(writes.end_hold(ports.keys, head))
    except ConditionFailed:
        return "over"  # another timer was faster, or a decision was taken back at the last moment
    return "released"


def is_overdue(head: Head, now_ms: int) -> bool:
    """Whether the time of a decided pause is over and the timer that should have said so is lost."""
    waits = head.resume_state is not ResumeState.DONE and not head.open_calls and not head.cancelled
    return bool(head.held_ms) and waits and head.held_ms + GRACE_MS <= now_ms


def _set_timer(ports: Ports, head: Head) -> None:
    """One that cannot be set costs time only: the sweep does what it missed."""
    try:
        wired(ports.timers).set(head.pause, head.held_ms)
    except PlacetError as error:
        ports.log("timer_not_set", {"pause": head.pause, "code": error.code})
