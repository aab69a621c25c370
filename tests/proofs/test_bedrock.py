"""The Bedrock proof at its quick size, and bugs that it has to see."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import Any
from unittest import mock

import pytest

from local.bedrock import Fault, Faults, Mode
from local.ports import MemoryExecutors
from placet.aws import bedrock as runtime
from placet.model.errors import Busy
from placet.records.runs import Run
from placet.service.bedrock import answering, continuing, executing, looking
from placet.service.bedrock.turns import run_of
from placet.service.ports import Turn, TurnFailed
from tests.proofs import Size, bedrock
from tests.proofs.answering.cells import Cell, Wrong
from tests.proofs.answering.playing import play

LOST = Cell(Mode.RESULT, "accept", Wrong.LOST, Fault.LOST, "complies")
LOST_CONFIRM = Cell(Mode.CONFIRM, "accept", Wrong.LOST, Fault.LOST, "complies")
TWICE_CONFIRM = Cell(Mode.CONFIRM, "accept", Wrong.DUPLICATE, None, "complies")
TORN = Cell(Mode.RESULT, "reject", Wrong.TRUNCATED, Fault.TRUNCATED, "complies")
LATE_AGAIN = Cell(Mode.RESULT, "accept", Wrong.LATE, None, "stubborn")
BUSY = Cell(Mode.RESULT, "accept", Wrong.NOT_STARTED, None, "complies")
EDITED = Cell(Mode.CONFIRM, "edit", Wrong.NOTHING, None, "complies")


def test_the_proof_holds() -> None:
    proof = bedrock.prove(lambda line: None, Size(quick=True))
    assert proof.violations == []
    assert proof.figures["cases"] >= 84


def _as_nothing_done() -> AbstractContextManager[object]:
    """Whatever breaks is taken for a request that never arrived."""
    return mock.patch.object(runtime, "meaning", return_value=TurnFailed("unreachable_by_name", nothing_done=True))


def _without_a_permit() -> AbstractContextManager[object]:
    """The executor runs what it is asked for, and no permit is spent."""

    def execute(ports: Any, agent: Any, pause: str, number: int, fence: int) -> None:
        ports.executors.run(agent, executing._order(ports, *_call(ports, pause, number)))

    return mock.patch.object(answering, "execute", execute)


def _call(ports: Any, pause: str, number: int) -> tuple[Any, Any]:
    head = executing.head_of(ports, pause)
    return head, head.call(number)


def _empty_is_done() -> AbstractContextManager[object]:
    """A stream that just ends is taken for an agent that has finished."""

    def read(events: Any, look: Any) -> Turn:
        try:
            return real(events, look)
        except TurnFailed:
            return Turn("")

    real = runtime.read
    return mock.patch.object(runtime, "read", read)


def _the_route_takes_bedrock() -> AbstractContextManager[object]:
    """A caller hands in a control."""
    stack = ExitStack()
    for name in ("placet.http.bodies.agents.check_origin", "placet.service.capture.check_origin"):
        stack.enter_context(mock.patch(name, return_value=None))
    return stack


def _and_it_is_answered() -> AbstractContextManager[object]:
    """And no record of its run is asked for."""
    stack = ExitStack()
    stack.enter_context(_the_route_takes_bedrock())
    stack.enter_context(mock.patch.object(answering, "is_proposed", return_value=True))
    made_up = lambda ports, agent, run: run_of(ports, agent, run) or Run(agent.name, run, run, broken=True)  # noqa: E731
    stack.enter_context(mock.patch.object(looking, "run_of", made_up))
    return stack


def _other_arguments() -> AbstractContextManager[object]:
    """The executor gets what nobody proposed or decided, under the permit of what somebody did."""
    real = executing._order
    order = lambda *given: {**real(*given), "arguments": real(*given)["arguments"] | {"amountCents": 1}}  # noqa: E731
    return mock.patch.object(executing, "_order", order)


def _throttled_is_failed() -> AbstractContextManager[object]:
    """What was not started for now counts as tried."""
    real = MemoryExecutors.run

    def run(self: Any, agent: Any, order: Any) -> tuple[bool, str]:
        try:
            return real(self, agent, order)
        except Busy:
            return False, "It was not run."

    return mock.patch.object(MemoryExecutors, "run", run)


PLANTED: dict[str, tuple[Cell, Callable[[], AbstractContextManager[object]], str]] = {
    "a lost response is nothing done": (LOST_CONFIRM, _as_nothing_done, "paid 2 times"),
    "a refused invocation id was never answered": (
        TWICE_CONFIRM,
        lambda: mock.patch.object(answering, "DOUBTFUL", frozenset()),
        "paid 2 times",
    ),
    "the executor needs no permit": (LOST, _without_a_permit, "paid 2 times"),
    "the ledger is forgotten": (
        LATE_AGAIN,
        lambda: mock.patch.object(continuing, "repeated", return_value={}),
        "paid 2 times",
    ),
    "an empty stream is the end": (TORN, _empty_is_done, "said nothing"),
    "an approval is not passed on": (
        EDITED,
        lambda: mock.patch.object(continuing, "approved_before", return_value={}),
        "asked again for what was approved",
    ),
    "the route takes Bedrock's pauses": (LOST, _the_route_takes_bedrock, "nobody proposed was taken: 201"),
    "what was handed in is answered": (LOST, _and_it_is_answered, "not proposed: the executor ran Refunds.issueRefund"),
    "the executor gets other arguments": (LOST, _other_arguments, "not proposed: the executor ran"),
    "a throttled executor has failed": (BUSY, _throttled_is_failed, "did not run, and nobody was told"),
    "the fault never fires": (LOST, lambda: mock.patch.object(Faults, "arm"), "the fault never happened"),
}


@pytest.mark.parametrize("bug", PLANTED)
def test_a_planted_bug_is_seen(bug: str) -> None:
    cell, planted, seen = PLANTED[bug]
    assert bedrock.violations_of(play(cell)) == []
    with planted():
        assert any(seen in violation for violation in bedrock.violations_of(play(cell)))
