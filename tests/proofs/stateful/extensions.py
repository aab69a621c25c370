"""Whether more time was rightly given, or rightly refused: by the books, and by what the record said before."""

from __future__ import annotations

from placet.model.errors import PlacetError
from placet.service.extend import Extended
from tests.proofs.stateful.answers import Moment
from tests.proofs.stateful.oracle import YES
from tests.proofs.stateful.standing_in import Right

MOST_MS = 86_400_000  # of every class of the house
NO_HINDRANCE = {"vote_given"}  # who has agreed already, or for whom somebody has, may give the others time


def judge_extension(at: Moment, sub: str, until_ms: int, found: list[Right], answer: Extended | PlacetError) -> None:
    """6, 8, 10: a deadline moves only to a later moment, in time, by who may decide; nothing else changes."""
    votes = at.oracle.votes[at.key]
    against = [one.hindrances(at.oracle.house, at.head, at.call, votes, sub) for one in found] or [{"not_found"}]
    if isinstance(answer, PlacetError):
        assert at.unchanged(), f"10: refused with {answer.code}, and something changed"
        no_right = set().union(*against) if all(against) or sub in votes else set()
        assert answer.code in _refusals(at, until_ms) | no_right, f"10: {answer.code} is not so: {at.call}"
        return
    if answer.replayed:
        assert at.unchanged(), "10: a replayed answer, and something changed"
        assert (sub, until_ms) in at.oracle.extended[at.key], "10: replayed to another"
        return
    wrong = _refusals(at, until_ms)
    assert not wrong, f"8: {sub} gave more time although {wrong}"
    assert any(one <= NO_HINDRANCE for one in against), f"8: {sub} gave more time although {against}"
    assert at.now == {**at.call, "deadline_ms": until_ms}, "6: more time changed more than a deadline"
    at.oracle.extended[at.key].add((sub, until_ms))


def _refusals(at: Moment, until_ms: int) -> set[str]:
    """Everything that speaks against it, whoever gives it."""
    oracle, call, head = at.oracle, at.call, at.head
    pending, deadline, now = call["state"] == "pending", call.get("deadline_ms", 0), oracle.house.now_ms
    again = any(one.get("round", 1) > call.get("round", 1) for one in head["calls"].values())
    since = head["captured_ms"] if again else head.get("notified_ms", 0)
    facts = {
        "frozen": oracle.frozen,
        "already_decided": call["state"] in (*YES, "rejected", "denied"),
        "deadline_passed": call["state"] == "expired" or (pending and 0 < deadline <= now),
        "call_cancelled": "cancelled" in head and "successor" not in head,
        "call_superseded": "cancelled" in head and "successor" in head,
        "not_shown_yet": pending and not (deadline and head.get("notified_ms")),
        "deadline_not_later": pending and until_ms < deadline + 60_000,
        "extended_too_often": len(oracle.extended[at.key]) >= 10,
        "deadline_beyond_maximum": pending and until_ms > since + MOST_MS,
    }
    return {code for code, holds in facts.items() if holds}
