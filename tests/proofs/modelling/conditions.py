"""The clauses of the code as tests on the state, by the name that they have there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.proofs.modelling.state import State

Test = Callable[[State, dict[str, Any]], bool]


def _is_over(s: State, has: dict[str, Any]) -> bool:
    """The time to take it back, by the clock of whoever writes; what was handed out waits for no clock."""
    if s.resume == "offered" and not has.get("clock_only"):
        return True
    return s.window in ("", "over") or (s.window == "between" and bool(has.get("ahead", True)))


# What a test may read beside the state is what the actor read or was given: `by`, `rev`, `votes`, `fence`, `worker`, …
TESTS: dict[str, Test] = {
    "call_pending": lambda s, _: s.call == "pending",
    "shown_revision": lambda s, has: s.shown == has["rev"],
    "shown_digest": lambda s, has: s.rev == has["rev"] % 10,
    "in_time": lambda s, _: s.due == "running",
    "deadline_passed": lambda s, _: s.due == "over",
    "not_cancelled": lambda s, _: not s.cancelled,
    "votes_seen": lambda s, has: len(s.votes) == has["votes"],
    "new_voter": lambda s, has: has["by"] not in s.votes or has["verdict"] == "edit",
    "still_member": lambda s, has: s.member or has["by"] != 0,
    "as_listed": lambda s, has: s.listed == bool(has.get("listed")),
    "still_open": lambda s, _: s.call == "pending",
    "urgent_pending": lambda s, _: s.call == "pending",
    "not_notified": lambda s, _: s.due == "hidden",
    "all_decided": lambda s, _: s.open_calls == 0,
    "not_resumed": lambda s, _: s.resume != "done",
    "lease_free": lambda s, _: not s.lease,
    "my_fence": lambda s, has: s.fence == has["fence"],
    "permits_as_seen": lambda s, has: s.permit == has["permit"],
    "may_run": lambda s, _: s.call in ("accepted", "edited"),
    "permit_free": lambda s, _: s.permit == "free",
    "still_fresh": lambda s, _: s.fresh,
    "too_old": lambda s, _: not s.fresh,
    "digest_named": lambda s, has: s.rev == has["rev"],
    "permit_used": lambda s, _: s.permit in ("claimed", "unknown"),
    "my_permit": lambda s, has: s.owner == has["worker"],
    "permit_claimed": lambda s, _: s.permit == "claimed",
    "same_worker": lambda s, has: s.owner == has["worker"],
    "never_tried": lambda s, _: not s.tried,
    "not_renewed": lambda s, has: s.beat == has["beat"],
    "permit_unknown": lambda s, _: s.permit == "unknown",
    "window_open": lambda s, has: s.window == "open" or (s.window == "between" and not has["ahead"]),
    "window_over": _is_over,
    "not_held": lambda s, has: not s.held or _is_over(s, has),
    "hold_as_seen": lambda s, has: s.held == has["held"],
    "not_handed_out": lambda s, _: s.resume in ("due", "not_due"),
    "first": lambda s, has: s.turn == has["turn"],  # of what is taken back; the event of any other turn is there
}
