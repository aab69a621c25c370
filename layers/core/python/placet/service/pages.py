"""One page of a list: its rows, and where the next one begins."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


class Page(list[T]):
    """The rows of one page.

    Attributes:
        next: the cursor of the next page; empty when this is the last.
    """

    def __init__(self, rows: Iterable[T] = (), next_page: str = "") -> None:
        super().__init__(rows)
        self.next = next_page
