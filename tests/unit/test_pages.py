"""Every list comes page by page: each entry on one page, in order, in few requests, and the answer says that there is more."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from placet.model.cursors import LanesRead, Place, cursor, lanes_cursor
from placet.model.errors import Invalid
from placet.model.states import Verdict
from placet.policy import Level
from placet.records.keys import Keys
from placet.records.lanes import before_place, lane_of
from placet.records.ops import Item
from placet.service import operate
from placet.service.inbox import inbox
from placet.service.resume import pick_up
from placet.service.stuck import list_stuck
from placet.service.went_on import resumed
from tests.gateway import DELETE, REFUND, SUPPORT, Gateway

ALL = 55
List = Callable[[Gateway, int, str], tuple[list[str], str]]


def waiting(gateway: Gateway, limit: int, after: str) -> tuple[list[str], str]:
    found = inbox(gateway.ports, gateway.maria, limit, after)
    return [row.pause for row in found.rows], found.next


def stuck(gateway: Gateway, limit: int, after: str) -> tuple[list[str], str]:
    found = operate.stuck(gateway.ports, limit, after)
    return [one.pause for one in found], found.next


def resumes(gateway: Gateway, limit: int, after: str) -> tuple[list[str], str]:
    found = pick_up(gateway.ports, SUPPORT, limit, after)
    return [one["pause"] for one in found], found.next


def waits(gateway: Gateway, number: int) -> str:
    """In turns in three queues: of one class, of another, of both."""
    calls = ((REFUND,), (DELETE,), (REFUND, DELETE))[number % 3]
    return gateway.shown(*calls, checkpoint=f"cp-{number}").pause


def listed(gateway: Gateway, number: int) -> str:
    pause = gateway.shown(REFUND, checkpoint=f"cp-{number}").pause
    list_stuck(gateway.ports, gateway.head(pause), "wait_failed")
    return pause


def decided(gateway: Gateway, number: int) -> str:
    head = gateway.shown(REFUND, checkpoint=f"cp-{number}")
    gateway.decide(head, 1, Verdict.REJECT)
    return head.pause


LISTS: dict[str, tuple[List, Callable[[Gateway, int], str]]] = {
    "inbox": (waiting, waits),
    "stuck": (stuck, listed),
    "resumes": (resumes, decided),
}


@pytest.fixture(params=LISTS)
def filled(request: pytest.FixtureRequest, gateway: Gateway) -> tuple[str, List, set[str]]:
    reads, makes = LISTS[request.param]
    return request.param, reads, {makes(gateway, number) for number in range(ALL)}


def pages(gateway: Gateway, reads: List, limit: int) -> list[list[str]]:
    found, after = [], ""
    for _ in range(ALL + 2):
        rows, after = reads(gateway, limit, after)
        found.append(rows)
        if not after:
            return found
    raise AssertionError("a list without an end")


@pytest.mark.parametrize("limit", [1, 25, ALL - 1, ALL, ALL + 1, 100])
def test_every_entry_is_on_one_page(gateway: Gateway, filled: tuple[str, List, set[str]], limit: int) -> None:
    _, reads, made = filled
    found = pages(gateway, reads, limit)
    seen = [pause for page in found for pause in page]
    assert (len(seen), set(seen)) == (ALL, made)
    assert [len(page) for page in found[:-1]] == [limit] * (len(found) - 1)
    assert found[-1], "the last page is no empty one"


def test_entries_of_one_moment_are_all_shown(gateway: Gateway, filled: tuple[str, List, set[str]]) -> None:
    _, reads, made = filled
    for item in gateway.table.items.values():
        if "wpk" in item:
            item["wsk"] = gateway.clock.at_ms
    seen = [pause for page in pages(gateway, reads, 7) for pause in page]
    assert (len(seen), set(seen)) == (ALL, made)


def test_an_index_with_an_order_of_its_own_within_a_moment_hides_nothing(
    gateway: Gateway, filled: tuple[str, List, set[str]]
) -> None:
    _, reads, made = filled
    moments = itertools.cycle([gateway.clock.at_ms] * 9 + [gateway.clock.at_ms - 1])
    for item in gateway.table.items.values():
        if "wpk" in item:
            item["wsk"] = next(moments)
    work = gateway.table.work

    def scrambled(pk: str, *, up_to: Any = None, limit: int = 50, after: Item | None = None) -> list[Item]:
        """As DynamoDB may: by moment, then by something that nobody knows; reading goes on behind the same place of that order."""
        every = sorted(work(pk, up_to=up_to, limit=10_000), key=by)
        return [one for one in every if after is None or by(one) > by(after)][:limit]

    def by(item: Item) -> tuple[int, str]:
        return item["wsk"], item["pk"][::-1]

    gateway.table.work = scrambled
    seen = [pause for page in pages(gateway, reads, 7) for pause in page]
    assert (len(seen), set(seen)) == (ALL, made)


def test_a_page_behind_an_entry_that_is_gone_goes_on_there(gateway: Gateway) -> None:
    for number in range(5):
        decided(gateway, number)
    first, after = resumes(gateway, 2, "")
    resumed(gateway.ports, SUPPORT, first[1])
    rest, _ = resumes(gateway, 10, after)
    assert len(rest) == 3
    assert not set(rest) & set(first)


@pytest.mark.parametrize("text", ["x", cursor("find", Place(1, "a" * 26)), cursor("inbox", Place(1, "a"))])
def test_a_cursor_of_no_page_is_refused(gateway: Gateway, filled: tuple[str, List, set[str]], text: str) -> None:
    _, reads, _ = filled
    with pytest.raises(Invalid) as refused:
        reads(gateway, 50, text)
    assert refused.value.code == "cursor_invalid"


def test_a_cursor_beyond_everything_is_the_end(gateway: Gateway, filled: tuple[str, List, set[str]]) -> None:
    kind, reads, _ = filled
    beyond = Place(10**13 if kind == "inbox" else 2**53, "a" * 26)
    after = (
        lanes_cursor(kind, LanesRead({lane_of(SUPPORT.name): beyond}, None))
        if kind == "inbox"
        else cursor(kind, beyond)
    )
    assert reads(gateway, 50, after) == ([], "")


def test_a_page_costs_the_same_at_every_place(gateway: Gateway) -> None:
    for number in range(300):
        waits(gateway, number)
    asked: list[int] = []
    work = gateway.table.work

    def counted(pk: str, **bounds: Any) -> list[Item]:
        found = work(pk, **bounds)
        asked.append(len(found))
        return found

    gateway.table.work = counted
    costs, after = [], ""
    while True:
        asked.clear()
        _, after = waiting(gateway, 25, after)
        costs.append((len(asked), sum(asked)))
        if not after:
            break
    assert len(costs) == 12
    assert max(requests for requests, _ in costs) <= costs[0][0] + 3, costs
    assert max(entries for _, entries in costs) <= 50 * 4, costs


def test_what_is_for_others_is_passed_page_by_page(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    """The queue of several classes may be full of what others decide: then a page ends early, and the next one goes on."""
    classes = gateway.policy.classes
    other = replace(next(iter(classes.values())), name="others", levels=(Level(("others",)),))
    gateway.policy = replace(gateway.policy, classes={**classes, "others": other})
    theirs = [gateway.shown(REFUND, DELETE, checkpoint=f"theirs-{number}").pause for number in range(60)]
    for pause in theirs:
        gateway.table.items[gateway.keys.head(pause)]["card"]["classes"] = ["others"]
    mine = gateway.shown(REFUND, DELETE, checkpoint="mine").pause
    monkeypatch.setattr("placet.service.inbox.MOST_ENTRIES", 20)
    assert pages(gateway, waiting, 25) == [[], [], [], [mine]]


def test_planted_reading_that_goes_on_behind_the_very_entry_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within a moment the index has an order of its own: what stands behind an entry there may stand before it here."""
    gateway = Gateway()

    def behind(keys: Keys, pk: str, lane: int, place: Place | None = None) -> Item:
        found = before_place(keys, pk, lane, place)
        return {**found, "wsk": found["wsk"] + (1 if place else 0)}

    monkeypatch.setattr("placet.service.queues.before_place", behind)
    filled = ("inbox", waiting, {waits(gateway, number) for number in range(ALL)})
    with pytest.raises(AssertionError):
        test_an_index_with_an_order_of_its_own_within_a_moment_hides_nothing(gateway, filled)
