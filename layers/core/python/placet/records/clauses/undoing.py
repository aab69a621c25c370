"""What may be taken back, and the hold of a run for that."""

from __future__ import annotations

from dataclasses import replace

from placet.records.conditions import Clause, clause


def window_open(number: int, now_ms: int) -> Clause:
    """The time to take a decision back ends between the page and the click, or while the write is retried."""
    return replace(clause("window_open", (f"calls.{number}.undo_ms", ">", now_ms)), expires=True)


def window_over(number: int, now_ms: int) -> Clause:
    """A worker that comes early runs what somebody may still take back. What is handed out nobody takes back, whatever this
    clock says: a worker that was let in by one that is ahead must not be turned away."""
    at = f"calls.{number}.undo_ms"
    return clause("window_over", (at, "absent"), (at, "<=", now_ms), ("resume_state", "=", "offered"))


def window_as_seen(number: int, undo_ms: int) -> Clause:
    """A decision is taken back and made again while the last one closes the pause: its run would be held for too short."""
    return clause("window_as_seen", (f"calls.{number}.undo_ms", "=", undo_ms))


def not_held(now_ms: int) -> Clause:
    """Its decision is taken back and made again while the run is taken up: there is time to take it back once more. Unless it was
    handed out, by whose clock that was over."""
    return clause("not_held", ("held_ms", "absent"), ("held_ms", "<=", now_ms), ("resume_state", "=", "offered"))


def hold_as_seen(held_ms: int) -> Clause:
    """The same, while a timer ends the time before: this one goes on."""
    return clause("hold_as_seen", ("held_ms", "=", held_ms))


def not_handed_out() -> Clause:
    """Whoever resumes the run has a clock that is ahead, or the run is cancelled: its decisions are out, or nobody wants them."""
    return clause("not_handed_out", ("resume_state", "=", "due"), ("resume_state", "=", "not_due"))
