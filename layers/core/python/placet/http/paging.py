"""Which page of a list a request asks for: `limit` and `after` of its query."""

from __future__ import annotations

from typing import NamedTuple

from placet.http.messages import Request
from placet.model.errors import Invalid
from placet.model.limits import whole_number

DEFAULT, MOST = 50, 100  # rows of a page


class Asked(NamedTuple):
    """A page: so many rows, behind the place of a cursor; from the beginning when that is empty."""

    limit: int
    after: str


def page_asked(request: Request, default: int = DEFAULT, most: int = MOST) -> Asked:
    """The page that a request asks for. Raises Invalid `limit_invalid`; the cursor is judged by the list that it is of."""
    text = request.query.get("limit", "")
    limit = whole_number(text) if text else default
    if limit is None or not 1 <= limit <= most:
        raise Invalid("limit_invalid", f"`limit` is a number from 1 to {most}.", limit=most)
    return Asked(limit, request.query.get("after", ""))
