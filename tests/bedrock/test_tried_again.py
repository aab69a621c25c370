"""What was certainly not done is done again: an executor that was not started, a turn whose beginning was not heard of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from local.bedrock import Fault, Mode
from local.memory import MemoryTable
from placet.model.errors import Busy, Conflict
from placet.records.keys import Key
from placet.records.ops import Op
from placet.records.runs import RunState
from placet.service.bedrock.turns import run_of
from placet.service.resume import resume
from tests.bedrock.crashing import Died
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


def test_an_answer_that_was_throttled_was_not_sent() -> None:
    """However often: two answers that may have arrived call a person, and none of these has."""
    with desk() as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        for _ in range(5):
            made.runtime.faults.arm(Fault.THROTTLED, "answer")
            with pytest.raises(Busy, match="throttled"):
                made.resumes(head.pause)
            found = run_of(made.ports, made.agent, made.run)
            assert found is not None
            assert (found.state, found.posts, found.lost) == (RunState.WAITING, 0, False)
        assert made.resumes(head.pause) == "delivered"
        assert (made.session, made.status().status) == (made.run, "finished")


def test_of_answers_that_never_came_back_a_person_is_told_that_nobody_knows() -> None:
    """Also when the function ended while it waited: it may have arrived."""
    with desk() as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        for _ in range(2):
            with pytest.raises(Died):
                resume(replace(made.ports, runtime=Dies(made.ports.runtime)), head.pause)
            made.clock.move(700)
        assert made.resumes(head.pause) == "listed"
        assert made.head(head.pause).stuck == "resume_unknown"


class Dies:
    """A runtime whose caller is cut off while it waits for the answer."""

    def __init__(self, inner: Any) -> None:
        self.definition = inner.definition

    def turn(self, *given: Any) -> Any:
        """Never comes back."""
        raise Died


def test_what_was_wrong_with_the_turn_before_is_not_told_of_the_next() -> None:
    with desk() as made:
        assert made.say("untyped type").why
        made.runtime.faults.arm(Fault.THROTTLED, "text")
        with pytest.raises(Busy):
            made.say("hello")
        found = made.status()
        assert (found.status, found.why, found.code) == ("failed", "", "throttling")
        assert found.say == "The agent could not take the request."


class Earlier(MemoryTable):
    """A table on which a caller has read the record of a run at an earlier moment."""

    read: Any = None

    def get(self, key: Key) -> Any:
        """As it was read then, once."""
        found, self.read = (self.read, None) if key.sk == "RUN" and self.read else (super().get(key), self.read)
        return found


def test_a_text_that_comes_as_the_answer_ends_goes_into_the_living_session() -> None:
    """The run was read while the answer was out, its pause when that had come back."""
    table = Earlier()
    with desk(table=table) as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        real, while_out = made._runtime.turn, []

        def turn(*given: Any) -> Any:
            while_out.append(table.get(made.keys.session_run(made.agent.name, made.run)))
            return real(*given)

        made._runtime.turn = turn  # type: ignore[method-assign]
        assert made.resumes(head.pause) == "delivered"
        made._runtime.turn = real  # type: ignore[method-assign]
        (table.read,) = while_out
        assert table.read["state"] == "answering"
        with pytest.raises(Conflict, match="has just come back"):
            made.say("hello")
        assert made.status().status == "finished", "what the agent said is not written over"
        assert made.say("hello").status == "finished"
        assert made.session == made.run


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
