"""One page of a list: its rows, and where the next one begins."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from placet.model.canonical import exact_text
from placet.model.cursors import Place, cursor, place_in

T = TypeVar("T")
BUDGET_BYTES = 4_000_000  # of rows; a whole answer has at most 6,291,556 (Lambda)


class Page(list[T]):
    """The rows of one page.

    Attributes:
        next: the cursor of the next page; empty when this is the last, and of a list that has no places.
        more: whether there are more rows.
    """

    def __init__(self, rows: Iterable[T] = (), next_page: str = "", *, more: bool = False) -> None:
        super().__init__(rows)
        self.next = next_page
        self.more = more or bool(next_page)


def place_behind(kind: str, after: str) -> Place | None:
    """The place of a list's cursor; None for its beginning. Raises Invalid `cursor_invalid`."""
    return place_in(after, kind)[1] if after else None


def page_of(
    kind: str, rows: Iterable[tuple[Place, T]], limit: int, fits: Callable[[T], bool] = lambda row: True
) -> Page[T]:
    """The first rows of a list, of which one more is looked at to say whether there is a further page.

    Args:
        fits: judges the rows in their order; a page ends before one that does not, but for its first row.
    """
    page: list[T] = []
    last: Place | None = None
    for place, row in rows:
        room = fits(row)
        if last is not None and (len(page) == limit or not room):
            return Page(page, cursor(kind, last))
        page.append(row)
        last = place
    return Page(page)


class Budget:
    """How many bytes of rows an answer may still take. Asking takes them."""

    def __init__(self, most: int = BUDGET_BYTES) -> None:
        self._left = most

    def fits(self, row: Any) -> bool:
        """Whether this row fits beside those before it."""
        self._left -= weight(row)
        return self._left >= 0


def weight(row: Any) -> int:
    """The bytes of a row in an answer: JSON text, as a text in the JSON that Lambda hands over."""
    return len(json.dumps(exact_text(row), ensure_ascii=False).encode())
