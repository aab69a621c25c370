"""Walking the work lists in turns: none waits for the end of another, and a sweep that has to stop goes on there the next time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from placet.model.errors import PlacetError, Unreadable
from placet.records import writes
from placet.records.heads import Head
from placet.records.lists import WorkList, after_entry, swept_to
from placet.records.ops import Item
from placet.service.loading import found_on
from placet.service.ports import Ports

TURN = 25  # entries of one list before the next list's turn
MINUTE_MS = 60_000


class Walk:
    """One list on its way.

    Attributes:
        place: moment and pause of the last entry that was looked at.
        marked: whether an earlier sweep left a mark, behind which this one began.
    """

    def __init__(
        self, work_list: WorkList, entries: Iterator[tuple[Item, Head | Unreadable]], place: tuple[int, str] | None
    ) -> None:
        self.work_list = work_list
        self.entries = entries
        self.place = place
        self.marked = place is not None


Look = Callable[[WorkList, Item, Head | Unreadable], None]
Bounds = Callable[[WorkList], "Bound"]


@dataclass(frozen=True)
class Bound:
    """Which entries of a list are looked at: up to a moment, None for all of it, and those of interest."""

    up_to: int | None
    of_interest: Callable[[Item], bool] = lambda entry: True


def walk(
    ports: Ports, lists: list[WorkList], stored: dict[str, Item], bound: Bounds, look: Look, until_ms: int
) -> tuple[int, int]:
    """Look at the entries of all lists, in turns of TURN, until the end of each or until a moment.

    The list that begins changes by the minute, and a list that was not walked to its end is marked: whatever stands on it, the
    next sweep begins behind the mark. So a backlog delays, and hides nothing.

    Returns:
        How many lists were not walked to their end, and how many could not be read.
    """
    walks = deque(_begun(ports, one, stored.get(one.pk), bound(one)) for one in lists)
    walks.rotate(-(ports.clock.now_ms() // MINUTE_MS))
    unread = 0
    while walks and ports.clock.now_ms() < until_ms:
        one = walks.popleft()
        try:
            if _turn(ports, one, look, until_ms):
                walks.append(one)
            elif one.marked:
                _mark(ports, one.work_list, None)
        except PlacetError as error:
            unread += 1
            ports.log("sweep_failed", {"list": one.work_list.pk, "code": error.code})
    for one in walks:
        if one.place is not None:
            _mark(ports, one.work_list, one.place)
    return len(walks), unread


def _begun(ports: Ports, work_list: WorkList, stored: Item | None, bound: Bound) -> Walk:
    place = swept_to(stored) if stored is not None else None
    after = after_entry(ports.keys, work_list.pk, place) if place is not None else None
    entries = found_on(ports, work_list.pk, up_to=bound.up_to, after=after, of_interest=bound.of_interest)
    return Walk(work_list, entries, place)


def _turn(ports: Ports, one: Walk, look: Look, until_ms: int) -> bool:
    """Look at up to TURN entries of a list. Whether there may be more."""
    for _ in range(TURN):
        if ports.clock.now_ms() >= until_ms:
            return True
        entry = next(one.entries, None)
        if entry is None:
            return False
        item, found = entry
        one.place = (item["wsk"], item["pk"].rpartition("#")[2])
        look(one.work_list, item, found)
    return True


def _mark(ports: Ports, work_list: WorkList, place: tuple[int, str] | None) -> None:
    ports.table.write(writes.remember_list(ports.keys, work_list.pk, place))
