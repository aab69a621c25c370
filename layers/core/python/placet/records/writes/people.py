"""Memberships, and the sessions of signed-in people."""

from __future__ import annotations

from placet.model.pauses import Reviewer
from placet.records.keys import SCHEMA_VERSION, Keys
from placet.records.ops import Delete, Op, Put


def put_member(keys: Keys, person: Reviewer, group: str, now_ms: int) -> list[Op]:
    """A membership, stored from both sides."""
    shared = {"schema_version": SCHEMA_VERSION, "since_ms": now_ms, "name": person.name, "email": person.email}
    return [
        Put({**keys.member(person.sub, group)._asdict(), "kind": "MEMBER", **shared}),
        Put({**keys.group_member(group, person.sub)._asdict(), "kind": "GROUP_MEMBER", **shared}),
    ]


def drop_member(keys: Keys, sub: str, group: str) -> list[Op]:
    """A membership ends, on both sides: whoever decides by it meanwhile is checked by their own write."""
    return [Delete(keys.member(sub, group)), Delete(keys.group_member(group, sub))]


def put_session(keys: Keys, hashed: str, sub: str, csrf: str, signed_in_ms: int, until_ms: int) -> list[Op]:
    """A signed-in browser. `ttl` (seconds) only cleans up; `until_ms` is what holds."""
    item = {
        **keys.session(hashed)._asdict(),
        "schema_version": SCHEMA_VERSION,
        "kind": "SESSION",
        "sub": sub,
        "csrf": csrf,
        "signed_in_ms": signed_in_ms,
        "until_ms": until_ms,
        "ttl": until_ms // 1000 + 86_400,
    }
    return [Put(item)]


def end_session(keys: Keys, hashed: str) -> list[Op]:
    """Signed out: the cookie means nothing any more."""
    return [Delete(keys.session(hashed))]
