"""Whether a pause is what its Bedrock agent proposed: the record of its run says so, and nothing in the pause does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from placet.model.canonical import digest
from placet.model.pauses import Agent
from placet.records.heads import Head
from placet.records.runs import Run, read_control
from placet.service.bedrock.turns import run_of
from placet.service.loading import body_of, fetched
from placet.service.ports import Ports


def is_proposed(ports: Ports, agent: Agent, head: Head) -> bool:
    """Whether the record of the run holds the very control that a pause was captured from, session and invocation id included.

    Controls are written by whoever heard the runtime, before their pause exists. A pause without one was made in another way:
    its calls were proposed by nobody. The first records of runs had no controls yet: there the run that waits for this very pause
    says the same, for its id commits to session and invocation id. `chain` counts pauses that were heard: a run that was only made
    up for an answer, as those releases did, has none.
    """
    stored, native = run_of(ports, agent, head.run), body_of(ports, head).native
    if stored is None:
        return False
    if any(_same(ports, agent, head.run, turn, native) for turn in _turns(stored, native)):
        return True
    waits = stored.pause == head.pause and stored.chain > 0
    return waits and "turn" not in native and not _has_controls(ports, agent, stored)


def _turns(run: Run, native: dict[str, Any]) -> Iterable[int]:
    """The turn that ended with the control; records from before it was kept have to be sought, from the youngest turn on."""
    return (native["turn"],) if "turn" in native else range(run.turn, 0, -1)


def _has_controls(ports: Ports, agent: Agent, run: Run) -> bool:
    return any(ports.table.get(ports.keys.control(agent.name, run.run, turn)) for turn in range(1, run.turn + 1))


def _same(ports: Ports, agent: Agent, run: str, turn: int, native: dict[str, Any]) -> bool:
    item = ports.table.get(ports.keys.control(agent.name, run, turn))
    return item is not None and digest(read_control(item, fetched(ports, item))["native"]) == digest(native)
