"""Work lists by name: what a key of the `work` index says, and the item that remembers it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from placet.model.cursors import Place
from placet.model.errors import Unreadable
from placet.model.ids import is_pause_id
from placet.records.keys import SCHEMA_VERSION, Key, Keys
from placet.records.ops import Item
from placet.records.reading import reads


class Kind(StrEnum):
    """What stands on a work list."""

    NEW = "new"
    QUEUE = "queue"
    OUT = "out"
    STUCK = "stuck"


@dataclass(frozen=True)
class WorkList:
    """One list of the `work` index.

    Attributes:
        pk: its key in the index.
        of: the class of a queue, the agent of a pick-up list; empty for the others.
        level: of a queue.
    """

    pk: str
    kind: Kind
    of: str = ""
    level: int = 0


def read_list(pk: str) -> WorkList:
    """The list that a key of the index names. Raises ValueError for one that no release has written."""
    _, _, letter, *rest = pk.split("#")
    if letter == "Q" and len(rest) == 2:
        name, _, level = rest[0].rpartition(".")
        return WorkList(pk, Kind.QUEUE, name, int(level))
    if letter == "W" and len(rest) == 3 and rest[0] == "out":
        return WorkList(pk, Kind.OUT, rest[1])
    if letter == "W" and len(rest) == 2:
        return WorkList(pk, Kind(rest[0]))
    raise ValueError(f"no work list has the key {pk!r}")


def is_queue(pk: str) -> bool:
    """Whether a list is a reviewers' queue, where every agent has a lane of its own."""
    return pk.split("#")[2:3] == ["Q"]


def list_item(keys: Keys, pk: str, swept_to: tuple[int, str] | None = None) -> Item:
    """The item that remembers a list, and how far the last sweep came that did not reach its end."""
    item: Item = {**keys.remembered(pk)._asdict(), "schema_version": SCHEMA_VERSION, "kind": "LIST"}
    return item if swept_to is None else {**item, "swept_ms": swept_to[0], "swept_pause": swept_to[1]}


def swept_to(item: Item) -> tuple[int, str] | None:
    """How far the last sweep came; None when it reached the end, or when nobody can read how far: then it begins anew."""
    try:
        return _swept_to(item)
    except Unreadable:
        return None


@reads("mark of a work list")
def _swept_to(item: Item) -> tuple[int, str] | None:
    if "swept_ms" not in item:
        return None
    at_ms, pause = item["swept_ms"], item["swept_pause"]
    if type(at_ms) is not int or not isinstance(pause, str) or not is_pause_id(pause):
        raise TypeError("no place of a pause")
    return at_ms, pause


def place_of_entry(entry: Item) -> Place:
    """Where an entry of a list stands."""
    return Place(entry["wsk"], entry["pk"].rpartition("#")[2])


def after_entry(keys: Keys, pk: str, place: tuple[int, str]) -> Item:
    """The entry of a list behind which reading goes on."""
    key: Key = keys.head(place[1])
    return {**key._asdict(), "wpk": pk, "wsk": place[0]}
