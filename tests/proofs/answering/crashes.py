"""The process that answers a Bedrock agent dies, before and after every call of a port; the next one goes on."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from local.bedrock import Mode
from placet.model.errors import Busy
from placet.service.resume import resume
from tests.bedrock.crashing import Died, Moment
from tests.bedrock.desk import ONE
from tests.proofs.answering.cells import AGENTS, Cell, Wrong
from tests.proofs.answering.playing import Played, finish

# What the quick size dies in: the executor runs a call; an edit goes back, is proposed again and passes.
FEW = (
    Cell(Mode.RESULT, "accept", Wrong.NOTHING, None, "complies"),
    Cell(Mode.CONFIRM, "edit", Wrong.NOTHING, None, "complies"),
)


@dataclass(frozen=True)
class Crash:
    """Where one process died, and what came of it all the same."""

    where: str
    after: bool
    played: Played


def cells() -> Iterator[Cell]:
    """Every way of answering, in time and late."""
    for mode, decision, wrong, agent, checks in itertools.product(
        Mode, ("accept", "edit"), (Wrong.NOTHING, Wrong.LATE), AGENTS, (False, True)
    ):
        if mode is Mode.CONFIRM or not (checks or mode is Mode.AT_ONCE):
            yield Cell(mode, decision, wrong, None, agent, checks)


def crashes(cell: Cell) -> Iterator[Crash]:
    """One crash after the other, until the answer gets to its end."""
    for at in itertools.count(1):
        found = [crash for after in (False, True) if (crash := _crash(cell, at, after)) is not None]
        if not found:
            return
        yield from found


def _crash(cell: Cell, at: int, after: bool) -> Crash | None:
    """Die at the n-th call; None when the answer is over before it."""
    played = Played(cell)
    with cell.desk() as made:
        head = made.asks(ONE)
        if cell.wrong is Wrong.LATE:
            made.late()
        made.ends(head, 1, cell.decision)
        moment = Moment(at, after=after)
        died = False
        try:
            with contextlib.suppress(Busy):
                resume(moment.ports(made.ports), head.pause)
        except Died:
            died = True
        finish(made, played)
    return Crash(moment.calls[-1], after, played) if died else None
