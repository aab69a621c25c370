"""What was certainly not done is done again: an executor that was not started, a turn whose beginning was not heard of."""

from __future__ import annotations

from typing import Any

import pytest

from placet.local.bedrock import Fault, Mode
from placet.local.memory import MemoryTable
from placet.model.errors import Busy, Conflict
from placet.records.ops import Op
from tests.bedrock.desk import desk


class AnswerLost(MemoryTable):
    """A table whose answer to the first write that begins a turn in some state is lost, so that the write is repeated."""

    def __init__(self, state: str) -> None:
        super().__init__()
        self.state = state

    def write(self, ops: list[Op]) -> None:
        """All or none; once twice."""
        super().write(ops)
        item: Any = getattr(ops[0], "item", {})
        if item.get("kind") == "RUN" and item.get("state") == self.state:
            self.state = ""
            super().write(ops)


@pytest.mark.parametrize("mode", [Mode.RESULT, Mode.CONFIRM_AND_RESULT])
@pytest.mark.parametrize("late", [False, True])
def test_a_throttled_executor_runs_the_call_at_the_next_attempt(mode: Mode, late: bool) -> None:
    with desk(mode) as made:
        head = made.asks()
        if late:
            made.late()
        made.ends(head, 1, "accept")
        made.executors.throttled = 2
        for _ in range(2):
            with pytest.raises(Busy):
                made.resumes(head.pause)
            assert made.permit(head.pause) == "free"
            assert made.paid() == []
        assert made.resumes(head.pause) == "delivered"
        assert made.paid() == [("ORD-7", 50000)]
        assert made.status().status == "finished"
        assert made.session == (f"{made.run}-r1" if late else made.run), "a session that lives is not given up for it"


def test_an_approval_that_got_old_behind_a_throttled_executor_is_asked_for_again() -> None:
    """Nothing was tried, so it is asked for as if nothing had been."""
    with desk() as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        made.executors.throttled = 1
        with pytest.raises(Busy):
            made.resumes(head.pause)
        made.clock.move(86_400)
        assert made.resumes(head.pause) == "waiting"
        assert made.head(head.pause).calls[0].state == "pending"


def test_an_earlier_attempt_that_may_have_acted_is_not_forgotten() -> None:
    """A keyed executor died, its permit was freed, the next attempt was throttled: too old now, it goes to a person."""
    with desk() as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        made.table.items[made.keys.head(head.pause)]["calls"]["1"]["permit"]["at_ms"] = made.clock.at_ms
        tried_ms = made.clock.at_ms
        made.clock.move(1)
        made.executors.throttled = 1
        with pytest.raises(Busy):
            made.resumes(head.pause)
        assert made.head(head.pause).calls[0].claimed_ms == tried_ms
        made.clock.move(86_400)
        made.resumes(head.pause)
        assert made.permit(head.pause) == "unknown"
        assert made.head(head.pause).stuck == "permit_unknown"


def test_what_bedrock_refused_waits_for_a_throttled_executor_and_runs_once() -> None:
    with desk(Mode.CONFIRM) as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        made.runtime.faults.arm(Fault.THROTTLED, "answer")
        made.executors.throttled = 2
        with pytest.raises(Busy):
            made.resumes(head.pause)
        assert made.permit(head.pause) == "free"
        assert made.resumes(head.pause) == "delivered"
        assert made.paid() == [("ORD-7", 50000)]
        assert made.acted == []


def test_a_run_that_ended_meanwhile_is_told_that_nothing_was_started() -> None:
    with desk() as made:
        head = made.asks()
        made.ends(head, 1, "accept")

        class Ends:
            """The run ends while Lambda turns the order away."""

            def run(self, agent: Any, order: Any) -> tuple[bool, str]:
                made.table.items[made.keys.head(head.pause)]["resume_state"] = "done"
                raise Busy("The executor cannot be started now.")

        made.executors = Ends()  # type: ignore[assignment]
        with pytest.raises(Busy):
            made.resumes(head.pause)
        assert made.permit(head.pause) == "failed"


def test_the_first_turn_is_sent_although_the_answer_to_its_beginning_was_lost() -> None:
    with desk(table=AnswerLost("running")) as made:
        found = made.say("hello", key="k1")
        assert (found.status, found.completion != "") == ("finished", True)
        assert len(made.runtime.log) == 1


def test_a_living_session_is_answered_although_the_answer_to_the_beginning_was_lost() -> None:
    with desk(table=AnswerLost("answering")) as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        assert made.resumes(head.pause) == "delivered"
        assert made.session == made.run, "the session that asked was answered"
        assert made.paid() == [("ORD-7", 50000)]


def test_another_callers_turn_is_not_taken_for_ones_own() -> None:
    class Overtaken(MemoryTable):
        """A table on which another caller's first turn is quicker."""

        others: Any = None

        def write(self, ops: list[Op]) -> None:
            """The other's first."""
            if self.others is not None and getattr(ops[0], "item", {}).get("kind") == "RUN":
                others, self.others = self.others, None
                others()
            super().write(ops)

    table = Overtaken()
    with desk(table=table) as made:
        table.others = lambda: made.say("hello", key="theirs")
        with pytest.raises(Conflict, match="Another turn of this run is out"):
            made.say("hello", key="mine")
        assert len(made.runtime.log) == 1
