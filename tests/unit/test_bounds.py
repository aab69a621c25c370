"""Open pauses of an agent and class are bounded: exactly between two counts, and room that was left is found."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import Any

import pytest

from local.memory import MemoryTable
from placet.http.problems import retry_after_s, status_of
from placet.model.errors import TooManyOpen
from placet.model.states import Verdict
from placet.service.bounds import COUNT_AGAIN_MS, admit
from placet.service.stuck import list_stuck
from tests.gateway import BILLING, DELETE, REFUND, SMALL, Gateway

MOST = 5


@dataclass
class Bounded(Gateway):
    """A gateway with little room."""

    @property
    def ports(self) -> Any:
        return replace(super().ports, most_open=MOST)


@pytest.fixture
def gateway() -> Bounded:
    return Bounded()


def fill(gateway: Gateway, many: int = MOST, name: str = "run", **more: Any) -> list[str]:
    return [gateway.shown(REFUND, run=f"{name}-{n}", checkpoint=f"{name}-{n}", **more).pause for n in range(many)]


def refused(gateway: Gateway, *calls: Any, **more: Any) -> TooManyOpen:
    before = dict(gateway.table.items)
    with pytest.raises(TooManyOpen) as caught:
        gateway.capture(*(calls or (REFUND,)), run="one-more", checkpoint="one-more", **more)
    stored = {key: item for key, item in gateway.table.items.items() if before.get(key) != item}
    assert {item["kind"] for item in stored.values()} <= {"COUNT"}, "nothing of it was stored"
    return caught.value


def test_one_more_than_may_be_is_asked_to_wait(gateway: Bounded) -> None:
    fill(gateway)
    error = refused(gateway)
    assert (error.code, status_of(error), error.members) == (
        "too_many_open", 429, {"agent": "support-agent", "limit": MOST},
    )  # fmt: skip
    assert retry_after_s(error) == COUNT_AGAIN_MS // 1000
    gateway.clock.move(4)
    assert retry_after_s(refused(gateway)) <= COUNT_AGAIN_MS // 1000 - 3


def test_another_agent_and_another_class_have_room(gateway: Bounded) -> None:
    fill(gateway)
    refused(gateway)
    assert gateway.capture(REFUND, agent=BILLING, run="b", checkpoint="b").head.open_calls == 1
    assert gateway.capture(DELETE, run="d", checkpoint="d").head.open_calls == 1


def test_what_passes_and_what_is_there_already_is_not_counted(gateway: Bounded) -> None:
    fill(gateway)
    refused(gateway)
    assert gateway.capture(SMALL, run="s", checkpoint="s").head.open_calls == 0
    assert gateway.capture(REFUND, run="run-0", checkpoint="run-0").replayed


def test_room_that_was_left_is_found_within_ten_seconds(gateway: Bounded) -> None:
    pauses = fill(gateway)
    refused(gateway)
    for pause in pauses[:2]:
        gateway.decide(gateway.head(pause), 1, Verdict.REJECT)
    refused(gateway)
    gateway.clock.move(COUNT_AGAIN_MS / 1000)
    fill(gateway, 2, "again")
    refused(gateway)


def test_a_pause_on_the_stuck_list_is_open_still(gateway: Bounded) -> None:
    for pause in fill(gateway):
        assert list_stuck(gateway.ports, gateway.head(pause), "wait_failed")
    gateway.clock.move(COUNT_AGAIN_MS / 1000)
    refused(gateway)


def test_many_that_were_closed_at_once_hold_nobody_up(gateway: Bounded) -> None:
    for number in range(4 * MOST):
        head = gateway.shown(REFUND, run=f"run-{number}", checkpoint=f"cp-{number}")
        gateway.decide(head, 1, Verdict.REJECT)
        gateway.clock.move(3)


def test_captures_at_once_never_pass_the_bound(gateway: Bounded) -> None:
    taken: list[bool] = []

    def one() -> None:
        try:
            admit(gateway.ports, "flooder", ["money-out"])
            taken.append(True)
        except TooManyOpen:
            taken.append(False)

    crowd = [threading.Thread(target=one) for _ in range(40)]
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join()
    counter = gateway.table.get(gateway.keys.open_count("flooder"))
    assert counter is not None
    assert counter["open_money-out"] <= MOST
    assert len(taken) == 40


def test_an_entry_of_another_shape_is_not_counted_and_stops_nothing(gateway: Bounded) -> None:
    pauses = fill(gateway)
    gateway.table.items[gateway.keys.head(pauses[0])]["card"] = "no card"
    assert gateway.capture(REFUND, run="one-more", checkpoint="one-more").head.open_calls == 1


def test_a_table_without_a_counter_begins_to_count() -> None:
    gateway = Bounded(table=MemoryTable())
    fill(gateway, 1)
    counter = gateway.table.get(gateway.keys.open_count("support-agent"))
    assert counter is not None
    assert (counter["open_money-out"], counter["kind"]) == (1, "COUNT")


def test_a_process_keeps_a_hundredth_to_itself_before_it_writes() -> None:
    """A single capture costs no write; what was kept is counted with the next one that is written."""
    gateway = Gateway()  # with room for a thousand

    def counted() -> list[int]:
        return [item["open_money-out"] for item in gateway.table.items.values() if item["kind"] == "COUNT"]

    fill(gateway, 9)
    assert counted() == []
    fill(gateway, 1, "tenth")
    assert counted() == [10]
    fill(gateway, 9, "more")
    assert counted() == [10]
