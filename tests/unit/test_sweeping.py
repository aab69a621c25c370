"""What one sweep costs and what ends it: a group is asked for once, a queue takes its time only, an error costs one thing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import pytest

from local.memory import MemoryTable
from placet.model.errors import Busy
from placet.model.pauses import call_id
from placet.model.states import PermitState
from placet.records import writes
from placet.records.heads import Head
from placet.records.keys import SEVERAL
from placet.records.ops import Op, Put
from placet.service import sweep as sweeping
from placet.service import walks
from placet.service.asking import Groups
from placet.service.execute import claim, outcome
from placet.service.loading import entries_of, with_heads
from placet.service.lost_wait import lost_wait
from placet.service.notify import mail_again
from placet.service.ports import Ports
from placet.service.sweep import BUDGET_MS, Swept, sweep
from tests.gateway import DELETE, REFUND, SMALL, SUPPORT, Gateway

SECOND_MS = 1_000


class Telling(MemoryTable):
    """A table that counts its queries, takes time for each page of a work list, and does not take some writes."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: Counter[str] = Counter()
        self.page: Callable[[str], Any] = str
        self.refuses: Callable[[list[Op]], Exception | None] = lambda ops: None
        self.closed = ""

    def query(self, pk: str, prefix: str = "") -> Any:
        self.asked[pk] += 1
        if pk == self.closed:
            raise Busy
        return super().query(pk, prefix)

    def work(self, pk: str, **how: Any) -> Any:
        self.asked[pk] += 1
        self.page(pk)
        return super().work(pk, **how)

    def write(self, ops: list[Op]) -> None:
        if error := self.refuses(ops):
            raise error
        super().write(ops)


def marks(gateway: Gateway) -> set[str]:
    """The lists on which a sweep left a mark."""
    return {key.sk for key, item in gateway.table.items.items() if "swept_ms" in item}


# --- people -----------------------------------------------------------------------------------------------------------


def test_a_group_is_asked_for_once_in_a_sweep() -> None:
    gateway = Gateway(table=Telling())
    for number in range(12):
        head = gateway.shown(REFUND, checkpoint=f"c{number}", run=f"r{number}")
    gateway.clock.at_ms = head.deadline_ms + 120_000
    gateway.table.asked.clear()
    assert sweep(gateway.ports).expired == 12
    groups = {pk: asked for pk, asked in gateway.table.asked.items() if pk == gateway.keys.group("finance")}
    assert groups == {gateway.keys.group("finance"): 1}


def test_people_that_are_asked_for_at_each_pause_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug: each pause looks at its groups anew."""

    real = Groups.members
    monkeypatch.setattr(Groups, "members", lambda groups, *of: real(Groups(groups._ports), *of))
    with pytest.raises(AssertionError, match="25"):
        test_a_group_is_asked_for_once_in_a_sweep()


# --- time -------------------------------------------------------------------------------------------------------------


def _crowded() -> tuple[Gateway, str]:
    """A queue of several classes in which nothing is due for hours, of which each page takes eight seconds; its list."""
    gateway = Gateway(table=Telling())
    made = [gateway.shown(REFUND, DELETE, checkpoint=f"c{number}", run=f"r{number}") for number in range(300)]
    gateway.table.page = lambda pk: gateway.clock.move(8 if SEVERAL in pk else 0)
    return gateway, made[0].wpk


def test_a_queue_of_several_classes_takes_no_more_than_the_time_of_a_sweep_and_is_gone_on_with() -> None:
    gateway, several = _crowded()
    assert SEVERAL in several
    began, sweeps = gateway.clock.now_ms(), 0
    while sweep(gateway.ports).more:
        sweeps += 1
        assert gateway.clock.now_ms() - began < BUDGET_MS + 10 * SECOND_MS, "a page more, and the marks"
        assert several in marks(gateway)
        began = gateway.clock.now_ms()
    assert sweeps > 0
    assert marks(gateway) == set()


def test_entries_that_nobody_counts_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug: what is of no interest is passed over before the walk comes to it."""

    def found_on(ports: Ports, list_pk: str, *, up_to: Any, after: Any, of_interest: Any) -> Iterator[Any]:
        entries = (one for one in entries_of(ports, list_pk, up_to=up_to, after=after) if of_interest(one))
        return with_heads(ports, list_pk, entries)

    monkeypatch.setattr(walks, "found_on", found_on)
    with pytest.raises(AssertionError):
        test_a_queue_of_several_classes_takes_no_more_than_the_time_of_a_sweep_and_is_gone_on_with()


# --- errors -----------------------------------------------------------------------------------------------------------


def _is_mark(op: Op) -> bool:
    return isinstance(op, Put) and op.item.get("kind") == "LIST" and "swept_ms" in op.item


def _backlog() -> Gateway:
    """Captured pauses and due ones, and so little time that neither list is walked to its end."""
    gateway = Gateway(table=Telling())
    for number in range(60):
        gateway.capture(DELETE, checkpoint=f"c{number}", run=f"r{number}")
        gateway.shown(REFUND, checkpoint=f"d{number}", run=f"s{number}")
        gateway.shown(DELETE, checkpoint=f"e{number}", run=f"t{number}")
    gateway.clock.move(8 * 24 * 3_600)
    gateway.verbs.call = lambda verb, payload: gateway.clock.move(1)  # type: ignore[method-assign]
    return gateway


@pytest.mark.parametrize("error", [Busy(), KeyError("a fault of our own")], ids=["busy", "fault"])
def test_a_mark_that_cannot_be_written_costs_that_mark(error: Exception) -> None:
    gateway = _backlog()
    refused: list[list[Op]] = []

    def once(ops: list[Op]) -> Exception | None:
        if not refused and any(_is_mark(op) for op in ops):
            refused.append(ops)
            return error
        return None

    gateway.table.refuses = once
    swept = sweep(gateway.ports)
    assert (len(refused), swept.failed) == (1, 1)
    assert swept.more > 1
    assert len(marks(gateway)) == swept.more - 1
    assert ("swept", vars(swept)) in gateway.log


def test_one_mark_that_ends_the_sweep_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug: an error of a mark is an error of the sweep."""
    real = walks.failing

    def failing(ports: Ports, of: dict[str, str]) -> Any:
        return real(ports, of) if ports.clock.now_ms() < until else nullcontext([])

    gateway = _backlog()
    until = gateway.clock.now_ms() + BUDGET_MS
    monkeypatch.setattr(walks, "failing", failing)
    gateway.table.refuses = lambda ops: Busy() if any(_is_mark(op) for op in ops) else None
    with pytest.raises(Busy):
        sweep(gateway.ports)


def test_a_fault_of_our_own_at_one_list_ends_that_list(monkeypatch: pytest.MonkeyPatch) -> None:
    gateway = Gateway()
    gateway.capture(DELETE)
    gateway.table.changes.clear()
    gateway.clock.move(120)
    real = sweeping.bound

    def bound(ports: Ports, groups: Groups, work_list: Any, now: int) -> walks.Bound:
        if work_list.of == SEVERAL:
            raise KeyError("a fault of our own")
        return real(ports, groups, work_list, now)

    monkeypatch.setattr(sweeping, "bound", bound)
    swept = sweep(gateway.ports)
    assert swept.started == 1
    assert swept.failed == len({one["list"] for name, one in gateway.log if name == "sweep_failed"}) > 0


def test_lists_that_cannot_be_read_or_remembered_are_swept_as_far_as_they_are_todays() -> None:
    for closes in ("read", "written"):
        gateway = Gateway(table=Telling())
        gateway.capture(DELETE)
        gateway.table.changes.clear()
        gateway.clock.move(120)
        if closes == "read":
            gateway.table.closed = gateway.keys.lists()
        else:
            remembered = [key for key, item in gateway.table.items.items() if item.get("kind") == "LIST"]
            del gateway.table.items[remembered[0]]
            gateway.table.refuses = lambda ops: (
                Busy() if any(isinstance(op, Put) and op.item.get("kind") == "LIST" for op in ops) else None
            )
        swept = sweep(gateway.ports)
        assert (swept.started, swept.failed) == (1, 1), closes


# --- moments ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settled", [True, False], ids=["settled", "out"])
def test_a_timer_that_was_lost_with_its_wait_beside_a_claim_is_set_again(settled: bool) -> None:
    gateway = Gateway()
    head = gateway.shown(SMALL, REFUND)
    at = call_id(head.pause, 1)
    claim(gateway.ports, SUPPORT, at, head.calls[0].digest, "w1", renews=True)
    if settled:
        outcome(gateway.ports, SUPPORT, at, "w1", PermitState.DONE, "paid")
    gateway.timers.moments.clear()
    assert lost_wait(gateway.ports, head.pause, "wait_failed", head.gen) == "visible"
    gateway.clock.move(60)
    sweep(gateway.ports)
    for verb, facts in gateway.verbs.called:
        assert (verb, facts["mail_again"]) == ("notify", True)
        mail_again(gateway.ports, facts["pause"])
    assert gateway.timers.moments == {head.pause: head.deadline_ms}
    after = gateway.head(head.pause)
    assert after.wsk == (head.deadline_ms if settled else after.calls[0].over_ms)


def test_a_claim_that_is_taken_to_explain_the_moment_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug: while a claim is out the sweep is taken to have come for it, and only moves the entry on."""

    def told(ports: Ports, swept: Swept, head: Head) -> None:
        assert any(call.permit is PermitState.CLAIMED for call in head.calls)
        ports.table.write(writes.tell_at(ports.keys, head, head.deadline_ms))

    monkeypatch.setattr(sweeping, "_told", told)
    with pytest.raises(AssertionError, match=r"assert {} =="):
        test_a_timer_that_was_lost_with_its_wait_beside_a_claim_is_set_again(settled=False)
