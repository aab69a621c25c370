"""A quarter with weekends, holidays and two clock changes: everybody is reminded once, every level is asked at its moment or when
nobody is left, whoever is named stands in for who is away, what nobody decides ends, and nothing is ever accepted by the clock."""

from __future__ import annotations

from collections.abc import Callable

from tests.proofs import Proof, Size
from tests.proofs.timing.cast import BEGINS_MS, DAYS
from tests.proofs.timing.judging import Judge, Judged
from tests.proofs.timing.oracle import expected
from tests.proofs.timing.people import GOING
from tests.proofs.timing.quarter import DAY_MS, Quarter

PAUSES, QUICK_PAUSES, QUICK_DAYS = 2_000, 120, 14.0
QUICK_BEGINS_MS = BEGINS_MS + 20 * DAY_MS  # both clocks are changed within these days
WRONG = (
    *("reminders_missing", "reminders_doubled", "escalations_wrong", "decided_wrongly", "auto_accepts", "silent"),
    "waiting_forever",
)
KINDS = (
    *("mail: asked", "mail: reminded", "mail: widened", "mail: digest", "expired", "rejected", "accepted", "a deploy"),
    *(
        "listed as group_empty",
        "listed as too_few_people",
        "left: one",
        "left: group",
        "left: groups",
        "left: one for two",
    ),
    *("a timer that was lost", "a timer that came twice", "a timer that could not be set"),
    *("a mail that could not be sent", "a call between functions that was lost", "a decision that was refused"),
    *("rejected by rule", "over a change of the clock", "over a holiday"),
    *(f"away: {kind}" for kind in GOING),
    *("a decision in another's place", "a void right was tried", "an absence that was refused: delegates_in_circle"),
)


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Play it, and judge it by the logs."""
    quarter = quick(size.seed) if size.quick else Quarter(size.seed, PAUSES, DAYS)
    say(f"time: {QUICK_PAUSES if size.quick else PAUSES} pauses")
    return judged(quarter.plays(), QUICK_PAUSES if size.quick else PAUSES)


def quick(seed: int, *, swept: bool = True, pauses: int = QUICK_PAUSES) -> Quarter:
    """A fortnight around both changes of the clock."""
    return Quarter(seed, pauses, QUICK_DAYS, QUICK_BEGINS_MS, swept=swept)


def judged(quarter: Quarter, pauses: int) -> Proof:
    """The verdict on what was played."""
    found = Judge(quarter).judges()
    _count(quarter)
    figures = {
        "pauses": len(quarter.calls),
        "reminders": found.counts["reminders"],
        "escalations": found.counts["escalations"],
        "delegations": sum(bool(one.delegate) for one in quarter.people.away),
        "decided_for_others": quarter.happened.get("a decision in another's place", 0),
        "kinds": sum(bool(quarter.happened.get(kind)) for kind in KINDS),
        **{name: found.counts[name] for name in WRONG},
    }
    violations = [*found.wrong[:20], *(f"never happened: {kind}" for kind in KINDS if not quarter.happened.get(kind))]
    if len(quarter.calls) < pauses or min(found.counts[one] for one in ("reminders", "escalations")) < pauses // 20:
        violations.append("too little was played")
    return Proof("time", _table(quarter, found), figures, violations)


def _count(quarter: Quarter) -> None:
    for one in (one for calls in quarter.calls.values() for one in calls):
        due = expected(one.action_class, one.visible)
        for kind, so in (
            ("rejected by rule", one.state == "rejected" and not one.no),
            ("over a change of the clock", due.over_a_change),
            ("over a holiday", due.over_a_holiday),
        ):
            if so:
                quarter.count(kind)


def _table(quarter: Quarter, found: Judged) -> str:
    rows = [f"| {kind} | {times} |" for kind, times in sorted(quarter.happened.items())]
    return "\n".join(["| what happened | times |", "|---|---:|", *rows])
