"""Who may act: nobody for themselves, whoever belongs to a group still, in their own place or for somebody who is away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from placet.records.conditions import Clause, Comparison, clause


def not_requester(names: Iterable[str]) -> list[Clause]:
    """Nobody decides what he asked for himself, under none of his names and in no spelling of them (`people.spellings`)."""
    return [clause("not_requester", ("requester", "<>", name)) for name in sorted(names)]


def not_kept_out(names: Iterable[str]) -> list[Clause]:
    """Whoever had no say in a call, or proposed to take it back under another name, decides whether it is taken back. `names`: his
    names and spellings, for a pause whose card keeps somebody out."""
    apart = (Comparison(("card", "kept_out", name), "absent") for name in sorted(names))
    return [Clause("not_kept_out", (one,)) for one in apart]


def not_owner(names: Iterable[str]) -> list[Clause]:
    """Nobody decides for an agent that he answers for."""
    return [clause("not_owner", ("owner", "<>", name)) for name in sorted(names)]


def level_reached(number: int, level: int) -> list[Clause]:
    """A later level's people decide before the call was widened to them; who is asked from the beginning needs no more."""
    return [clause("level_reached", (f"calls.{number}.level", ">=", level))] if level else []


def handed_over(number: int, key: str) -> Clause:
    """Somebody decides before their level is reached, whom the call is handed to no more: it was asked for anew."""
    return Clause("handed_over", (Comparison(("calls", str(number), "handed", key), "exists"),))


def still_member() -> Clause:
    """A person is taken out of the group between sign-in and click: tokens live on, memberships do not."""
    return clause("still_member", ("pk", "exists"))


def badge_lasts(now_ms: int) -> Clause:
    """A session ends, or somebody signs in again without the group, while they decide by the badge of an earlier sign-in."""
    return replace(clause("badge_lasts", ("until_ms", ">", now_ms)), expires=True)


def badge_as_seen(sessions: Mapping[str, int]) -> Clause:
    """Another browser of a person signs in or out, or an operator takes them out of a group, while a sign-out is judged by the
    sessions of before: a right that was ended would come back, and outlive both."""
    seen = [("sessions", "=", dict(sessions)), *([] if sessions else [("sessions", "absent")])]
    return clause("badge_as_seen", *seen)  # type: ignore[arg-type]


def absence_begun(now_ms: int) -> Clause:
    """An absence is put off while its delegate decides: before it begins nobody stands in."""
    return clause("absence_begun", ("from_ms", "<=", now_ms))


def absence_lasts(now_ms: int) -> Clause:
    """A person is back, by the clock or by their word, while their delegate decides."""
    return replace(clause("absence_lasts", ("until_ms", ">", now_ms)), expires=True)


def names_delegate(sub: str) -> Clause:
    """A person names another delegate while the one before decides."""
    return clause("names_delegate", ("delegate", "=", sub))
