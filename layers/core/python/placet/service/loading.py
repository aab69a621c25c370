"""Reading a pause: its head, its body, and what is shown of a call."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from placet.model.cursors import Place
from placet.model.errors import Damaged, Frozen, Lost, NotFound, Unreadable
from placet.model.ids import is_pause_id
from placet.records.bodies import Body, read_body, read_revision
from placet.records.calls import HeadCall
from placet.records.facts import NOTHING, Fact, read_fact
from placet.records.heads import Head, read_head
from placet.records.lanes import before_place, lane_at, lane_end, moment_at
from placet.records.lists import after_entry, is_queue, place_of_entry
from placet.records.marks import is_held
from placet.records.ops import Item, Put
from placet.records.texts import Stored
from placet.service.ports import Ports, wired

S = TypeVar("S")
T = TypeVar("T")


def head_of(ports: Ports, pause: str, agent: str = "") -> Head:
    """The head of a pause. Raises NotFound, Unreadable.

    Args:
        agent: whose it has to be; another's is as absent as none, also where it cannot be read.
    """
    item = item_of(ports, pause)
    if agent and item.get("agent") != agent:
        raise NotFound
    return head_in(item)


def item_of(ports: Ports, pause: str) -> Item:
    """The stored head of a pause, of any shape. Raises NotFound."""
    item = ports.table.get(ports.keys.head(pause)) if is_pause_id(pause) else None
    if item is None:
        raise NotFound
    return item


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
        if call.written_rev == 1:
            proposed = body.call(call.number)
            if proposed.digest != call.digest:
                raise Damaged("head of this pause")
            return proposed.arguments
        item = ports.table.get(ports.keys.revision(head.pause, call.number, call.written_rev, call.digest))
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


def entries_of(ports: Ports, list_pk: str, *, up_to: int | None = None, after: Item | None = None) -> Iterator[Item]:
    """Entries of a work list, earliest moment first, from behind `after` to its end; read page by page as they are asked for,
    because a list may hold more than anybody needs."""
    while page := ports.table.work(list_pk, up_to=up_to, limit=PAGE, after=after):
        yield from page
        if len(page) < PAGE:
            return
        after = page[-1]


def due_in(ports: Ports, queue: str, up_to: int, after: Item | None = None) -> Iterator[Item]:
    """Entries of a queue whose moment has come, lane by lane: what an agent has beyond that moment is passed by."""
    while page := ports.table.work(queue, limit=PAGE, after=after):
        yield from (entry for entry in page if moment_at(entry["wsk"]) <= up_to)
        if len(page) < PAGE:
            return
        after, last = page[-1], page[-1]["wsk"]
        if moment_at(last) > up_to:
            after = before_place(ports.keys, queue, lane_at(last) + 1)


def lane_in(ports: Ports, queue: str, lane: int) -> Iterator[Item]:
    """Entries of one lane of a queue."""
    return entries_of(ports, queue, up_to=lane_end(lane), after=before_place(ports.keys, queue, lane))


def in_order(ports: Ports, list_pk: str, *, up_to: int | None = None, behind: Place | None = None) -> Iterator[Item]:
    """Entries of a work list by moment and pause, from behind a place, whether or not an entry stands there still.

    DynamoDB gives entries of one moment in an order of its own, so those are put in order here, and reading begins before them.
    """
    if behind is not None and up_to is not None and behind.at_ms > up_to:
        return
    after = after_entry(ports.keys, list_pk, (behind.at_ms - 1, behind.pause)) if behind is not None else None
    entries = entries_of(ports, list_pk, up_to=up_to, after=after)
    for _, alike in itertools.groupby(entries, key=lambda entry: entry["wsk"]):
        for entry in sorted(alike, key=place_of_entry):
            if behind is None or place_of_entry(entry) > behind:
                yield entry


def listed(
    ports: Ports, list_pk: str, *, up_to: int | None = None, after: Item | None = None
) -> Iterator[tuple[Item, Head]]:
    """Entries of a work list with the heads that stand there, as `found_on`; what this release cannot read is left alone."""
    found = found_on(ports, list_pk, up_to=up_to, after=after)
    return ((item, one) for item, one in found if isinstance(one, Head))


def found_on(
    ports: Ports,
    list_pk: str,
    *,
    up_to: int | None = None,
    after: Item | None = None,
    of_interest: Callable[[Item], bool] = lambda entry: True,
) -> Iterator[tuple[Item, Head | Unreadable | None]]:
    """Every entry of a work list with what `with_heads` says of it; None for one that it leaves out, or that is of no interest.

    So whoever has so much time and no more can stop between any two of them.

    Args:
        of_interest: judged on the entry; the heads of others are not read.
    """
    if up_to is not None and is_queue(list_pk):
        return _looked_up(ports, list_pk, due_in(ports, list_pk, up_to, after), of_interest)
    return _looked_up(ports, list_pk, entries_of(ports, list_pk, up_to=up_to, after=after), of_interest)


def with_heads(ports: Ports, list_pk: str, entries: Iterator[Item]) -> Iterator[tuple[Item, Head | Unreadable]]:
    """Entries of a work list with the heads that still stand there, or with why a head cannot be read; as many as the caller takes.

    The index may lag, so the head says what holds. A record that this release cannot read must not hide what stands behind it.
    """
    found = _looked_up(ports, list_pk, entries, lambda entry: True)
    return ((entry, one) for entry, one in found if one is not None)


def _looked_up(
    ports: Ports, list_pk: str, entries: Iterator[Item], of_interest: Callable[[Item], bool]
) -> Iterator[tuple[Item, Head | Unreadable | None]]:
    for chunk in chunks(entries):
        wanted = [_pause_of(entry) for entry in chunk if of_interest(entry)]
        stored = items_of(ports, wanted) if wanted else {}
        for entry in chunk:
            found = _read(ports, _pause_of(entry), stored) if _pause_of(entry) in wanted else None
            stands_here = isinstance(found, Unreadable) or (found is not None and found.wpk == list_pk)
            yield entry, found if stands_here else None


def chunks(entries: Iterator[S]) -> Iterator[list[S]]:
    """One, two, four and so on up to PAGE: few requests for a caller that takes many, few reads for one that takes the first."""
    size = 1
    while chunk := list(itertools.islice(entries, size)):
        yield chunk
        size = min(2 * size, PAGE)


def _read(ports: Ports, pause: str, stored: dict[str, Item]) -> Head | Unreadable | None:
    if pause not in stored:
        ports.log("gone", {"pause": pause})
        return None
    try:
        return head_in(stored[pause])
    except Unreadable as error:
        ports.log(error.reason, {"pause": pause})
        return error


def _pause_of(entry: Item) -> str:
    return str(entry["pk"].rpartition("#")[2])


def items_of(ports: Ports, pauses: list[str]) -> dict[str, Item]:
    """The stored heads of these pauses, without those that are gone. One of them is asked for as many are: under one right."""
    keys = {ports.keys.head(pause): pause for pause in pauses}
    return {keys[key]: item for key, item in ports.table.get_many(list(keys)).items()}
