"""Where the next page of a list begins, as a text that callers hand back as it is. It names a place and grants nothing."""

from __future__ import annotations

import base64
import binascii
from typing import NamedTuple

from placet.model.errors import Invalid
from placet.model.ids import is_pause_id
from placet.model.limits import whole_number

LONGEST = 128  # characters of a cursor; ours have less


class Place(NamedTuple):
    """Where a pause stands in a list: a moment in ms, and the pause."""

    at_ms: int
    pause: str


def cursor(kind: str, place: Place) -> str:
    """The cursor of a list of this kind that goes on behind a place."""
    return base64.urlsafe_b64encode(f"{kind}.{place.at_ms}.{place.pause}".encode()).decode().rstrip("=")


def place_in(text: str, *kinds: str) -> tuple[str, Place]:
    """Kind and place in a cursor of one of these kinds. Raises Invalid `cursor_invalid` for what `cursor` does not write."""
    try:
        kind, at, pause = _decoded(text).split(".")
    except (ValueError, binascii.Error):
        raise _invalid() from None
    at_ms = whole_number(at)
    if kind not in kinds or at_ms is None or not is_pause_id(pause) or cursor(kind, Place(at_ms, pause)) != text:
        raise _invalid()
    return kind, Place(at_ms, pause)


def _decoded(text: str) -> str:
    if len(text) > LONGEST:
        raise ValueError("longer than any cursor")
    return base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4)).decode("ascii")


def _invalid() -> Invalid:
    return Invalid(
        "cursor_invalid", "This is no place in this list. Send `next` of its last page as it came, or nothing."
    )
