"""A pause that nobody could decide, and what brings it back before its reviewers."""

from __future__ import annotations

from collections.abc import Iterable

from placet.records import writes
from placet.records.heads import Head
from placet.service.asking import GROUP_EMPTY, TOO_FEW
from placet.service.ports import Ports
from placet.service.work_lists import classes_of, last_level

# Reasons for which a pause is listed that lacks nothing but people who may decide it.
NOBODYS = frozenset({"class_gone", GROUP_EMPTY, TOO_FEW})
SHOWN_AGAIN = "stands before its reviewers again"


def groups_of(ports: Ports, head: Head) -> list[str]:
    """The groups whose members could decide a pause, now or at a later level: while those before cannot they are asked at once."""
    steps = (step for one in classes_of(ports, head) for step in one.levels)
    return sorted({group for step in steps for group in step.groups})


def before_its_people(ports: Ports, head: Head, mail: Iterable[str], now_ms: int) -> writes.Move:
    """How a listed pause comes to stand before its reviewers again: its clocks went on, its execution waits.

    Reminders that were due while nobody was there are over: who is there now is told anyway.

    Args:
        mail: who is told by the sweep. Some may have been mailed before; nobody knows whether these people were.
    """
    level = min(head.level, last_level(ports, head)) if classes_of(ports, head) else head.level
    due = {call.number: sum(at <= now_ms for at in call.remind_ms) for call in head.pending}
    over = {call.number: due[call.number] for call in head.pending if due[call.number] > call.reminded}
    return writes.shown_again(ports.keys, head, over, level, sorted(mail), now_ms)
