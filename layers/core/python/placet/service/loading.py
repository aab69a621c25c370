"""Reading a pause: its head, its body, and what is shown of a call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from placet.model.errors import Frozen, Lost, NotFound, Parked
from placet.records.bodies import Body, Stored, read_body, read_revision
from placet.records.heads import Head, HeadCall, read_head
from placet.records.ops import Item, Put
from placet.service.ports import Ports, wired


def head_of(ports: Ports, pause: str) -> Head:
    """The head of a pause. Raises NotFound."""
    item = ports.table.get(ports.keys.head(pause))
    if item is None:
        raise NotFound
    return read_head(item)


def call_of(head: Head, number: int) -> HeadCall:
    """One call of a pause. Raises NotFound."""
    call = head.call(number)
    if call is None:
        raise NotFound
    return call


def body_of(ports: Ports, head: Head) -> Body:
    """The immutable body of a pause. Raises Lost when it is gone: it is written before the head."""
    item = ports.table.get(ports.keys.body(head.pause, head.body))
    if item is None:
        raise Lost("body_lost", f"The body of pause {head.pause} is gone.")
    return read_body(item, fetched(ports, item))


def arguments_of(ports: Ports, head: Head, body: Body, call: HeadCall) -> dict[str, Any]:
    """The exact arguments of the revision that the head names. Raises Lost when the revision is gone."""
    if call.rev == 1:
        return body.call(call.number).arguments
    item = ports.table.get(ports.keys.revision(head.pause, call.number, call.rev, call.digest))
    if item is None:
        raise Lost("revision_lost", f"Revision {call.rev} of call {call.number} of pause {head.pause} is gone.")
    return read_revision(item, fetched(ports, item))


def fetched(ports: Ports, item: Item) -> str | None:
    """The text of an item that lies in the bucket; None when the item holds it itself."""
    return wired(ports.bodies).get(item["place"]) if "place" in item else None


def store(ports: Ports, stored: Stored) -> None:
    """Write a body: its text first, then the item that names it. Both are immutable, so doing it twice does no harm."""
    if stored.name:
        wired(ports.bodies).put(stored.name, stored.text)
    ports.table.write([Put(stored.item)])


def not_frozen(ports: Ports) -> None:
    """Raises Frozen while an operator holds everything for a restore."""
    mark = ports.table.get(ports.keys.freeze())
    if mark is not None and mark["held"]:
        raise Frozen


PAGE = 50
MOST_PAGES = 20


def queues_of(ports: Ports) -> list[str]:
    """The work lists of every class and level."""
    classes = ports.policy.classes.values()
    return [ports.keys.queue(one.name, level) for one in classes for level in range(len(one.levels))]


def listed(ports: Ports, list_pk: str, *, up_to: int | None = None, limit: int = PAGE) -> Iterator[tuple[Item, Head]]:
    """Entries of a work list with their heads, oldest first, at most `limit` that still stand there.

    The index may lag, so the head says what holds. A record that this release cannot read is logged and left alone; it must
    not hide what stands behind it.
    """
    after: Item | None = None
    found = 0
    for _ in range(max(MOST_PAGES, limit // PAGE)):
        page = ports.table.work(list_pk, up_to=up_to, limit=PAGE, after=after)
        for item in page:
            head = _readable(ports, item["pk"].rpartition("#")[2])
            if head is not None and head.wpk == list_pk and found < limit:
                found += 1
                yield item, head
        if len(page) < PAGE or found >= limit:
            return
        after = page[-1]


def _readable(ports: Ports, pause: str) -> Head | None:
    try:
        return head_of(ports, pause)
    except (Parked, NotFound) as error:
        ports.log("parked" if isinstance(error, Parked) else "gone", {"pause": pause})
        return None
