"""Reviewers' queues, read in turns: every agent that waits for a person has its turn, however much another one has there.

A queue has a lane for each agent (`records.lanes`). It is read from its beginning, and where one agent has more than a page
takes, the next request goes on behind that agent. So a page costs one request for each queue, and one more for each agent that
fills a page there.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from placet.model.cursors import FIRST, MOST_LANES, LanesRead, Place
from placet.records.lanes import before_place, lane_at, lane_end, place_in_lane
from placet.records.ops import Item
from placet.service.ports import Ports

T = TypeVar("T")
MORE = 25  # entries of one lane that are read at once when more of it is wanted
FEWEST = 8  # entries that a request asks for


class Queue(NamedTuple):
    """A queue by its key in the index, and the level of one for several classes; None of a class's own."""

    pk: str
    level: int | None


class Entry(NamedTuple):
    """An entry of a queue, where it stands in its lane, and the level of its queue as there."""

    place: Place
    item: Item
    level: int | None


class Lane(Generic[T]):
    """One agent's entries of all queues, by moment, and the rows that they make.

    Attributes:
        place: of the last entry that was passed; None before the first.
        ended: whether nothing stands behind that place.
    """

    def __init__(
        self, place: Place | None, entries: Iterator[Entry], row: Callable[[Entry], T | None], most: int
    ) -> None:
        """`row` makes a row of an entry, or None for one that is not shown; `most` entries are looked at."""
        self.place = place
        self.ended = False
        self._entries = entries
        self._row = row
        self._most = most
        self._next: tuple[Place, T] | None = None

    def next_place(self) -> Place | None:
        """Where the next row stands; entries that make none are passed. None at the end, and when enough were looked at."""
        while self._next is None and not self.ended and self._most > 0:
            self._most -= 1
            entry = next(self._entries, None)
            if entry is None:
                self.ended = True
            elif (row := self._row(entry)) is not None:
                self._next = entry.place, row
            else:
                self.place = entry.place
        return self._next[0] if self._next else None

    def take(self) -> T:
        """The next row; there has to be one."""
        if self._next is None:
            raise LookupError("no row was found")
        (self.place, row), self._next = self._next, None
        return row


def dealt(lanes: Sequence[Lane[T]], limit: int) -> list[T]:
    """The rows of one page: one of every agent, then in turns until half of it is full, then whatever is due soonest."""
    rows: list[T] = []
    while len(rows) < limit and (there := _with_rows(lanes)):
        turn = there if len(rows) < limit / 2 else there[:1]
        rows += [lane.take() for lane in turn[: limit - len(rows)]]
    return rows


def _with_rows(lanes: Iterable[Lane[T]]) -> list[Lane[T]]:
    """Those that have a row, the one that is due soonest first."""
    there = [(place, number, lane) for number, lane in enumerate(lanes) if (place := lane.next_place()) is not None]
    return [lane for _, _, lane in sorted(there, key=lambda one: one[:2])]


def lanes_of(
    ports: Ports, queues: Sequence[Queue], read: LanesRead, limit: int, row: Callable[[Entry], T | None], most: int
) -> tuple[dict[int, Lane[T]], int | None]:
    """The lanes of these queues that something is left of, the first MOST_LANES; and how far they were looked for, as `LanesRead`.

    Args:
        limit: rows that are wanted. most: entries that may be looked at for them.
    """
    looks = [_Look(ports, queue, read) for queue in queues]
    for look in looks:
        look.through(
            limit + 2
        )  # what makes a page, one to see that there is more, and one to see that its moment is over
    ends = [look.looked_to for look in looks if look.looked_to is not None]
    found = sorted({*read.left, *(lane for look in looks for lane in look.found)})
    if len(found) > MOST_LANES:
        ends.append(found[MOST_LANES - 1])
    looked_to = min(ends, default=None)
    kept = [lane for lane in found if looked_to is None or lane <= looked_to]
    each = max(FEWEST, most // max(1, len(kept)))  # so that one agent's entries that cannot be shown hide nobody else's

    def made(lane: int) -> Lane[T]:
        entries = heapq.merge(*(look.entries(lane) for look in looks), key=lambda entry: entry.place)
        return Lane(read.left.get(lane), entries, row, each)

    return {lane: made(lane) for lane in kept}, looked_to


class _Look:
    """One queue, looked through for lanes.

    Attributes:
        found: the first entries of each lane; unread: of a lane that may go on, its last entry there.
        looked_to: the lane at which looking ended; None when it came to the end of the queue, or of what is left of it.
    """

    def __init__(self, ports: Ports, queue: Queue, read: LanesRead) -> None:
        self.ports, self.queue, self.read = ports, queue, read
        self.found: dict[int, list[Item]] = {}
        self.unread: dict[int, Item] = {}
        self.looked_to: int | None = None

    def through(self, size: int) -> None:
        """Read page by page, and from a lane that fills one go on behind that lane."""
        begin = self._wanted(FIRST)
        while begin is not None:
            page = self.ports.table.work(self.queue.pk, limit=size, after=begin)
            for item in filter(self._is_wanted, page):
                self.found.setdefault(lane_at(item["wsk"]), []).append(item)
            if len(page) < size:
                return
            first, last = lane_at(page[0]["wsk"]), lane_at(page[-1]["wsk"])
            left = self.read.left.get(last)
            if left is not None and place_in_lane(page[-1]).at_ms < left.at_ms:
                begin = before_place(self.ports.keys, self.queue.pk, last, left)
                continue
            self.unread[last] = page[-1]
            if len(self.found) > MOST_LANES:
                self.looked_to = last
                return
            begin = self._wanted(last)
            size = max(FEWEST, size // 2) if first == last else size

    def entries(self, lane: int) -> Iterator[Entry]:
        """Entries of one lane by moment and pause; more of them are read when they are wanted."""
        for _, alike in itertools.groupby(self._stored(lane), key=lambda item: item["wsk"]):
            for item in sorted(filter(self._is_wanted, alike), key=place_in_lane):
                yield Entry(place_in_lane(item), item, self.queue.level)

    def _stored(self, lane: int) -> Iterator[Item]:
        yield from self.found.get(lane, ())
        after = self.unread.get(lane)
        while after is not None:
            page = self.ports.table.work(self.queue.pk, up_to=lane_end(lane), limit=MORE, after=after)
            yield from page
            after = page[-1] if len(page) == MORE else None

    def _is_wanted(self, item: Item) -> bool:
        lane, to = lane_at(item["wsk"]), self.read.looked_to
        if lane in self.read.left:
            place = self.read.left[lane]
            return place is None or place_in_lane(item) > place
        return to is not None and lane > to

    def _wanted(self, behind: int) -> Item | None:
        """Where reading goes on to find the next lane behind this one of which something is left; None when there is none."""
        to = self.read.looked_to
        lanes = [lane for lane in self.read.left if lane > behind]
        lanes += [] if to is None else [max(behind, to) + 1]
        if not lanes:
            return None
        return before_place(self.ports.keys, self.queue.pk, min(lanes), self.read.left.get(min(lanes)))
