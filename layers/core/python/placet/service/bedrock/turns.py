"""The record of a run, turn by turn: written down before it is sent, ended by the one who began it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from placet.model.errors import Conflict
from placet.model.pauses import Agent
from placet.records import writes
from placet.records.ops import ConditionFailed
from placet.records.runs import Completion, Run, RunState, put_completion, read_completion, read_run
from placet.service.loading import fetched, store
from placet.service.ports import Ports, wired

TURN_MS = 620_000  # longer than any function that sends one may run
MARGIN_MS = 60_000  # a session is given up this long before Bedrock's own clock ends it


def run_of(ports: Ports, agent: Agent, run: str) -> Run | None:
    """The run as stored, None when there was no turn of it."""
    # Other frameworks' runs are asked for here too, and may be called anything; one with this sign has no turns.
    item = ports.table.get(ports.keys.session_run(agent.name, run)) if "#" not in run else None
    return read_run(item) if item is not None else None


def begin(ports: Ports, agent: Agent, run: Run, seen: RunState) -> Run:
    """Write down that a turn goes out now, after the one that `run` was read with, when that had come to `seen`.

    Raises Conflict `run_busy` when another one went out first, or that one came back meanwhile. A write of one's own whose answer
    was lost is repeated by the table and fails on itself: the mark that stands there then is one's own, and the turn has begun.
    """
    mark, until_ms = wired(ports.ids).secret(), ports.clock.now_ms() + TURN_MS
    begun = replace(run, turn=run.turn + 1, until_ms=until_ms, lost=True, mark=mark, why="", ttl_s=_ttl_s(agent, run))
    try:
        ports.table.write(writes.begin_turn(ports.keys, begun, seen))
    except ConditionFailed as failed:
        if failed.old is not None and failed.old.get("mark") == mark:
            return begun
        why = "Another turn of this run is out, or has just come back. Ask for the run, and try again."
        raise Conflict("run_busy", why) from None
    return begun


def end(ports: Ports, run: Run, completion: str | None = None, **changes: Any) -> bool:
    """Write down what the turn came to.

    Args:
        completion: what the agent said, when the turn ended the caller's wait.
        changes: of the record; its response is not lost unless they say so.

    Returns:
        False when the turn was given up meanwhile and another began: then nothing is changed.
    """
    now = ports.clock.now_ms()
    if completion is not None:
        store(ports, put_completion(ports.keys, run, run.turn, completion, now))
        changes["completed"] = run.turn
    try:
        ports.table.write(writes.end_turn(ports.keys, replace(run, **({"lost": False} | changes))))
    except ConditionFailed:
        ports.log("turn_overtaken", {"agent": run.agent, "turn": run.turn})
        return False
    return True


def completion_of(ports: Ports, run: Run) -> Completion | None:
    """What the agent said last, None while it said nothing. Raises Unreadable."""
    if not run.completed:
        return None
    item = ports.table.get(ports.keys.completion(run.agent, run.run, run.completed))
    return read_completion(item, fetched(ports, item)) if item is not None else None


def next_session(run: Run) -> Run:
    """The run in a new session of Bedrock; the one before is never used again."""
    opened = run.opened + 1
    return replace(run, opened=opened, session=f"{run.run}-r{opened}", broken=False, ttl_s=0)


def _ttl_s(agent: Agent, run: Run) -> int:
    """How long the session of a run lives: as the registry said since it began, the shortest, for to give one up early is safe."""
    today = agent.bedrock.session_ttl_s if agent.bedrock else 0
    return min(run.ttl_s, today) if run.ttl_s else today


def is_live(ports: Ports, agent: Agent, run: Run, session: str) -> bool:
    """Whether a session still waits, by our own clock: asking Bedrock would begin an empty one under the same name."""
    until_ms = run.last_ms + 1000 * _ttl_s(agent, run) - MARGIN_MS
    return run.session == session and not run.broken and ports.clock.now_ms() < until_ms
