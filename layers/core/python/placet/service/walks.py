"""Walking the work lists in turns: none waits for the end of another, and a sweep that has to stop goes on there the next time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from placet.model.errors import PlacetError, Unreadable
from placet.model.faults import fault
from placet.records import writes
from placet.records.heads import Head
from placet.records.lanes import moment_at
from placet.records.lists import WorkList, after_entry, swept_to
from placet.records.ops import Item
from placet.service.loading import found_on
from placet.service.ports import Ports

TURN = 25  # entries of one list before the next list's turn
TURN_MS = 3_000  # or what these took so long: behind each may be a service that hangs
MINUTE_MS = 60_000
Entries = Iterator[tuple[Item, Head | Unreadable | None]]


class Walk:
    """One list on its way.

    Attributes:
        place: moment and pause of the last entry that was passed, of interest or not; before the first, how far an earlier sweep
            came.
        marked: whether an earlier sweep left a mark.
        entries: what stands behind the place; None before the list's first turn.
    """

    def __init__(self, work_list: WorkList, stored: Item | None) -> None:
        self.work_list = work_list
        self.place = swept_to(stored) if stored is not None else None
        self.marked = self.place is not None
        self.entries: Entries | None = None

    def begin(self, ports: Ports, bound: Bound) -> Entries:
        """The entries within a bound, from behind the mark; a mark beyond it, of a sweep that looked further, marks nothing."""
        if self.place is not None and bound.up_to is not None and moment_at(self.place[0]) > bound.up_to:
            self.place = None
        after = after_entry(ports.keys, self.work_list.pk, self.place) if self.place is not None else None
        return found_on(ports, self.work_list.pk, up_to=bound.up_to, after=after, of_interest=bound.of_interest)


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
    """Look at the entries of all lists, in turns of TURN and TURN_MS, until the end of each or until a moment.

    The list that begins changes by the minute, and a list that was not walked to its end is marked: whatever stands on it, the
    next sweep begins behind the mark. So a backlog delays, and hides nothing. What cannot be read or judged of one list, its
    bound included, ends that list and no other; a mark that cannot be written is missing, and no other.

    Returns:
        How many lists were not walked to their end, and how many could not be read or marked.
    """
    walks = deque(Walk(one, stored.get(one.pk)) for one in lists)
    walks.rotate(-(ports.clock.now_ms() // MINUTE_MS))
    failed = 0
    while walks and ports.clock.now_ms() < until_ms:
        one = walks.popleft()
        with failing(ports, {"list": one.work_list.pk}) as lost:
            if one.entries is None:
                one.entries = one.begin(ports, bound(one.work_list))
            if _turn(ports, one, one.entries, look, until_ms):
                walks.append(one)
            elif one.marked:
                _mark(ports, one.work_list, None)
        failed += len(lost)
    for one in walks:
        if one.place is not None:
            with failing(ports, {"list": one.work_list.pk}) as lost:
                _mark(ports, one.work_list, one.place)
            failed += len(lost)
    return len(walks), failed


@contextmanager
def failing(ports: Ports, of: dict[str, str]) -> Iterator[list[Exception]]:
    """What goes wrong with one thing that a sweep does is told, and costs that thing only; it stands in what is yielded.

    Args:
        of: what the line of the log says it is.
    """
    lost: list[Exception] = []
    try:
        yield lost
    except PlacetError as error:
        lost.append(error)
        ports.log("sweep_failed", {**of, "code": error.code})
    except Exception as error:  # a fault of our own at one must not leave the others unrepaired
        lost.append(error)
        ports.log("sweep_failed", {**of, **fault(error)})


def _turn(ports: Ports, one: Walk, entries: Entries, look: Look, until_ms: int) -> bool:
    """Pass up to TURN entries of a list, or as many as took TURN_MS. Whether there may be more."""
    took_ms = 0
    for _ in range(TURN):
        if ports.clock.now_ms() >= until_ms or took_ms >= TURN_MS:
            return True
        entry = next(entries, None)
        if entry is None:
            return False
        item, found = entry
        one.place = (item["wsk"], item["pk"].rpartition("#")[2])
        if found is None:
            continue
        began = ports.clock.now_ms()
        look(one.work_list, item, found)
        took_ms += ports.clock.now_ms() - began
    return True


def _mark(ports: Ports, work_list: WorkList, place: tuple[int, str] | None) -> None:
    ports.table.write(writes.remember_list(ports.keys, work_list.pk, place))
