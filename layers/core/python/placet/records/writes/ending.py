"""The stuck list: what cannot go on by itself is shown, never dropped."""

from __future__ import annotations

from placet.model.events import Event, EventName
from placet.records import clauses as c
from placet.records.heads import Head
from placet.records.keys import Keys
from placet.records.ops import Op, update
from placet.records.writes.telling import put_event


def list_stuck(keys: Keys, head: Head, reason: str, now_ms: int) -> list[Op]:
    """Onto the stuck list: what cannot go on by itself is shown, never dropped."""
    return [
        update(keys.head(head.pause), [c.not_resumed()], set={"wpk": keys.stuck(), "wsk": now_ms, "stuck": reason}),
        put_event(keys, head.pause, f"listed#{reason}#{now_ms}", Event(EventName.LISTED, now_ms, {"reason": reason})),
    ]
