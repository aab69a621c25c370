"""What the registry says of a Bedrock agent when it asks, and whether it still says so when the answer is due.

Which agent, alias, region and definition are invoked is the registry's to say, never a stored record's: a record holds names and
a digest, to compare. A session of an agent that is not deployed like that any more is left, as one that is over is.
"""

from __future__ import annotations

import hashlib
from typing import Any

from placet.model.pauses import Agent
from placet.service.ports import Ports, wired

WHOM = ("agent_id", "alias_id", "region")


def as_deployed(ports: Ports, agent: Agent) -> dict[str, Any]:
    """What a control keeps of the agent that asked: its ids or, of an inline agent, its definition's name and SHA-256."""
    target = agent.bedrock
    if target is None:
        return {}
    found: dict[str, Any] = {name: getattr(target, name) for name in WHOM}
    if target.definition:
        text = wired(ports.runtime).definition(agent)
        found["definition"] = {"name": target.definition, "sha256": _sha256(text)}
    return found


def is_as_deployed(ports: Ports, agent: Agent, native: dict[str, Any]) -> bool:
    """Whether the agent that asked is the one that is deployed now. What the first records did not keep is not compared."""
    today = as_deployed(ports, agent)
    same = all(native[name] == today.get(name) for name in WHOM if name in native)
    return same and _digest(native) == _digest(today)


def _digest(native: dict[str, Any]) -> str:
    """Of an inline agent's definition, empty for one with an alias. Earlier releases kept the whole text."""
    definition = native.get("definition", "")
    if isinstance(definition, dict):
        return str(definition["sha256"])
    return _sha256(definition) if definition else ""


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
