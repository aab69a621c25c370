"""Memberships and browser sessions, read from their items."""

from __future__ import annotations

from dataclasses import dataclass

from placet.records.ops import Item
from placet.records.reading import reads, typed


@dataclass(frozen=True)
class Member:
    """One person's membership of one group, from either side."""

    sub: str
    group: str
    name: str
    email: str
    badge_until_ms: int = 0  # of a badge: the end of its session, which may be over; else 0


@dataclass(frozen=True)
class SignedIn:
    """A signed-in browser; `until_ms` is what holds, the item's `ttl` only cleans up."""

    sub: str
    csrf: str
    signed_in_ms: int
    until_ms: int


@reads("membership")
def read_member(item: Item) -> Member:
    """The membership in a stored item. Raises Parked, Damaged."""
    names = dict(key.rpartition("#")[0::2] for key in (_last(item["pk"]), item["sk"]))
    return typed(Member(names["U"], names["G"], item["name"], item["email"]))


def _last(pk: str) -> str:
    """`U#<sub>` of `T#<t>#U#<sub>`."""
    return pk.split("#", 2)[2]


@reads("session")
def read_session(item: Item) -> SignedIn:
    """The session in a stored item. Raises Parked, Damaged."""
    return typed(SignedIn(item["sub"], item["csrf"], item["signed_in_ms"], item["until_ms"]))
