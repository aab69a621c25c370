"""The turns of a Bedrock run: each is written down before it is sent, and ended by the one who began it."""

from __future__ import annotations

from dataclasses import replace

from placet.records import clauses as c
from placet.records.keys import Keys
from placet.records.ops import Op, Put
from placet.records.runs import Run, put_run


def begin_turn(keys: Keys, run: Run) -> tuple[Run, list[Op]]:
    """A turn goes out: of two that begin at once, one does.

    Args:
        run: what it becomes, with the number of the turn that was read; 0 when there was none.
    """
    begun = replace(run, turn=run.turn + 1)
    clause = c.same_turn(run.turn) if run.turn else c.first()
    return begun, [Put(put_run(keys, begun), (clause,))]


def end_turn(keys: Keys, run: Run) -> list[Op]:
    """What the turn came to; one that was given up meanwhile writes nothing over its successor."""
    return [Put(put_run(keys, run), (c.same_turn(run.turn),))]
