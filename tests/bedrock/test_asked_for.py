"""What a person has to ask for is not done before; and what the time of an attempt does not reach is not begun."""

from __future__ import annotations

from typing import Any

import pytest

from local.bedrock import Fault, Mode
from placet.model.errors import Busy
from placet.model.pauses import Agent
from placet.records.heads import Head
from placet.service.bedrock import answering
from placet.service.ports import Ports
from placet.service.stuck import list_stuck
from tests.bedrock.desk import desk


def test_a_third_answer_is_not_sent_by_who_read_the_pause_before_it_was_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two answers were lost; who lists the pause gives its lease back, while another, who read the head before, takes it."""
    with desk() as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        for _ in range(2):
            made.runtime.faults.arm(Fault.LOST, "any")
            with pytest.raises(Busy):
                made.resumes(head.pause)
        sent, read = len(made.runtime.log), []

        def listing(ports: Ports, found: Head, reason: str) -> bool:
            read.append(made.head(head.pause))
            return list_stuck(ports, found, reason)

        monkeypatch.setattr(answering, "list_stuck", listing)
        assert made.resumes(head.pause) == "listed"
        made.clock.move(1)
        assert answering.answer(made.ports, read[0], made.agent) == "leased"
        assert len(made.runtime.log) == sent


def test_after_its_time_an_attempt_begins_nothing_of_what_it_holds() -> None:
    with desk(Mode.CONFIRM) as made:
        head = made.asks("refund ORD-1 50000 ORD-2 60000 ORD-3 70000")
        for number in (1, 2, 3):
            made.ends(head, number, "accept")
        made.runtime.faults.arm(Fault.THROTTLED, "answer")
        began, starts, inner = made.clock.at_ms, [], made.executors

        class Slow:
            """An executor that takes its time."""

            def run(self, agent: Agent, order: dict[str, object]) -> Any:
                """As the real one, after a while."""
                starts.append(made.clock.at_ms - began)
                made.clock.move(190)
                return inner.run(agent, order)

        made.executors = Slow()
        with pytest.raises(Busy):
            made.resumes(head.pause)
        assert len(starts) == 2
        assert max(starts) <= answering.BUDGET_MS
        assert [call.permit for call in made.head(head.pause).calls] == ["done", "done", "free"]
        made.executors = inner
        assert made.resumes(head.pause) == "delivered"
        assert [call.permit for call in made.head(head.pause).calls] == ["done"] * 3
