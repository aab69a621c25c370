"""escalate: a pause's moment has come. People are reminded, more people are asked, or what is over is closed; never with a yes.

Each step is one write that is judged by the record as it is then, so a timer that comes twice, late or early does nothing twice
and nothing that is not due. Whom a step tells is written with it, and mailed by notify: what is lost on the way the sweep redoes.
"""

from __future__ import annotations

from dataclasses import replace

from placet.model.errors import NotFound, PlacetError
from placet.records import writes
from placet.records.heads import Head
from placet.records.ops import ConditionFailed, Op
from placet.service.asking import Groups, asked, first_level, shortage
from placet.service.holding import end_hold
from placet.service.loading import head_of
from placet.service.ports import Ports, wired
from placet.service.timer import set_timer

ATTEMPTS = 8  # at a step each, and at most three kinds of steps are due at once


def escalate(ports: Ports, pause: str) -> str:
    """Do what is due of a pause, and set the timer for what comes next.

    Returns:
        What was done: `expired` (also by rejection, where its rule says so), `widened` or `reminded`, the first of these; else
        `early` (nothing is due yet), `gone` (no such pause), or of one without an open call as `end_hold`: `released`, `held` or
        `over`.
    """
    done: set[str] = set()
    for _ in range(ATTEMPTS):
        try:
            head = head_of(ports, pause)
        except NotFound:
            return "gone"
        if not head.pending:
            return _first(done, end_hold(ports, head))
        now = ports.clock.now_ms()
        step = _due(ports, head, now)
        if step is None:
            break
        name, ops = step
        try:
            ports.table.write(ops)
        except ConditionFailed:
            continue  # decided at the last moment, or another timer was faster: look at what is left
        done.add(name)
        if name == "expired" and all(0 < call.deadline_ms <= now for call in head.pending):
            return name
    if not done & {"widened", "reminded"} or not _told(ports, head, now):
        set_timer(ports, head)
    return _first(done, "early")


def _first(done: set[str], otherwise: str) -> str:
    return next((name for name in ("expired", "widened", "reminded") if name in done), otherwise)


def _due(ports: Ports, head: Head, now: int) -> tuple[str, list[Op]] | None:
    """The next step of a pause, by its name, and its write; None when nothing is due.

    Whom nobody sees nobody is reminded of: a pause that waits for its first notify, or for an operator, only ends.
    """
    if overdue := [call for call in head.pending if 0 < call.deadline_ms <= now]:
        return "expired", writes.expire(ports.keys, head, overdue, now)
    if not head.notified_ms or head.stuck:
        return None
    groups = Groups(ports)
    return _widening(ports, groups, head, now) or _reminding(ports, groups, head, now)


def _widening(ports: Ports, groups: Groups, head: Head, now: int) -> tuple[str, list[Op]] | None:
    """Calls whose next level's moment has come, and those that the people of their level cannot decide."""
    levels: dict[int, int] = {}
    told: set[str] = set()
    why = ""
    for call in head.pending:
        by_time = max(call.level, sum(at <= now for at in call.levels_ms))
        level = first_level(ports, groups, head, replace(call, level=by_time))
        if level == call.level:
            continue
        levels[call.number] = level
        why = why or ("after" if by_time > call.level else shortage(ports, groups, head, call))
        told |= asked(ports, groups, head, call, level).keys() - asked(ports, groups, head, call).keys()
    return ("widened", writes.widen(ports.keys, head, levels, sorted(told), why, now)) if levels else None


def _reminding(ports: Ports, groups: Groups, head: Head, now: int) -> tuple[str, list[Op]] | None:
    """Calls that have reminders due; those of them that are due together are told together."""
    due = {call.number: sum(at <= now for at in call.remind_ms) for call in head.pending}
    counts = {call.number: due[call.number] for call in head.pending if due[call.number] > call.reminded}
    told = {sub for call in head.pending if call.number in counts for sub in asked(ports, groups, head, call)}
    return ("reminded", writes.remind(ports.keys, head, counts, sorted(told), now)) if counts else None


def _told(ports: Ports, head: Head, now_ms: int) -> bool:
    """Whether notify was asked to mail whom a step names; it sets the timer as well. If it cannot be asked the sweep does, soon.

    A step that names nobody leaves who is still to be mailed to whoever is at that, or to the sweep at its moment.
    """
    if not head.mails_missed or not writes.is_called(head) or head.wsk > now_ms:
        return False
    try:
        wired(ports.verbs).call("notify", {"tenant": ports.keys.tenant, "pause": head.pause, "mail_again": True})
    except PlacetError as error:
        ports.log("mail_later", {"pause": head.pause, "code": error.code})
        return False
    return True
