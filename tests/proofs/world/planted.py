"""Bugs on purpose: a proof that does not see them proves nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from unittest import mock

from placet.model.errors import Busy
from placet.model.pauses import Reviewer, split_call_id
from placet.model.states import PermitState
from placet.records import writes
from placet.records.calls import HeadCall
from placet.records.heads import Head
from placet.records.keys import Keys
from placet.records.ops import Op, Put
from placet.records.writes.leaving import leave_queue
from placet.records.writes.places import Move
from placet.service import answers, dispatch, sweep, undo
from placet.service.loading import head_of
from placet.service.ports import Ports
from placet.service.sweep import Swept
from placet.service.went_on import resumed
from tests.proofs.world.agents import Process
from tests.proofs.world.world import WatchedTable

LATER = 2**62  # by this clock every time is over


@contextmanager
def without_clause(*names: str) -> Iterator[None]:
    """A table that does not look at these clauses."""
    real = WatchedTable.write

    def write(table: WatchedTable, ops: list[Op]) -> None:
        real(table, [replace(op, clauses=tuple(one for one in op.clauses if one.name not in names)) for op in ops])

    with mock.patch.object(WatchedTable, "write", write):
        yield


@contextmanager
def told_without(event: str, *names: str) -> Iterator[None]:
    """Writes that tell of this event do not look at these clauses."""
    real = WatchedTable.write

    def write(table: WatchedTable, ops: list[Op]) -> None:
        if any(isinstance(op, Put) and op.item.get("name") == event for op in ops):
            ops = [replace(op, clauses=tuple(one for one in op.clauses if one.name not in names)) for op in ops]
        real(table, ops)

    with mock.patch.object(WatchedTable, "write", write):
        yield


@contextmanager
def without_sweep() -> Iterator[None]:
    """Nobody redoes what was lost."""
    with mock.patch("tests.proofs.world.world.sweep", return_value={}):
        yield


@contextmanager
def without_edge(edge: dispatch.Edge) -> Iterator[None]:
    """The stream's consumer does nothing on this edge; the sweep hides that within a minute."""
    with mock.patch.dict(dispatch._EFFECTS, {edge: lambda ports, head: None}):
        yield


@contextmanager
def tokens_forgotten() -> Iterator[None]:
    """dispatch answers no token: the run goes on by the sweep, and its execution waits for weeks."""
    with mock.patch("tests.proofs.world.machine.Machine.answer", return_value=False):
        yield


@contextmanager
def unknown_runs_again() -> Iterator[None]:
    """The sweep frees every permit whose worker died, as if every tool took a key."""

    real = sweep._give_up

    def give_up(ports: Ports, swept: Swept, head: Head, call: HeadCall, now: int) -> None:
        real(ports, swept, head, replace(call, takes_key=True), now)

    with mock.patch.object(sweep, "_give_up", give_up):
        yield


@contextmanager
def told_before_done() -> Iterator[None]:
    """An agent that says that the run went on before it answered it."""
    real = Process.answer

    def answer(process: Process, resume: dict) -> None:
        process._request("resumed", lambda ports: resumed(ports, process.agent, resume["pause"]))
        real(process, resume)

    with mock.patch.object(Process, "answer", answer):
        yield


@contextmanager
def without_events() -> Iterator[None]:
    """Writes whose event is not part of their transaction, and is lost."""
    real = WatchedTable.write

    def write(table: WatchedTable, ops: list[Op]) -> None:
        real(table, [op for op in ops if not (isinstance(op, Put) and op.item["kind"] == "EVENT")])

    with mock.patch.object(WatchedTable, "write", write):
        yield


@contextmanager
def mends_without_looking() -> Iterator[None]:
    """dispatch puts whatever is decided back onto the list of runs to resume, whenever a record comes."""

    def mend(ports: Ports, head: Head) -> None:
        (op,) = writes.mend_closed(ports.keys, head, ports.clock.now_ms())
        ports.table.write([replace(op, clauses=())])

    with mock.patch.object(dispatch, "_mend_index", mend):
        yield


@contextmanager
def ran_while_it_was_held() -> Iterator[None]:
    """Nobody looks whether a decision may still be taken back: the wait is answered at once, leases and permits are given out."""
    shown = answers._call
    with (
        without_clause("window_over", "not_held"),
        mock.patch.object(Head, "is_held", return_value=False),
        mock.patch.object(answers, "_call", lambda *given: shown(*given[:-1], LATER)),
        mock.patch.dict(
            dispatch._EFFECTS,
            {dispatch.Edge.CLOSED: lambda ports, head: dispatch.answer_wait(ports, replace(head, held_ms=0))},
        ),
        mock.patch("placet.records.writes.deciding.leave_queue", _listed_at_once),
    ):
        yield


def _listed_at_once(keys: Keys, head: Head, closed: list[int], now_ms: int, undo_ms: int = 0) -> Move:
    """Where a decided pause stands that nobody holds."""
    move = leave_queue(keys, head, closed, now_ms)
    return replace(move, judged=tuple(one for one in move.judged if one.name != "window_as_seen"))


@contextmanager
def never_released() -> Iterator[None]:
    """The time to take a decision back never ends: no timer and no sweep says so, and the clock is not asked."""
    with (
        mock.patch("placet.service.escalate.end_hold", return_value="held"),
        mock.patch.object(Head, "is_held", lambda head, now_ms: bool(head.held_ms)),
    ):
        yield


@contextmanager
def taken_back_late() -> Iterator[None]:
    """A person takes back what is out already, two minutes later, and nothing in the write looks at that."""
    real = undo.undo

    def late(ports: Ports, reviewer: Reviewer, call: str, revision: int) -> undo.Undone:
        head = head_of(ports, split_call_id(call)[0])
        if not any(one.permit in (PermitState.CLAIMED, PermitState.DONE) for one in head.calls):
            raise Busy  # they come back
        return real(ports, reviewer, call, revision)

    names = ("window_open", "not_handed_out", "permits_as_seen", "same_work_list", "as_listed")
    with (
        without_clause(*names),
        mock.patch.object(undo, "_check_open"),
        mock.patch("tests.proofs.world.life.undo", late),
    ):
        yield


@contextmanager
def taken_back_by_no_clock() -> Iterator[None]:
    """A decision is taken back whenever somebody likes."""
    with without_clause("window_open"), mock.patch.object(undo, "is_open", return_value=True):
        yield


@contextmanager
def held_by_nobody() -> Iterator[None]:
    """Leases and permits are given out while a decision may be taken back."""
    with without_clause("window_over", "not_held"), mock.patch.object(Head, "is_held", return_value=False):
        yield
