"""Pauses by name, newest first: those of a run, or about one business thing.

They are read from the partition of the name, page by page, as far as the caller takes them. A run's partition is its agent's own:
nobody else's pauses stand in it. What earlier releases wrote is in the `find` index instead, without an order, and with all agents'
runs of a name together. It is read when the partition has nothing more, OLD_MOST entries of it; nothing is added to it any more.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

from placet.model.cursors import Place
from placet.model.errors import Unreadable
from placet.records.finds import place_of, sort_key
from placet.records.heads import Head
from placet.records.keys import Keys
from placet.records.ops import Item
from placet.service.loading import PAGE, chunks, head_in, items_of
from placet.service.ports import Ports

OLD_MOST = 1_000


@dataclass(frozen=True)
class Name:
    """What pauses are found by.

    Attributes:
        partitions: of the table. old: entries of the index that earlier releases wrote.
        agent: only this one's pauses; empty for everybody's.
    """

    partitions: tuple[str, ...]
    old: tuple[str, ...]
    agent: str = ""


@dataclass(frozen=True)
class Found:
    """One pause.

    Attributes:
        item: its head as stored. pause: its head, or why that cannot be read.
        old: whether it was found where earlier releases wrote it.
    """

    place: Place
    item: Item
    pause: Head | Unreadable
    old: bool = False


def name_of_run(keys: Keys, agent: str, run: str) -> Name:
    """A run of one agent."""
    return Name((keys.run(agent, run),), (keys.old_run(run),), agent)


def newest_first(ports: Ports, name: Name, before: Place | None = None, *, old: bool = False) -> Iterator[Found]:
    """The pauses of a name, newest first, behind `before` if there is one; those of earlier releases come last.

    Args:
        old: `before` is of one that was found where earlier releases wrote it.
    """
    if not old:
        yield from _of_partitions(ports, name, before)
    yield from _of_the_index(ports, name, before if old else None)


def _of_partitions(ports: Ports, name: Name, before: Place | None) -> Iterator[Found]:
    places = heapq.merge(*(_places(ports, pk, before) for pk in name.partitions), reverse=True)
    seen: set[str] = set()
    for chunk in chunks(places):
        stored = items_of(ports, [place.pause for place in chunk])
        for place in chunk:
            item = stored.get(place.pause)
            if item is None or place.pause in seen or (name.agent and _agent_in(item) not in (name.agent, "")):
                continue
            head = _read(item)
            if isinstance(head, Unreadable) or head.captured_ms == place.at_ms:
                seen.add(place.pause)
                yield Found(place, item, head)


def _places(ports: Ports, pk: str, before: Place | None) -> Iterator[Place]:
    below = sort_key(before) if before is not None else ""
    while page := ports.table.newest(pk, limit=PAGE, before=below):
        yield from (place for key in page if (place := place_of(key)) is not None)
        if len(page) < PAGE:
            return
        below = page[-1].sk


def _of_the_index(ports: Ports, name: Name, before: Place | None) -> Iterator[Found]:
    keys = [key for pk in name.old for key in ports.table.find(pk, limit=OLD_MOST)]
    pauses = dict.fromkeys(key.pk.rpartition("#")[2] for key in keys)
    found: list[Found] = []
    for item in items_of(ports, list(pauses)).values() if pauses else ():
        if not name.agent or _agent_in(item) == name.agent:
            at_ms = item.get("captured_ms")
            place = Place(at_ms if isinstance(at_ms, int) else 0, item["pk"].rpartition("#")[2])
            found.append(Found(place, item, _read(item), old=True))
    found.sort(key=lambda one: one.place, reverse=True)
    yield from (one for one in found if before is None or one.place < before)


def _agent_in(item: Item) -> str:
    """Whose pause a stored head is of; empty when it does not say so."""
    agent = item.get("agent")
    return agent if isinstance(agent, str) else ""


def _read(item: Item) -> Head | Unreadable:
    try:
        return head_in(item)
    except Unreadable as error:
        return error
