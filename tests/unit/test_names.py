"""Pauses by name: a run's are its agent's own, newest first, however many there are and however many others have."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pytest

from placet.model.cursors import Place, cursor, place_in
from placet.model.errors import Busy, Invalid, NotFound
from placet.model.pauses import Agent
from placet.records.keys import Key, Keys
from placet.records.ops import Put
from placet.service.bedrock.following import MOST_PAUSES, follow
from placet.service.cancel import cancel, supersede
from placet.service.find import find
from placet.service.went_on import resumed
from tests.gateway import BILLING, REFUND, SMALL, SUPPORT, Gateway


def ended(gateway: Gateway, number: int, **facts: Any) -> str:
    """A pause whose run went on."""
    head = gateway.capture(SMALL, checkpoint=f"old-{number}", **facts).head
    resumed(gateway.ports, SUPPORT, head.pause)
    return head.pause


def found(gateway: Gateway, wanted: str, limit: int = 50, agent: str = "") -> list[list[str]]:
    """Every page, to the last."""
    pages, after = [], ""
    while True:
        page = find(gateway.ports, wanted, agent, limit, after)
        pages.append([one["pause"] for one in page])
        if not page.next:
            return pages
        after = page.next


@contextmanager
def as_before(table: Any) -> Iterator[None]:
    """What is captured in this block is written as earlier releases did: in the find index, with no item under its name."""
    before = set(table.items)
    yield
    for key in table.items.keys() - before:
        item = table.items[key]
        if item["kind"] == "FIND":
            del table.items[key]
        elif item["kind"] == "HEAD":
            body = table.items[Key(key.pk, f"BODY#{item['body'][:32]}")]
            table.write([Put(item | {"fpk": f"T#main#E#{item['card']['entity']}"})])
            table.write([Put(body | {"fpk": f"T#main#R#{item['run']}"})])


@pytest.mark.parametrize("pauses", [1, MOST_PAUSES - 1, MOST_PAUSES, 120])
def test_a_run_stands_where_its_last_pause_stands(gateway: Gateway, pauses: int) -> None:
    old = [ended(gateway, number) for number in range(pauses)]
    assert follow(gateway.ports, SUPPORT, "thread-1").status == "ended"
    last = gateway.shown(REFUND, checkpoint="last")
    known = follow(gateway.ports, SUPPORT, "thread-1", with_pauses=True)
    assert (known.status, known.pause) == ("waiting", last.pause)
    assert known.pauses == tuple([*old, last.pause][-MOST_PAUSES:])
    assert known.more == (pauses + 1 > MOST_PAUSES)


def test_another_agents_pauses_are_not_in_a_runs_way(gateway: Gateway) -> None:
    first = gateway.shown(REFUND, checkpoint="first")
    for number in range(301):
        gateway.capture(SMALL, agent=BILLING, checkpoint=f"foreign-{number}")
    reads = counted(gateway)
    assert follow(gateway.ports, SUPPORT, "thread-1", with_pauses=True).pauses == (first.pause,)
    second = gateway.capture(REFUND, checkpoint="second").head
    assert supersede(gateway.ports, SUPPORT, "thread-1", second.pause) == [first.pause]
    assert reads["head"] < 20, "nobody else's heads are read"
    assert found(gateway, "thread-1", agent=SUPPORT.name) == [[second.pause, first.pause]]


def counted(gateway: Gateway) -> dict[str, int]:
    """Heads that are read from now on."""
    seen, real = {"head": 0}, gateway.table.get_many

    def get_many(keys: list[Key]) -> Any:
        seen["head"] += len(keys)
        return real(keys)

    gateway.table.get_many = get_many
    return seen


def test_what_asked_again_closes_every_earlier_pause(gateway: Gateway) -> None:
    earlier = [gateway.capture(REFUND, checkpoint=f"cp-{number}").head.pause for number in range(130)]
    newest = gateway.capture(REFUND, checkpoint="newest").head
    later = gateway.capture(REFUND, checkpoint="later").head
    assert supersede(gateway.ports, SUPPORT, "thread-1", newest.pause) == earlier[::-1]
    assert follow(gateway.ports, SUPPORT, "thread-1").pause == later.pause


@pytest.mark.parametrize("limit", [1, 7, 50, 100])
@pytest.mark.parametrize("wanted", ["order:1182", "thread-1"])
def test_every_pause_of_a_name_is_on_one_page_newest_first(gateway: Gateway, wanted: str, limit: int) -> None:
    agents = [SUPPORT, BILLING, SUPPORT]
    made = [gateway.capture(SMALL, agent=agents[n % 3], checkpoint=f"cp-{n}").head.pause for n in range(121)]
    pages = found(gateway, wanted, limit)
    assert [pause for page in pages for pause in page] == made[::-1]
    assert all(len(page) == limit for page in pages[:-1])
    assert len(pages) == -(-121 // limit)


def test_an_operator_finds_the_runs_of_an_agent_that_is_gone(gateway: Gateway) -> None:
    gone = Agent("old-agent", "placet-old-agent", "owner@example.com", "pick_up")
    theirs = gateway.capture(SMALL, agent=gone, entity="").head
    mine = gateway.capture(SMALL, entity="").head
    assert found(gateway, "thread-1") == [[mine.pause, theirs.pause]]
    assert found(gateway, "thread-1", agent="old-agent") == [[theirs.pause]]
    assert found(gateway, "thread-1", agent="nobody") == [[]]
    assert found(gateway, theirs.pause) == found(gateway, f"{theirs.pause}-1") == [[theirs.pause]]
    assert found(gateway, theirs.pause, agent=SUPPORT.name) == [[]]


@pytest.mark.parametrize("limit", [1, 2, 3, 50])
@pytest.mark.parametrize("of_a_call", [False, True])
def test_no_name_hides_the_pause_of_an_id(gateway: Gateway, limit: int, of_a_call: bool) -> None:
    mine = gateway.capture(SMALL, checkpoint="mine").head.pause
    wanted = f"{mine}-1" if of_a_call else mine
    bearing = [gateway.capture(SMALL, run=wanted, agent=BILLING, checkpoint=f"r-{n}").head.pause for n in range(2)]
    bearing += [gateway.capture(SMALL, entity=wanted, checkpoint=f"e-{n}").head.pause for n in range(2)]
    pages = found(gateway, wanted, limit)
    assert [pause for page in pages for pause in page] == [mine, *reversed(bearing)]
    assert max(map(len, pages)) <= limit
    assert found(gateway, wanted, limit, BILLING.name)[0][:2] == bearing[1::-1][:limit]


def test_an_attempt_that_did_not_come_to_its_end_stands_for_nothing(gateway: Gateway) -> None:
    write = gateway.table.write

    def fails(ops: Any) -> None:
        if ops[0].key.sk == "HEAD":
            raise Busy
        write(ops)

    gateway.table.write = fails
    for _ in range(3):
        with pytest.raises(Busy):
            gateway.capture(REFUND, entity="order:7")
    gateway.table.write = write
    with pytest.raises(NotFound):
        follow(gateway.ports, SUPPORT, "thread-1")
    head = gateway.capture(REFUND).head
    assert found(gateway, "thread-1") == found(gateway, "order:1182") == [[head.pause]]
    assert found(gateway, "order:7") == [[]], "the business thing of an attempt that was not stored"
    assert follow(gateway.ports, SUPPORT, "thread-1", with_pauses=True).pauses == (head.pause,)


def test_what_earlier_releases_wrote_comes_last(gateway: Gateway) -> None:
    with as_before(gateway.table):
        old = [gateway.shown(REFUND, checkpoint=f"old-{number}").pause for number in range(60)]
        theirs = gateway.capture(SMALL, agent=BILLING, entity="other:1").head.pause
    known = follow(gateway.ports, SUPPORT, "thread-1", with_pauses=True)
    assert (known.status, known.pause, known.pauses, known.more) == ("waiting", old[-1], tuple(old[10:]), True)
    new = [gateway.capture(REFUND, checkpoint=f"new-{number}").head for number in range(60)]
    for limit in (1, 7, 50, 100):
        everything = [pause for page in found(gateway, "thread-1", limit) for pause in page]
        assert everything == [*(head.pause for head in reversed(new)), theirs, *reversed(old)]
    everything = [pause for page in found(gateway, "order:1182", 7) for pause in page]
    assert everything == [*(head.pause for head in reversed(new)), *reversed(old)]
    assert follow(gateway.ports, SUPPORT, "thread-1").pause == new[-1].pause
    closed = supersede(gateway.ports, SUPPORT, "thread-1", new[-1].pause)
    assert set(closed) == {*old, *(head.pause for head in new[:-1])}


def test_a_pause_that_cannot_be_read_is_found_all_the_same(gateway: Gateway) -> None:
    first, second = (gateway.shown(REFUND, checkpoint=name) for name in ("cp-1", "cp-2"))
    gateway.table.items[gateway.keys.head(first.pause)]["captured_ms"] = "yesterday"
    assert [(one["pause"], one["state"]) for one in find(gateway.ports, "order:1182")] == [
        (second.pause, "open"), (first.pause, "damaged")
    ]  # fmt: skip
    assert follow(gateway.ports, SUPPORT, "thread-1").status == "stuck"


def test_a_withdrawn_pause_stays_where_it_is_found(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    cancel(gateway.ports, SUPPORT, head.pause, "the user left")
    assert found(gateway, "order:1182") == [[head.pause]]


BAD = ["x", "====", "Zm9v", "\u00e9", "a" * 10_000, cursor("inbox", Place(1, "a" * 26)), cursor("find", Place(1, "A" * 26)),
       cursor("find", Place(2**60, "a" * 26)), cursor("find", Place(1, "a" * 26)) + "=", "ZmluZC4xLg"]  # fmt: skip


@pytest.mark.parametrize("text", BAD)
def test_a_cursor_that_no_page_gave_is_refused(gateway: Gateway, text: str) -> None:
    gateway.shown(REFUND)
    with pytest.raises(Invalid) as refused:
        find(gateway.ports, "order:1182", after=text)
    assert refused.value.code == "cursor_invalid"


def test_a_cursor_says_the_place_that_it_was_made_of() -> None:
    place = Place(1_795_968_000_123, "abcdefghijklmnopqrstuvwx27")
    assert place_in(cursor("find", place), "find", "other") == ("find", place)


def test_planted_a_key_without_the_agent_is_noticed(gateway: Gateway) -> None:
    def shared(self: Keys, agent: str, run: str) -> str:
        return f"T#{self.tenant}#R#all#{run}"

    with mock.patch.object(Keys, "run", shared), pytest.raises(AssertionError, match="nobody else's"):
        test_another_agents_pauses_are_not_in_a_runs_way(gateway)
