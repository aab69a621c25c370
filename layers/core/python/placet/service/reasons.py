"""A reason that a person gives, for a decision or for more time: it stays in the record."""

from __future__ import annotations

from placet.model.characters import is_blank
from placet.model.errors import Invalid
from placet.model.limits import MAX_REASON


def checked_reason(text: str, missing: str = "") -> str:
    """The reason without the space around it.

    Args:
        missing: what is answered where nobody can see anything of it; empty: it may be left out.

    Raises:
        Invalid: `reason_missing`, `reason_too_long` (with `limit`).
    """
    reason = text.strip()
    if missing and is_blank(reason):
        raise Invalid("reason_missing", missing)
    if len(reason) > MAX_REASON:
        raise Invalid("reason_too_long", f"A reason has at most {MAX_REASON} characters.", limit=MAX_REASON)
    return reason
