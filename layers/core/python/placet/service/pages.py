"""One page of a list: its rows, and where the next one begins."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import TypeVar

from placet.model.cursors import Place, cursor, place_in

T = TypeVar("T")


class Page(list[T]):
    """The rows of one page.

    Attributes:
        next: the cursor of the next page; empty when this is the last.
    """

    def __init__(self, rows: Iterable[T] = (), next_page: str = "") -> None:
        super().__init__(rows)
        self.next = next_page


def place_behind(kind: str, after: str) -> Place | None:
    """The place of a list's cursor; None for its beginning. Raises Invalid `cursor_invalid`."""
    return place_in(after, kind)[1] if after else None


def page_of(kind: str, rows: Iterator[tuple[Place, T]], limit: int) -> Page[T]:
    """The first rows of a list, of which one more is looked at to say whether there is a further page."""
    found = list(itertools.islice(rows, limit + 1))
    more = cursor(kind, found[limit - 1][0]) if len(found) > limit else ""
    return Page((row for _, row in found[:limit]), more)
