"""Badges: written where somebody signs in, and ended there or by an operator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from placet.model.pauses import Reviewer
from placet.records import clauses as c
from placet.records.badges import REMEMBERED_MS, Badge
from placet.records.keys import SCHEMA_VERSION, Keys
from placet.records.ops import Op, Put


def put_badges(
    keys: Keys,
    person: Reviewer,
    groups: Iterable[str],
    until_ms: int,
    now_ms: int,
    sessions: Mapping[str, int] | None = None,
    seen: Badge | None = None,
) -> list[Op]:
    """A person is in these groups until then, from both sides; with 0 they are in them no more.

    Args:
        sessions: those that have said it and last, by their stored names, with their ends.
        seen: the badge by which this was judged, if it was judged by one.
    """
    judged = (c.badge_as_seen(seen.sessions),) if seen else ()
    ops: list[Op] = []
    for group in sorted(groups):
        shared = {
            "schema_version": SCHEMA_VERSION,
            "sub": person.sub,
            "group": group,
            "name": person.name,
            "email": person.email,
            "since_ms": now_ms,
            "until_ms": until_ms,
            "sessions": dict(sessions or {}),
            "ttl": ((until_ms or now_ms) + REMEMBERED_MS) // 1000 + 86_400,
        }
        ops.append(Put({**keys.badge(person.sub, group)._asdict(), "kind": "BADGE", **shared}, judged))
        ops.append(Put({**keys.badge_holder(group, person.sub)._asdict(), "kind": "BADGE_HOLDER", **shared}))
    return ops
