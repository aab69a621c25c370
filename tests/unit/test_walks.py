"""The sweep's way through its lists: what one of them does to it delays no other, and no mark stops it."""

from __future__ import annotations

from typing import Any

import pytest

from placet.model.errors import Busy
from placet.records import writes
from placet.records.heads import Head
from placet.service import walks
from placet.service.sweep import sweep
from placet.service.work_lists import every_list
from tests.gateway import DELETE, REFUND, Gateway
from tests.unit.test_swept import Closed

HOUR_S = 3_600


def mark_of(gateway: Gateway, head: Head) -> Any:
    return gateway.table.items[gateway.keys.remembered(head.wpk)].get("swept_pause")


def test_a_mark_beyond_what_is_due_is_no_place_to_begin_at() -> None:
    """A sweep of a whole queue left it, that nobody read then; DynamoDB refuses to go on from there."""
    gateway = Gateway()
    gateway.person("ana", "Ana Lima", "finance")  # of a queue of fewer people all entries are looked at
    due = gateway.shown(REFUND)
    gateway.clock.move(2 * HOUR_S)
    later = gateway.shown(REFUND, checkpoint="cp-2", run="later")
    gateway.table.write(writes.remember_list(gateway.keys, later.wpk, (later.stands, later.pause)))
    gateway.clock.move(2 * HOUR_S + 120)
    swept = sweep(gateway.ports)
    assert (swept.failed, swept.expired) == (0, 1)
    assert gateway.verbs.called == [("escalate", {"tenant": "main", "pause": due.pause})]
    assert mark_of(gateway, later) is None


def test_a_sweep_that_goes_on_from_there_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug: every mark is one to begin at."""

    def begin(self: walks.Walk, ports: Any, bound: walks.Bound) -> Any:
        after = walks.after_entry(ports.keys, self.work_list.pk, self.place) if self.place else None
        return walks.found_on(ports, self.work_list.pk, up_to=bound.up_to, after=after)

    monkeypatch.setattr(walks.Walk, "begin", begin)
    with pytest.raises(AssertionError):
        test_a_mark_beyond_what_is_due_is_no_place_to_begin_at()


def test_a_group_that_cannot_be_read_ends_its_queue_and_not_the_sweep() -> None:
    table = Closed()
    gateway = Gateway(table=table)
    gateway.capture(DELETE)
    gateway.table.changes.clear()
    gateway.clock.move(120)
    table.closed = gateway.keys.group("finance")
    swept = sweep(gateway.ports)
    assert swept.started == 1
    assert swept.failed == len({one["list"] for name, one in gateway.log if name == "sweep_failed"}) > 0
    table.closed = ""
    assert sweep(gateway.ports).failed == 0


class Hangs:
    """Step Functions that answers nobody; each of its requests takes as long as the client lets it."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway

    def start(self, name: str, facts: dict[str, Any]) -> bool:
        self.gateway.clock.move(9)
        raise Busy


def minutes_until_expired(first: int) -> int:
    """How many sweeps it takes while forty pauses wait to be started; `first`: by how many lists the first one is turned."""
    gateway = Gateway()
    overdue = gateway.shown(REFUND)
    for number in range(40):
        gateway.capture(DELETE, checkpoint=f"c{number}", run=f"r{number}")
    gateway.table.changes.clear()
    gateway.waits = Hangs(gateway)
    gateway.clock.move(4 * HOUR_S + 120 + 60 * first)
    for minute in range(50):
        began = gateway.clock.now_ms()
        sweep(gateway.ports)
        if ("escalate", {"tenant": "main", "pause": overdue.pause}) in gateway.verbs.called:
            return minute
        gateway.clock.at_ms = began + 60_000
    return 50


def test_a_service_that_hangs_behind_one_list_takes_no_turn_of_another() -> None:
    every = len(every_list(Gateway().ports))
    assert {minutes_until_expired(first) for first in range(every)} == {0}


def test_turns_that_end_by_number_alone_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug: 25 entries of a list, however long each takes."""
    monkeypatch.setattr(walks, "TURN_MS", 10**9)
    assert max(minutes_until_expired(first) for first in range(len(every_list(Gateway().ports)))) > 0
