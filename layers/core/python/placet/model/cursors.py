"""Where the next page of a list begins, as a text that callers hand back as it is. It names a place and grants nothing."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from placet.model.errors import Invalid
from placet.model.ids import is_pause_id
from placet.model.limits import whole_number

LONGEST = 128  # characters of a cursor; ours have less
MOST_LANES = 50  # in one cursor
LONGEST_OF_LANES = 4_096
FIRST = -1  # before every lane


class Place(NamedTuple):
    """Where a pause stands in a list: a moment in ms, and the pause."""

    at_ms: int
    pause: str


@dataclass(frozen=True)
class LanesRead:
    """How far a list was read in which every agent has a lane of its own.

    Attributes:
        left: by lane, the place behind which it goes on; None where nothing of it was shown yet.
        looked_to: lanes behind this one were not looked at; None when all were. Those before it that are not in `left` are read.
    """

    left: Mapping[int, Place | None] = field(default_factory=dict)
    looked_to: int | None = FIRST


def cursor(kind: str, place: Place) -> str:
    """The cursor of a list of this kind that goes on behind a place."""
    return _encoded(f"{kind}.{place.at_ms}.{place.pause}")


def lanes_cursor(kind: str, read: LanesRead) -> str:
    """The cursor of a list in lanes that goes on from there."""
    places = (
        f"{lane}-{place.at_ms}-{place.pause}" if place else str(lane) for lane, place in sorted(read.left.items())
    )
    return _encoded(".".join([kind, "all" if read.looked_to is None else str(read.looked_to), *places]))


def place_in(text: str, *kinds: str) -> tuple[str, Place]:
    """Kind and place in a cursor of one of these kinds. Raises Invalid `cursor_invalid` for what `cursor` does not write."""
    try:
        kind, at, pause = _decoded(text, LONGEST).split(".")
    except (ValueError, binascii.Error):
        raise _invalid() from None
    at_ms = whole_number(at)
    if kind not in kinds or at_ms is None or not is_pause_id(pause) or cursor(kind, Place(at_ms, pause)) != text:
        raise _invalid()
    return kind, Place(at_ms, pause)


def lanes_in(text: str, kind: str) -> LanesRead:
    """How far a list in lanes was read, from its cursor. Raises Invalid `cursor_invalid` for what `lanes_cursor` does not write."""
    try:
        named, to, *places = _decoded(text, LONGEST_OF_LANES).split(".")
        read = LanesRead(dict(map(_lane, places)), None if to == "all" else _number(to))
    except (ValueError, binascii.Error):
        raise _invalid() from None
    if named != kind or len(read.left) > MOST_LANES or lanes_cursor(kind, read) != text:
        raise _invalid()
    return read


def _lane(text: str) -> tuple[int, Place | None]:
    lane, *place = text.split("-")
    if not place:
        return _number(lane), None
    at, pause = place
    if not is_pause_id(pause):
        raise ValueError("no place of a pause")
    return _number(lane), Place(_number(at), pause)


def _number(text: str) -> int:
    number = whole_number(text)
    if number is None:
        raise ValueError("no number")
    return number


def _encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _decoded(text: str, most: int) -> str:
    if len(text) > most:
        raise ValueError("longer than any cursor")
    return base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4)).decode("ascii")


def _invalid() -> Invalid:
    return Invalid(
        "cursor_invalid", "This is no place in this list. Send `next` of its last page as it came, or nothing."
    )
