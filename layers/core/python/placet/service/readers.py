"""Whether anybody is left who reads a queue: the members of its classes' groups, up to the level that was reached."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from placet.policy.classes import ActionClass
from placet.records import writes
from placet.records.heads import Head
from placet.records.people import read_member
from placet.service.loading import readable
from placet.service.ports import Ports
from placet.service.work_lists import classes_of, last_level

# Reasons for which a pause is listed that lacks nothing but people who may decide it.
NOBODYS = frozenset({"class_gone", "group_empty"})
SHOWN_AGAIN = "stands before its reviewers again"


class Readers:
    """The members of groups as they are now; each group is read once, so one of these lasts for one sweep and no longer."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._members: dict[str, frozenset[str]] = {}

    def of(self, classes: Iterable[ActionClass], level: int) -> frozenset[str]:
        """`sub` of everybody whose list shows what waits for one of these classes at a level."""
        groups = {group for one in classes for step in one.levels[: level + 1] for group in step.groups}
        return frozenset().union(*(self._in(group) for group in groups))

    def of_pause(self, head: Head) -> frozenset[str]:
        """`sub` of everybody whose list shows a pause that waits for people."""
        return self.of(classes_of(self._ports, head), head.level)

    def _in(self, group: str) -> frozenset[str]:
        if group not in self._members:
            stored = self._ports.table.query(self._ports.keys.group(group))
            self._members[group] = frozenset(member.sub for member in readable(self._ports, stored, read_member))
        return self._members[group]


def groups_of(ports: Ports, head: Head) -> list[str]:
    """The groups whose members may decide a pause at its level."""
    steps = (step for one in classes_of(ports, head) for step in one.levels[: head.level + 1])
    return sorted({group for step in steps for group in step.groups})


def before_its_people(ports: Ports, head: Head, mail: frozenset[str], now_ms: int) -> dict[str, Any]:
    """What a listed pause is changed to when it stands before its reviewers again: its clocks went on, its execution waits.

    Args:
        mail: who is told by the sweep. Some may have been mailed before; nobody knows whether these people were.
    """
    level = min(head.level, last_level(ports, head))
    due = writes.next_look(head, head.deadline_ms)
    place = {"wpk": writes.queue_of(ports.keys, head.pending, level), "wsk": due, "level": level}
    if not mail:
        return place
    anew = {"mails_tried": 0} if head.mails_tried else {}
    return {**place, "wsk": min(now_ms, due), "mails_missed": sorted(mail), **anew}
