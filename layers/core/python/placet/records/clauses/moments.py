"""The moments of a call, and who is told at them."""

from __future__ import annotations

from collections.abc import Sequence

from placet.records.conditions import Clause, clause
from placet.records.questions import Questions


def deadline_passed(number: int, now_ms: int) -> Clause:
    """The timer fires early, twice or for a moment that was moved: it may only close what is really over."""
    return clause("deadline_passed", (f"calls.{number}.deadline_ms", "<=", now_ms))


def deadline_grows(number: int, until_ms: int) -> Clause:
    """Two people give a call more time at once, or one takes time from it: a deadline that was told never comes sooner."""
    return clause("deadline_grows", (f"calls.{number}.deadline_ms", "<", until_ms))


def deadline_as_seen(number: int, deadline_ms: int) -> Clause:
    """Two calls of a pause get more time at once, or one while its pause is moved: each write finds the next moment of both."""
    at = f"calls.{number}.deadline_ms"
    unset = () if deadline_ms else ((at, "absent"),)  # of one that is not visible yet
    return clause("deadline_as_seen", (at, "=", deadline_ms), *unset)


def within_maximum(since: str, least_ms: int) -> Clause:
    """A call waits longer than its class, its run or its execution may wait, counted from this moment of its pause."""
    return clause("within_maximum", (since, ">=", least_ms))


def level_as_seen(number: int, level: int) -> Clause:
    """Two timers widen one call at once, or one comes late: each level is reached once, and none is passed over. Or its pause is
    moved by another write meanwhile, which would put it into the queue of the level before."""
    at = f"calls.{number}.level"
    return clause("level_as_seen", (at, "=", level)) if level else clause("level_as_seen", (at, "absent"))


def reminded_as_seen(number: int, count: int) -> Clause:
    """Two timers find the same reminder due, or one comes twice: people are told once. Or its pause is moved by an old moment."""
    at = f"calls.{number}.reminded"
    return clause("reminded_as_seen", (at, "=", count)) if count else clause("reminded_as_seen", (at, "absent"))


def handed_as_seen(number: int, count: int) -> Clause:
    """Two people hand one call on at once: the later one would forget whom the earlier one handed it to. Or its pause is moved
    meanwhile, which would take it out of the queue of who just got it."""
    at = f"calls.{number}.handed"
    return clause("handed_as_seen", (at, "size=", count) if count else (at, "absent"))


def questions_as_seen(number: int, questions: Questions) -> Clause:
    """Two people ask about one call at once, two answers come, or one comes beside another question: each of them is written
    over what the other left, and a list would say that all is answered."""
    at = f"calls.{number}.questions"
    return clause("questions_as_seen", (at, "=", questions.item) if questions.asked else (at, "absent"))


def mails_as_seen(missed: Sequence[str]) -> Clause:
    """Somebody strikes out who was mailed, or adds who is to be reminded, while another writes the same list. Not only how many:
    one name may go as another comes."""
    if missed:
        return clause("mails_as_seen", ("mails_missed", "=", list(missed)))
    return clause("mails_as_seen", ("mails_missed", "absent"), ("mails_missed", "=", []))
