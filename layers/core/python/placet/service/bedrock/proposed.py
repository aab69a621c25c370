"""Whether a pause is what its Bedrock agent proposed: the record of its run says so, and nothing in the pause does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from placet.model.canonical import digest
from placet.model.pauses import Agent
from placet.records.heads import Head
from placet.records.runs import read_control
from placet.service.bedrock.turns import run_of
from placet.service.loading import body_of, fetched
from placet.service.ports import Ports


def is_proposed(ports: Ports, agent: Agent, head: Head) -> bool:
    """Whether the record of the run holds the very control that a pause was captured from, session and invocation id included.

    Controls are written by whoever heard the runtime, before their pause exists. A pause without one was made in another way:
    its calls were proposed by nobody.
    """
    native = body_of(ports, head).native
    return any(_same(ports, agent, head.run, turn, native) for turn in _turns(ports, agent, head.run, native))


def _turns(ports: Ports, agent: Agent, run: str, native: dict[str, Any]) -> Iterable[int]:
    """The turn that ended with the control; records from before it was kept have to be sought, from the youngest turn on."""
    stored = run_of(ports, agent, run)
    if stored is None:
        return ()
    return (native["turn"],) if "turn" in native else range(stored.turn, 0, -1)


def _same(ports: Ports, agent: Agent, run: str, turn: int, native: dict[str, Any]) -> bool:
    item = ports.table.get(ports.keys.control(agent.name, run, turn))
    return item is not None and digest(read_control(item, fetched(ports, item))["native"]) == digest(native)
