"""The turns of a Bedrock run: each is written down before it is sent, and ended by the one who began it."""

from __future__ import annotations

from placet.records import clauses as c
from placet.records.keys import Keys
from placet.records.ops import Op, Put
from placet.records.runs import Run, RunState, put_run


def begin_turn(keys: Keys, run: Run, seen: RunState) -> list[Op]:
    """A turn goes out: of two that begin at once, one does. `run` has the number of the turn that begins; the first is 1.

    `seen`: what the turn before had come to when it was judged whether, and in which session, the next one may begin.
    """
    clauses = (c.same_turn(run.turn - 1), c.run_as_seen(seen.value)) if run.turn > 1 else (c.first(),)
    return [Put(put_run(keys, run), clauses)]


def end_turn(keys: Keys, run: Run) -> list[Op]:
    """What the turn came to; one that was given up meanwhile writes nothing over its successor."""
    return [Put(put_run(keys, run), (c.same_turn(run.turn),))]
