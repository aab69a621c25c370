"""Bugs on purpose: a proof that does not see them proves nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from unittest import mock

from placet.records import writes
from placet.records.heads import Head, HeadCall
from placet.records.ops import ConditionFailed, Op, Put
from placet.service import dispatch, sweep
from placet.service.ports import Ports
from placet.service.sweep import Swept
from placet.service.went_on import resumed
from tests.proofs.world.agents import Process
from tests.proofs.world.world import WatchedTable


@contextmanager
def without_clause(*names: str) -> Iterator[None]:
    """A table that does not look at these clauses."""
    real = WatchedTable.write

    def write(table: WatchedTable, ops: list[Op]) -> None:
        real(table, [replace(op, clauses=tuple(one for one in op.clauses if one.name not in names)) for op in ops])

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

    def give_up(ports: Ports, swept: Swept, head: Head, call: HeadCall, now: int) -> None:
        swept.given_up += 1
        with suppress(ConditionFailed):
            ports.table.write(writes.free_again(ports.keys, head.pause, call))

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
