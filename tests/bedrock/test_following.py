"""Where a run stands while it is being answered: never over before it is."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from local.memory import MemoryTable
from placet.model.pauses import Agent
from placet.records.keys import Key
from placet.records.ops import Item
from placet.service.bedrock.turns import TURN_MS
from placet.service.ports import Turn
from placet.service.went_on import resumed
from tests.bedrock.desk import Desk, desk


class Between(MemoryTable):
    """A table on which others get on just before a head is read, once."""

    meanwhile: Callable[[], None] | None = None

    def get(self, key: Key) -> Item | None:
        """One item."""
        if key.sk == "HEAD" and self.meanwhile is not None and threading.current_thread() is threading.main_thread():
            meanwhile, self.meanwhile = self.meanwhile, None
            meanwhile()
        return super().get(key)


class Slow:
    """A runtime whose agent thinks about an answer until it may go on."""

    def __init__(self, made: Desk) -> None:
        self._real = made._runtime
        self.asked, self.may = threading.Event(), threading.Event()

    def definition(self, agent: Agent) -> str:
        return self._real.definition(agent)

    def turn(self, *given: Any) -> Turn:
        if "invocationId" in given[3]:
            self.asked.set()
            assert self.may.wait(10)
        return self._real.turn(*given)


@pytest.mark.parametrize(
    ("says", "status"), [("refund ORD-7 50000", "finished"), ("refund ORD-7 50000 then refund ORD-8 60000", "waiting")]
)
def test_a_run_whose_pause_ends_between_two_reads_stands_where_the_answer_led(says: str, status: str) -> None:
    table = Between()
    with desk(table=table) as made:
        slow = Slow(made)
        made._runtime = slow  # type: ignore[assignment]
        head = made.asks(says)
        made.ends(head, 1, "accept")
        answering = threading.Thread(target=made.resumes, args=(head.pause,))
        answering.start()
        assert slow.asked.wait(10)
        assert made.status().status == "resuming"

        def ends() -> None:
            slow.may.set()
            answering.join(10)

        table.meanwhile = ends
        found = made.status()
        assert table.meanwhile is None
        assert (found.status, found.pause != head.pause) == (status, True)
        assert bool(found.completion) == (status == "finished")


def test_a_run_whose_pause_ended_without_an_answer_is_resuming_and_then_inconclusive() -> None:
    """Its role reported that it had gone on, which no agent of Bedrock does: nobody will answer any more."""
    with desk() as made:
        head = made.asks()
        made.ends(head, 1, "reject")
        resumed(made.ports, made.agent, head.pause)
        found = made.status()
        assert (found.status, found.say) == ("resuming", "It was decided; the agent goes on.")
        made.clock.move(TURN_MS / 1000)
        assert made.status().status == "inconclusive"
        assert made.say("hello").status == "finished"
