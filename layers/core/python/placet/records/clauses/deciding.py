"""Somebody decides a call: what was shown, its time, its votes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from placet.records.conditions import Clause, Comparison, clause


def call_pending(number: int) -> Clause:
    """Two reviewers, or a reviewer and the clock, close one call at once."""
    return clause("call_pending", (f"calls.{number}.state", "=", "pending"))


def shown_revision(number: int, revision: int) -> Clause:
    """Somebody edited the call after this reviewer opened the page, or its agent answered a question about it."""
    return clause("shown_revision", (f"calls.{number}.rev", "=", revision))


def shown_digest(number: int, digest: str) -> Clause:
    """What was shown is what is decided, byte for byte."""
    return clause("shown_digest", (f"calls.{number}.digest", "=", digest))


def in_time(number: int, now_ms: int) -> Clause:
    """The deadline passes between the page and the click, or while the write is retried."""
    return replace(clause("in_time", (f"calls.{number}.deadline_ms", ">", now_ms)), expires=True)


def not_cancelled() -> Clause:
    """The run moved on while somebody was reading."""
    return clause("not_cancelled", ("cancelled", "absent"))


def same_epoch(epoch: int) -> Clause:
    """The table was restored to an earlier moment: what it calls free or pending may have been used since."""
    return clause("same_epoch", ("epoch", "=", epoch))


def old_epoch(epoch: int) -> Clause:
    """Two sweeps bring a restored pause into the new epoch."""
    return clause("old_epoch", ("epoch", "<", epoch))


def new_voter(number: int, sub: str) -> Clause:
    """One person votes twice at once."""
    return Clause("new_voter", (Comparison(("calls", str(number), "votes", sub), "absent"),))


def new_person(number: int, marks: Iterable[str]) -> list[Clause]:
    """One person votes once more with another account of theirs: each vote leaves the marks of its voter's addresses."""
    at = ("calls", str(number), "voted")
    return [Clause("new_person", (Comparison((*at, mark), "absent"),)) for mark in sorted(marks)]


def votes_seen(number: int, votes: Mapping[str, str]) -> Clause:
    """Two last votes at once: each was counted beside others, one must look again. Not only how many: beside the vote of
    somebody who has left, one comes as the other goes."""
    return clause("votes_seen", (f"calls.{number}.votes", "=", dict(votes)))


def all_decided() -> Clause:
    """A run goes on before its last call is decided."""
    return clause("all_decided", ("open_calls", "=", 0))
