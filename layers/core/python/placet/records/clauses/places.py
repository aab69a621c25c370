"""Where a pause stands: its list, its moment, and the calls by which both are judged."""

from __future__ import annotations

from collections.abc import Iterable

from placet.records.conditions import Clause, Comparison, clause
from placet.records.lanes import Stands


def same_work_list(wpk: str) -> Clause:
    """The pause moved on to another list while it was found stuck on this one."""
    return clause("same_work_list", ("wpk", "=", wpk)) if wpk else clause("same_work_list", ("wpk", "absent"))


def same_moment(stands: Stands) -> Clause:
    """Two find the same mails unsent: one of them sends. Or a pause gets another moment while a claim or more time is
    judged by the old one, or while it is found to stand on its list for too long."""
    return clause("same_moment", ("wsk", "=", stands))


def as_listed(stuck: str) -> Clause:
    """The sweep lists a pause, or an operator repairs it, while another write moves it off the list it was on, or while it is taken
    up by who read it before."""
    return clause("as_listed", ("stuck", "=", stuck)) if stuck else clause("as_listed", ("stuck", "absent"))


def open_as_seen(count: int) -> Clause:
    """The last call is decided, or one is asked for again, while another write judges the pause by its open calls: an unknown that
    has to be listed and not left with people, a restored pause that would wait again, a claim that would be looked at too late."""
    return clause("open_as_seen", ("open_calls", "=", count))


def urgent_pending(numbers: Iterable[int]) -> Clause:
    """Two calls of one pause close at once: each was to leave it in the queue of the other. Or a pause ends while it is shown."""
    tests = (Comparison(("calls", str(number), "state"), "=", "pending") for number in numbers)
    return Clause("urgent_pending", tuple(tests))


def urgent_deadline(calls: Iterable[tuple[int, int]]) -> Clause:
    """The most urgent of the calls that are left gets more time while another one closes: the pause would keep the old moment."""
    tests = (Comparison(("calls", str(number), "deadline_ms"), "=", deadline_ms) for number, deadline_ms in calls)
    return Clause("urgent_deadline", tuple(tests))


def same_deadline(deadline_ms: int) -> Clause:
    """A call closes while a mail is tried again: the pause's next moment is another one by now."""
    return clause("same_deadline", ("deadline_ms", "=", deadline_ms))
