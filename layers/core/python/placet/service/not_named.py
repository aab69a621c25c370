"""What an operator typed names nobody: they are told what it was, and what is near it."""

from __future__ import annotations

from collections.abc import Iterable

from placet.model.entered import LONGEST_ADDRESS
from placet.model.errors import NotNamed
from placet.records.people import Member

MOST_NEAR = 3
LEAST_LIKE = 0.7  # of two texts, as `difflib` measures it


def nobody(known: Iterable[Member], named: str) -> NotNamed:
    """No reviewer is what was typed; those of `known` whose address, `sub` or name is like it are told by their address."""
    typed = named.casefold()[:LONGEST_ADDRESS]
    like = {
        one.email: max(_likeness(typed, text.casefold()) for text in (one.email, one.sub, one.name)) for one in known
    }
    near = [email for email in sorted(like, key=lambda one: (-like[one], one)) if like[email] >= LEAST_LIKE][:MOST_NEAR]
    hint = f" Near it: {', '.join(near)}." if near else ""
    shown = named if len(named) <= LONGEST_ADDRESS else f"{named[:LONGEST_ADDRESS]}…"
    return NotNamed("person_unknown", f"No reviewer is {shown!r}, by sub or mail address.{hint}", near=near)


def _likeness(typed: str, text: str) -> float:
    """From 0 to 1, as `difflib` measures it: of addresses that of what stands before the `@` too, or a domain would join all."""
    from difflib import SequenceMatcher  # here: no function of the gateway names near ones

    parts = [(typed, text)]
    if "@" in typed and "@" in text:
        parts.append((typed.partition("@")[0], text.partition("@")[0]))
    return min(SequenceMatcher(None, *both, autojunk=False).ratio() for both in parts)
