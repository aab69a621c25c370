"""How records are read: whose a pause is, what stands on a list in which order, and what is told of what cannot be read."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from local.memory import MemoryTable
from placet.model.cursors import Place
from placet.model.errors import Damaged, Frozen, Lost, NotFound, Parked, Unreadable
from placet.model.states import Verdict
from placet.records.facts import NOTHING
from placet.service import loading, operate
from placet.service.dispatch import Edge, dispatch, edge_of
from placet.service.loading import PAGE, body_of, call_of, chunks, fact_of, head_of, in_order
from tests.gateway import REFUND, SUPPORT, Gateway


def item(gateway: Gateway, pause: str) -> dict[str, Any]:
    """The stored head itself."""
    return gateway.table.items[gateway.keys.head(pause)]  # type: ignore[no-any-return]


def test_another_agents_pause_is_as_absent_as_none_also_where_it_cannot_be_read(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    assert head_of(gateway.ports, head.pause) == head_of(gateway.ports, head.pause, SUPPORT.name) == head
    item(gateway, head.pause)["schema_version"] = 99
    with pytest.raises(Parked) as parked:
        head_of(gateway.ports, head.pause, SUPPORT.name)
    assert parked.value.pause == head.pause
    for pause, agent in ((head.pause, "another"), ("a" * 26, ""), ("../x", "")):
        with pytest.raises(NotFound):
            head_of(gateway.ports, pause, agent)


def test_a_call_that_its_pause_has_not_is_absent(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    assert call_of(head, 1) == head.calls[0]
    for number in (0, 2, -1):
        with pytest.raises(NotFound):
            call_of(head, number)


def test_a_body_that_is_gone_or_another_is_told_with_its_pause(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    key = gateway.keys.body(head.pause, head.body)
    kept = copy.deepcopy(gateway.table.items[key])
    assert [call.number for call in body_of(gateway.ports, head).calls] == [1]
    del gateway.table.items[key]
    with pytest.raises(Lost) as lost:
        body_of(gateway.ports, head)
    assert (lost.value.code, lost.value.pause) == ("body_lost", head.pause)
    gateway.table.items[key] = kept
    item(gateway, head.pause)["calls"]["2"] = copy.deepcopy(item(gateway, head.pause)["calls"]["1"])
    with pytest.raises(Damaged):
        body_of(gateway.ports, gateway.head(head.pause))


def test_while_an_operator_holds_everything_nothing_passes_and_afterwards_everything(gateway: Gateway) -> None:
    loading.not_frozen(gateway.ports)
    operate.freeze(gateway.ports, "ops/olga", "restore")
    with pytest.raises(Frozen):
        loading.not_frozen(gateway.ports)
    operate.thaw(gateway.ports, "ops/olga")
    loading.not_frozen(gateway.ports)


def test_what_an_event_tells_is_nothing_when_there_is_none_or_none_that_can_be_read(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    assert fact_of(gateway.ports, head.pause, "1#decided") == NOTHING
    gateway.decide(head, 1, Verdict.REJECT, reason="no")
    assert fact_of(gateway.ports, head.pause, "1#decided").reason == "no"
    gateway.table.items[gateway.keys.event(head.pause, "1#decided")]["schema_version"] = 99
    gateway.log.clear()
    assert fact_of(gateway.ports, head.pause, "1#decided") == NOTHING
    ((name, told),) = gateway.log
    assert (name, set(told), told["code"]) == ("unreadable", {"code", "what", "pause"}, "parked")


@pytest.mark.parametrize(("many", "sizes"), [(0, []), (1, [1]), (2, [1, 1]), (7, [1, 2, 4]), (8, [1, 2, 4, 1])])
def test_the_first_is_read_alone_and_then_twice_as_many_each_time(many: int, sizes: list[int]) -> None:
    assert [len(one) for one in chunks(iter(range(many)))] == sizes


def test_no_more_than_a_page_is_read_at_a_time() -> None:
    assert max(len(one) for one in chunks(iter(range(1_000)))) == PAGE
    assert [one for chunk in chunks(iter(range(1_000))) for one in chunk] == list(range(1_000))


def test_a_list_longer_than_a_page_is_read_to_its_end_once(gateway: Gateway) -> None:
    made = sorted(gateway.capture(REFUND, checkpoint=f"cp-{number}").head.pause for number in range(2 * PAGE))
    asked: list[Any] = []
    work = gateway.table.work

    def counting(pk: str, **how: Any) -> Any:
        asked.append(how["after"])
        return work(pk, **how)

    gateway.table.work = counting  # type: ignore[method-assign]
    found = [one["pk"].rpartition("#")[2] for one in loading.entries_of(gateway.ports, gateway.keys.new())]
    assert sorted(found) == made
    assert len(asked) == 3
    assert asked[0] is None


class Unordered(MemoryTable):
    """A table that gives entries of one moment in an order of its own, as DynamoDB does."""

    def work(self, pk: str, **how: Any) -> Any:
        return sorted(super().work(pk, **how), key=lambda one: (one["wsk"], one["pk"][::-1]))


def test_entries_of_one_moment_are_put_in_order_and_gone_on_with_behind_a_place() -> None:
    gateway = Gateway(table=Unordered())
    made = []
    for number in range(8):
        pause = gateway.capture(REFUND, checkpoint=f"cp-{number}").head.pause
        item(gateway, pause)["wsk"] = 1_000 + number // 4
        made.append((1_000 + number // 4, pause))
    made.sort()

    def read(**how: Any) -> list[tuple[int, str]]:
        return [
            (one["wsk"], one["pk"].rpartition("#")[2]) for one in in_order(gateway.ports, gateway.keys.new(), **how)
        ]

    assert read() == made
    for at, place in enumerate(made):
        assert read(behind=Place(*place)) == made[at + 1 :]
    assert read(up_to=1_000) == made[:4]
    assert read(up_to=1_000, behind=Place(*made[1])) == made[2:4]
    assert read(up_to=999, behind=Place(*made[1])) == []
    assert read(up_to=1_000, behind=Place(1_000, "")) == made[:4]


def test_what_stands_on_a_list_by_an_old_entry_is_left_out_and_what_is_gone_is_told(gateway: Gateway) -> None:
    stays, moved, gone, broken = (gateway.capture(REFUND, checkpoint=f"cp-{n}").head.pause for n in range(4))
    entries = [copy.deepcopy(item(gateway, pause)) for pause in (stays, moved, gone, broken)]
    item(gateway, moved)["wpk"] = gateway.keys.stuck()
    del gateway.table.items[gateway.keys.head(gone)]
    item(gateway, broken)["schema_version"] = 99
    gateway.log.clear()
    found = list(loading.with_heads(gateway.ports, gateway.keys.new(), iter(entries)))
    assert [entry["pk"].rpartition("#")[2] for entry, _ in found] == [stays, broken]
    assert isinstance(found[1][1], Unreadable)
    assert gateway.log == [("gone", {"pause": gone}), ("parked", {"pause": broken})]


def head_image(**changes: Any) -> dict[str, Any]:
    return {"kind": "HEAD", "state": "open", "open_calls": 1, **changes}


@pytest.mark.parametrize(
    ("old", "new", "edge"),
    [
        (None, head_image(), Edge.CAPTURED),
        (None, {"kind": "HEAD", "open_calls": 1}, Edge.CAPTURED),
        (None, head_image(state="closed", open_calls=0), None),
        (head_image(), head_image(open_calls=0), Edge.CLOSED),
        (head_image(open_calls=2), head_image(), None),
        (head_image(open_calls=0), head_image(open_calls=0), None),
        (head_image(open_calls=0), head_image(), None),
        (head_image(), head_image(cancelled="over", open_calls=0), Edge.CANCELLED),
        (head_image(cancelled="over"), head_image(cancelled="over", open_calls=0), Edge.CLOSED),
        (head_image(), None, None),
        (None, {"kind": "BODY", "state": "open"}, None),
        ({"kind": "BODY", "open_calls": 1}, {"kind": "BODY", "open_calls": 0}, None),
        (None, {"kind": "TOKEN"}, None),
        (None, {"kind": "TOKEN", "answer_now": True}, Edge.WAIT_LATE),
        ({"kind": "TOKEN"}, {"kind": "TOKEN", "answer_now": True}, Edge.WAIT_LATE),
        ({"kind": "TOKEN", "answer_now": True}, {"kind": "TOKEN", "answer_now": True}, None),
    ],
)
def test_what_two_images_of_an_item_mean(old: Any, new: Any, edge: Edge | None) -> None:
    assert edge_of(old, new) is edge


def test_the_wait_of_a_pause_is_answered_once_all_its_calls_are_closed_and_not_before(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    answered: list[Any] = []
    gateway.waits.answer = lambda token, facts: answered.append((token, facts))  # type: ignore[method-assign]
    dispatch(gateway.ports, Edge.CLOSED, head.pause)
    assert answered == []
    gateway.decide(head, 1, Verdict.REJECT)
    dispatch(gateway.ports, Edge.WAIT_LATE, head.pause)
    assert answered == [(f"token of {head.pause}-1", {"pause": head.pause, "gen": 1})]
    dispatch(gateway.ports, Edge.CLOSED, "a" * 26)
    assert len(answered) == 1, "what was erased waits for nothing"
