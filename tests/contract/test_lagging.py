"""Indexes that are behind, and writes that meet: what is old is not acted on, what is missing comes later, too long is busy."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from local.memory import MemoryTable
from placet.model.errors import Busy, Conflict
from placet.model.pauses import call_id
from placet.model.states import Verdict
from placet.records.keys import Key
from placet.records.ops import Put
from placet.service.bedrock.following import follow
from placet.service.cancel import supersede
from placet.service.escalate import escalate
from placet.service.execute import claim
from placet.service.inbox import inbox
from placet.service.operate import repair, stuck
from placet.service.resume import pick_up, take
from placet.service.stuck import list_stuck
from placet.service.sweep import sweep
from placet.service.went_on import resumed
from tests.contract.lagging import ATTEMPTS, LaggingTable
from tests.gateway import REFUND, SUPPORT, Gateway

KEY = Key("T#main#P#a", "HEAD")


@pytest.fixture(params=[1, 4])
def gateway(request: pytest.FixtureRequest) -> Gateway:
    return Gateway(table=LaggingTable(lag=request.param))


def test_a_list_shows_what_was_so_many_writes_ago_and_catches_up() -> None:
    table = LaggingTable(lag=2)
    for number in range(3):
        table.write([Put({"pk": f"p{number}", "sk": "HEAD", "wpk": "list", "wsk": number, "fpk": "entity"})])
    assert [item["wsk"] for item in table.work("list")] == [0]
    assert [key.pk for key in table.find("entity", limit=9)] == ["p0"]
    table.settle()
    assert [item["wsk"] for item in table.work("list")] == [0, 1, 2]


def test_a_pause_that_is_not_in_the_index_yet_is_offered_later(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    assert pick_up(gateway.ports, SUPPORT) == []
    gateway.table.settle()
    assert [one["pause"] for one in pick_up(gateway.ports, SUPPORT)] == [head.pause]


def test_what_has_gone_on_meanwhile_is_offered_to_nobody(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.REJECT)
    gateway.table.settle()
    resumed(gateway.ports, SUPPORT, head.pause)
    assert gateway.table.work(gateway.keys.out("support-agent"))
    assert pick_up(gateway.ports, SUPPORT) == take(gateway.ports, SUPPORT) == []


def test_an_old_row_of_the_inbox_decides_nothing(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.table.settle()
    gateway.decide(head, 1, Verdict.ACCEPT, gateway.jonas)
    assert [row.pause for row in inbox(gateway.ports, gateway.maria).rows] == [head.pause]
    with pytest.raises(Conflict, match="accepted already"):
        gateway.decide(head, 1, Verdict.REJECT)


def test_the_sweep_does_nothing_about_what_got_on_by_itself(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.table.settle()
    gateway.clock.at_ms = head.deadline_ms + 120_000
    escalate(gateway.ports, head.pause)
    started = dict(gateway.waits.started)
    sweep(gateway.ports)
    assert (gateway.verbs.called, gateway.waits.started) == ([], started)


def test_a_repaired_pause_is_not_shown_as_stuck(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    list_stuck(gateway.ports, gateway.head(head.pause), "wait_failed")
    gateway.table.settle()
    assert [one.pause for one in stuck(gateway.ports)] == [head.pause]
    repair(gateway.ports, "olga", head.pause)
    assert stuck(gateway.ports) == []


def test_a_permit_is_never_read_from_an_index(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.table.settle()
    claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w1")
    with pytest.raises(Conflict, match="Another attempt"):
        claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w2")


def test_an_earlier_pause_is_superseded_although_every_index_is_behind() -> None:
    """A run's pauses are found in a partition of the table, which is read consistently."""
    gateway = Gateway(table=LaggingTable(lag=40))
    first, second = (gateway.capture(REFUND, run="r", checkpoint=name).head for name in ("cp-1", "cp-2"))
    assert follow(gateway.ports, SUPPORT, "r").pause == second.pause
    assert supersede(gateway.ports, SUPPORT, "r", second.pause) == [first.pause]


def test_of_two_writes_that_meet_the_second_is_tried_again() -> None:
    let_go = threading.Event()

    def sleep(seconds: float) -> None:  # the machine that runs this may be slower than the pauses between two attempts
        let_go.wait(5)
        time.sleep(0.1)

    table = LaggingTable(on_the_way=lambda: let_go.wait(5), sleep=sleep)
    with ThreadPoolExecutor() as pool:
        first = pool.submit(table.write, [Put({**KEY._asdict(), "by": "first"})])
        while not table._held:
            pass
        second = pool.submit(table.write, [Put({**KEY._asdict(), "by": "second"})])
        while not table.conflicts:
            pass
        let_go.set()
        first.result(5)
        second.result(5)
    assert table.get(KEY) == {**KEY._asdict(), "by": "second"}


def test_a_write_that_never_gets_through_is_busy_and_leaves_nothing() -> None:
    slept: list[float] = []
    table = LaggingTable(crowded=1.0, sleep=slept.append)
    with pytest.raises(Busy):
        table.write([Put({**KEY._asdict()})])
    assert (table.get(KEY), table.changes, len(slept)) == (None, [], ATTEMPTS)


def test_without_lag_and_neighbours_it_is_the_plain_table() -> None:
    plain, lagging = Gateway(table=MemoryTable()), Gateway(table=LaggingTable())
    for gateway in (plain, lagging):
        gateway.decide(gateway.shown(REFUND), 1, Verdict.ACCEPT)
    assert plain.table.items == lagging.table.items
