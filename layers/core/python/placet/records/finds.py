"""Pauses by name: one small item under their run, one under their business thing, written before the head and never changed.

The sort key is the pause's place, so a partition read backwards is its pauses, newest first. An item whose head is missing, or was
captured at another moment, is what an attempt left that did not come to its end: it stands for nothing.
"""

from __future__ import annotations

from placet.model.cursors import Place
from placet.model.ids import is_pause_id
from placet.model.limits import whole_number
from placet.records.keys import SCHEMA_VERSION, Key, Keys
from placet.records.ops import Item

KEPT_SAMPLE_S = 90 * 86_400
DIGITS = 16  # of a moment in a sort key: as many as a whole number has at most


def find_items(keys: Keys, agent: str, run: str, entity: str, place: Place) -> list[Item]:
    """What a captured pause is found by: its run, and its entity if it has one."""
    names = [keys.run(agent, run), *([keys.entity(entity)] if entity else [])]
    return [{"pk": pk, "sk": sort_key(place), "schema_version": SCHEMA_VERSION, "kind": "FIND"} for pk in names]


def sample_item(keys: Keys, place: Place) -> Item:
    """That a pause was drawn for a look afterwards; found as by a name, and forgotten after KEPT_SAMPLE_S."""
    named = {"pk": keys.samples(), "sk": sort_key(place), "schema_version": SCHEMA_VERSION, "kind": "FIND"}
    return {**named, "ttl": place.at_ms // 1000 + KEPT_SAMPLE_S}


def sort_key(place: Place) -> str:
    """A place as a sort key, in the order of its moments."""
    return f"{place.at_ms:0{DIGITS}}#{place.pause}"


def place_of(key: Key) -> Place | None:
    """The place in a sort key; None for one that no release writes."""
    digits, _, pause = key.sk.partition("#")
    at_ms = whole_number(digits)
    return Place(at_ms, pause) if at_ms is not None and is_pause_id(pause) else None
