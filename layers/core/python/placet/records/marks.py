"""Items of one attribute: the mark that holds everything for the time of a restore, and the task token of a wait."""

from __future__ import annotations

from placet.model.errors import Unreadable
from placet.records.ops import Item
from placet.records.reading import reads


def is_held(item: Item) -> bool:
    """Whether the mark holds; one that cannot be read holds too.

    Somebody put it there. Going on could use a permit a second time; standing still ends with one `placet thaw`, which writes it
    anew.
    """
    try:
        return _held(item)
    except Unreadable:
        return True


@reads("task token")
def read_token(item: Item) -> str:
    """The token. Raises Parked, Damaged: its execution then waits until its own time is over, and the sweep resumes the pause."""
    token = item["token"]
    if not isinstance(token, str) or not token:
        raise TypeError("the token is no text")
    return token


@reads("freeze mark")
def _held(item: Item) -> bool:
    held = item["held"]
    if not isinstance(held, bool):
        raise TypeError("held is no boolean")
    return held
