"""The clauses of the code as tests on a pair: the state now, and what the verb read before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.proofs.modelling.clauses import WRITES
from tests.proofs.modelling.pair.state import Pair, PairSetting, Seen

Test = Callable[[Pair, Seen, dict[str, Any]], bool]

TESTS: dict[str, Test] = {
    "call_pending": lambda s, seen, has: all(getattr(s, name) == "pending" for name in has.get("calls", ())),
    "in_time": lambda s, seen, has: all(getattr(s, f"{name}_due") == "running" for name in has["calls"]),
    "deadline_passed": lambda s, seen, has: all(getattr(s, f"{name}_due") == "over" for name in has["calls"]),
    "not_cancelled": lambda s, seen, has: not s.cancelled,
    "not_resumed": lambda s, seen, has: s.resume != "done",
    "all_decided": lambda s, seen, has: s.open_calls == 0,
    "as_listed": lambda s, seen, has: s.listed == seen.listed,
    "my_generation": lambda s, seen, has: s.gen == seen.gen,
    "open_as_seen": lambda s, seen, has: s.open_calls == seen.open_calls,
    "permits_as_seen": lambda s, seen, has: s.permit == seen.permit,
    "urgent_pending": lambda s, seen, has: any(getattr(s, name) == "pending" for name in has["urgent"]),
    "not_notified": lambda s, seen, has: not s.shown,
    "may_run": lambda s, seen, has: s.a == "accepted",
    "permit_free": lambda s, seen, has: s.permit == "free",
    "permit_used": lambda s, seen, has: s.permit in ("claimed", "unknown"),
    "permit_claimed": lambda s, seen, has: s.permit == "claimed",
    "still_fresh": lambda s, seen, has: s.fresh,
    "too_old": lambda s, seen, has: not s.fresh,
    "never_tried": lambda s, seen, has: not s.tried,
}


def holds(
    setting: PairSetting, state: Pair, write: str, seen: Seen, *, without: tuple[str, ...] = (), **has: Any
) -> bool:
    """Whether a conditional write is carried out.

    Its clauses are those of the code; what a pair does not know (names, digests, fences) is true of it.
    """
    return all(
        TESTS[name](state, seen, has)
        for name in WRITES[write]
        if name in TESTS and name not in without and (write, name) not in setting.dropped
    )
