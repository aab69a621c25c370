"""Lanes of a reviewers' queue: the entries of one agent stand together, by moment, so that a reader can pass an agent by.

An index has one sort key. In a queue that is a number: the agent's lane, then the moment in 14 digits. So one query reads the
beginning of the list, and the next one goes on behind all that this agent has, however much that is. Entries of earlier releases
have only the moment: they stand in lane 0, all together, until they move.
"""

from __future__ import annotations

import hashlib
from typing import NewType

from placet.model.cursors import Place
from placet.records.keys import Key, Keys
from placet.records.ops import Item

NO_LANE = 0  # of entries that have only a moment
STEP = 10**14  # more than every moment in ms until the year 5138
Stands = NewType("Stands", int)  # where an entry stands in its list, as it is stored: in a queue its lane too


def lane_of(agent: str) -> int:
    """The lane of an agent: 32 bits of the hash of its name. Two that share one share their turns, and nothing else."""
    return 1 + int.from_bytes(hashlib.sha256(agent.encode()).digest()[:4])


def in_lane(agent: str, moment_ms: int) -> int:
    """Where a pause of this agent stands in a queue, by that moment."""
    return lane_of(agent) * STEP + moment_ms


def lane_at(stands: int) -> int:
    """The lane of a place; 0 on lists that have none, and for entries of earlier releases."""
    return stands // STEP


def moment_at(stands: int) -> int:
    """The moment of a place."""
    return stands % STEP


def place_in_lane(entry: Item) -> Place:
    """Where an entry stands in its lane."""
    return Place(moment_at(entry["wsk"]), entry["pk"].rpartition("#")[2])


def before_place(keys: Keys, pk: str, lane: int, place: Place | None = None) -> Item:
    """Where reading begins that is to find every entry of a lane from the moment of a place on; without one, the whole lane.

    The index has an order of its own within a moment, so all entries of that moment are read again.
    """
    at_ms, pause = (place.at_ms, place.pause) if place is not None else (0, "")
    key: Key = keys.head(pause)
    return {**key._asdict(), "wpk": pk, "wsk": lane * STEP + at_ms - 1}


def lane_end(lane: int) -> int:
    """The last place of a lane."""
    return (lane + 1) * STEP - 1
