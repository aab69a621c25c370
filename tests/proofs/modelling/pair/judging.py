"""What must never be of a pause of two calls, and what must not be where nothing goes on any more."""

from __future__ import annotations

from tests.proofs.modelling.pair.state import Pair


def wrong_state(s: Pair) -> str:
    """What is wrong with a state; empty when nothing is."""
    if s.open_calls != (s.a == "pending") + (s.b == "pending"):
        return "open_calls and the calls say different things"
    if s.listed != (s.place == "stuck"):
        return "the record and the stuck list say different things"
    if s.permit in ("claimed", "unknown") and not s.place:
        return "nobody looks after a permit that is out"
    if s.permit == "claimed" and s.place == "queue" and not s.watched:
        return "nobody looks at a claim in time while its sibling waits"
    if s.permit == "unknown" and s.place == "out":
        return "an unknown outcome stands on the agent's list"
    if not s.open_calls and s.resume == "not_due":
        return "the last call closed, and nobody lets the run go on"
    if s.open_calls and s.resume in ("due", "done"):
        return "a run is to go on while a call waits for a person"
    return ""


def wrong_end(s: Pair) -> str:
    """What is wrong where nobody does anything any more."""
    if s.permit == "free" and s.tried and s.resume == "done":
        return "an attempt that may have acted is on no list"
    if s.place == "stuck":
        return ""
    if s.resume != "done":
        return "the pause neither ends nor is listed"
    return "a permit is out for ever" if s.permit in ("claimed", "unknown") else ""
