"""Reading a pause: its head, its body, and what is shown of a call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from placet.model.errors import Damaged, Frozen, Lost, NotFound, Unreadable
from placet.model.ids import is_pause_id
from placet.records.bodies import Body, Stored, read_body, read_revision
from placet.records.facts import NOTHING, Fact, read_fact
from placet.records.heads import Head, HeadCall, read_head
from placet.records.marks import is_held
from placet.records.ops import Item, Put
from placet.service.ports import Ports, wired

S = TypeVar("S")
T = TypeVar("T")


def head_of(ports: Ports, pause: str) -> Head:
    """The head of a pause. Raises NotFound, Unreadable."""
    item = ports.table.get(ports.keys.head(pause)) if is_pause_id(pause) else None
    if item is None:
        raise NotFound
    return head_in(item)


def head_in(item: Item) -> Head:
    """The head in its item. Raises Unreadable."""
    with reading(item["pk"].rpartition("#")[2]):
        return read_head(item)


@contextmanager
def reading(pause: str) -> Iterator[None]:
    """What cannot be read in this block is of this pause: whoever meets the error knows which one to set aside."""
    try:
        yield
    except Unreadable as error:
        raise error.of(pause) from None


def call_of(head: Head, number: int) -> HeadCall:
    """One call of a pause. Raises NotFound."""
    call = head.call(number)
    if call is None:
        raise NotFound
    return call


def body_of(ports: Ports, head: Head) -> Body:
    """The immutable body of a pause; it is written before the head. Raises Unreadable."""
    item = ports.table.get(ports.keys.body(head.pause, head.body))
    with reading(head.pause):
        if item is None:
            raise Lost("body_lost", "body of this pause")
        body = read_body(item, fetched(ports, item), head.body)
        if [call.number for call in body.calls] != [call.number for call in head.calls]:
            raise Damaged("body of this pause")
        return body


def arguments_of(ports: Ports, head: Head, body: Body, call: HeadCall) -> dict[str, Any]:
    """The exact arguments of the revision that the head names. Raises Unreadable."""
    with reading(head.pause):
        if call.rev == 1:
            proposed = body.call(call.number)
            if proposed.digest != call.digest:
                raise Damaged("head of this pause")
            return proposed.arguments
        item = ports.table.get(ports.keys.revision(head.pause, call.number, call.rev, call.digest))
        if item is None:
            raise Lost("revision_lost", "edit of this call")
        return read_revision(item, fetched(ports, item), call.digest)


def fetched(ports: Ports, item: Item) -> str | None:
    """The text of an item that lies in the bucket; None when the item holds it itself, or names no place."""
    place = item.get("place")
    return wired(ports.bodies).get(place) if isinstance(place, str) and place else None


def store(ports: Ports, stored: Stored) -> None:
    """Write a body: its text first, then the item that names it. Both are immutable, so doing it twice does no harm."""
    if stored.name:
        wired(ports.bodies).put(stored.name, stored.text)
    ports.table.write([Put(stored.item)])


def not_frozen(ports: Ports) -> None:
    """Raises Frozen while an operator holds everything for a restore."""
    mark = ports.table.get(ports.keys.freeze())
    if mark is not None and is_held(mark):
        raise Frozen


def fact_of(ports: Ports, pause: str, fact: str) -> Fact:
    """What an event of a pause tells; NOTHING when there is none, or none that can be read."""
    item = ports.table.get(ports.keys.event(pause, fact))
    return next(iter(readable(ports, [item] if item else [], read_fact)), NOTHING)


def readable(ports: Ports, stored: Iterable[S], read: Callable[[S], T]) -> list[T]:
    """Those of a list that can be read; the others are logged and left out, so that one does not take the rest away."""
    found = []
    for one in stored:
        try:
            found.append(read(one))
        except Unreadable as error:
            ports.log("unreadable", {"code": error.code, "what": error.what, "pause": error.pause})
    return found


PAGE = 50
MOST_PAGES = 20


def queues_of(ports: Ports) -> list[str]:
    """The work lists of every class and level."""
    classes = ports.policy.classes.values()
    return [ports.keys.queue(one.name, level) for one in classes for level in range(len(one.levels))]


def listed(
    ports: Ports,
    list_pk: str,
    *,
    up_to: int | None = None,
    limit: int = PAGE,
    met: Callable[[Item, Unreadable], object] = lambda entry, error: None,
) -> Iterator[tuple[Item, Head]]:
    """Entries of a work list with their heads, oldest first, at most `limit` that still stand there.

    The index may lag, so the head says what holds. A record that this release cannot read is logged and left alone; it must
    not hide what stands behind it.

    Args:
        met: is told of each entry whose head cannot be read.
    """
    after: Item | None = None
    found = 0
    for _ in range(max(MOST_PAGES, limit // PAGE)):
        page = ports.table.work(list_pk, up_to=up_to, limit=PAGE, after=after)
        for item in page:
            head = _readable(ports, item, met)
            if head is not None and head.wpk == list_pk and found < limit:
                found += 1
                yield item, head
        if len(page) < PAGE or found >= limit:
            return
        after = page[-1]


def _readable(ports: Ports, entry: Item, met: Callable[[Item, Unreadable], object]) -> Head | None:
    pause = entry["pk"].rpartition("#")[2]
    try:
        return head_of(ports, pause)
    except NotFound:
        ports.log("gone", {"pause": pause})
    except Unreadable as error:
        ports.log(error.reason, {"pause": pause})
        met(entry, error)
    return None
