"""publish: what happened to a pause goes onto the bus, after it was written and beside everything else.

Nothing waits for it: it reads the table's stream by itself, so a bus that hangs delays no decision. A record may come twice or
late; an event that comes of it has the same `id`. What an event of a call says beside it (level, open calls, deadline) is what
the pause is by then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from placet.model.bus import FROM_THE_HEAD, LONGEST_NAME, MOST_NAMES, TOLD, VERSION, BusEvent, Kind, picked
from placet.model.faults import fault
from placet.records.ops import Item
from placet.records.reading import OTHER_SHAPE
from placet.service.loading import items_of
from placet.service.ports import Ports, wired


@dataclass(frozen=True)
class Change:
    """One record of the stream: an item before and after, and when it was written."""

    old: Item | None
    new: Item | None
    written_ms: int


@dataclass(frozen=True)
class Told:
    """One thing that a change of an item tells.

    Attributes:
        fact: its name, unique within the pause.
        head: the head as it was then, where the change is one of the head; else it is read.
    """

    kind: Kind
    pause: str
    fact: str
    at_ms: int
    fields: dict[str, Any] = field(default_factory=dict)
    head: Item | None = None


def told_by(old: Item | None, new: Item | None, written_ms: int) -> list[Told]:
    """What a change tells; nothing, for most. Edges, not levels: a later write of the same item does not tell it again.

    Args:
        written_ms: when it was written, by the stream: for what has no moment of its own in the record.
    """
    if new is None:
        return []
    if new.get("kind") == "EVENT" and old is None:
        return _event(new)
    return _head(old, new, written_ms) if new.get("kind") == "HEAD" else []


def publish(ports: Ports, changes: Sequence[Change]) -> list[bool]:
    """Put onto the bus what the changes tell. Returns for each whether it is done; the others have to come again.

    Raises Busy when nothing could be sent.
    """
    told = [_readable(ports, one) for one in changes]
    heads = _heads(ports, [one for every in told for one in every])
    events = [(number, _event_of(ports, one, heads)) for number, every in enumerate(told) for one in every]
    sent = wired(ports.bus).put([event for _, event in events]) if events else []
    failed = {number for (number, _), done in zip(events, sent, strict=True) if not done}
    return [number not in failed for number in range(len(changes))]


def _readable(ports: Ports, change: Change) -> list[Told]:
    """What a change tells; an item of another shape tells nothing, and comes into nobody's way."""
    try:
        return told_by(change.old, change.new, change.written_ms)
    except OTHER_SHAPE as error:
        ports.log("not_told", fault(error))
        return []


def _event(item: Item) -> list[Told]:
    pause, fact = _pause_of(item), str(item["sk"]).partition("#")[2]
    name = item["name"]
    if name in FROM_THE_HEAD or name not in TOLD:  # the head tells it, or another release knows what it is
        return []
    kind, fields = TOLD[name]
    return [Told(kind, pause, fact, item["at_ms"], picked(fields, item))]


def _head(old: Item | None, new: Item, written_ms: int) -> list[Told]:
    """What the writes of a head tell that have no event of their own."""
    pause = _pause_of(new)
    if old is None:
        calls = len(new.get("calls", {}))
        return [Told(Kind.CAPTURED, pause, "captured", new["captured_ms"], {"calls": calls}, new)]
    found = []
    if "notified_ms" in new and "notified_ms" not in old:
        fact = f"visible#{new['gen']}"
        found.append(Told(Kind.VISIBLE, pause, fact, new["notified_ms"], {}, new))
    if new.get("resume_state") == "done" and old.get("resume_state") != "done" and "cancelled" not in new:
        found.append(Told(Kind.RESUMED, pause, "resumed", written_ms, {}, new))
    if "stuck" in new and "stuck" not in old:
        fact, reason = f"stuck#{new['stuck']}#{new.get('wsk', 0)}", str(new["stuck"])
        found.append(Told(Kind.STUCK, pause, fact, new.get("wsk", 0), {"reason": reason}, new))
    return found


def _heads(ports: Ports, told: list[Told]) -> dict[str, Item]:
    """The heads of the pauses whose events carry none, in few requests."""
    wanted = sorted({one.pause for one in told if one.head is None})
    return items_of(ports, wanted) if wanted else {}


def _event_of(ports: Ports, told: Told, heads: dict[str, Item]) -> BusEvent:
    """The event with what every one has. A head of another shape gives what it has: it is told of all the same."""
    head = told.head if told.head is not None else heads.get(told.pause, {})
    raw = head.get("card")
    card: dict[str, Any] = raw if isinstance(raw, dict) else {}
    detail = {
        "version": VERSION,
        "id": f"{told.pause}#{told.fact}",
        "event": told.kind.value,
        "at_ms": told.at_ms,
        "tenant": ports.keys.tenant,
        "pause": told.pause,
        "link": f"{ports.base_url}/reviews/{told.pause}",
        "agent": _text(head.get("agent")),
        "framework": _text(head.get("framework")),
        "run": _text(head.get("run")),
        "classes": _names(card.get("classes")),
        "tools": _names(card.get("tools")),
        "level": _number(head.get("level")),
        "open_calls": _number(head.get("open_calls")),
        "captured_ms": _number(head.get("captured_ms")),
        "deadline_ms": _number(head.get("deadline_ms")),
        **told.fields,
    }
    return BusEvent(told.kind, detail)


def _pause_of(item: Item) -> str:
    return str(item["pk"]).rpartition("#")[2]


def _text(value: Any) -> str:
    return value[:LONGEST_NAME] if isinstance(value, str) else ""


def _names(value: Any) -> list[str]:
    return [one[:LONGEST_NAME] for one in value[:MOST_NAMES] if isinstance(one, str)] if isinstance(value, list) else []


def _number(value: Any) -> int:
    return value if type(value) is int else 0
