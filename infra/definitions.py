"""Definitions of inline Bedrock agents: JSON beside the policy, read at synth for the rights that a real account asks for.

Whoever calls InvokeInlineAgent needs, on its own role, every right that the agent's service role would have had.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.registry import Agent, SettingsError

FOLDER = Path(__file__).resolve().parents[1] / "layers" / "policy" / "python" / "placet_agents"
OURS = {"sessionId", "inputText", "inlineSessionState", "endSession"}  # said anew with every turn
NEEDED = {"foundationModel", "instruction"}
# Named by a definition, and nothing that Placet could hand a right on: what they hold can stand in the file itself.
OUT_OF_REACH = {"s3": "a schema in S3: write it into the file, as `payload`", "customerEncryptionKeyArn": "a key"}


@dataclass(frozen=True)
class Reach:
    """What one inline agent stands on, collaborators included: models, knowledge bases and guardrails by id, Lambdas by ARN."""

    models: tuple[str, ...]
    knowledge_bases: tuple[str, ...]
    guardrails: tuple[str, ...]
    functions: tuple[str, ...]


def reach_of(agents: Iterable[Agent], folder: Path | None = None) -> Reach:
    """What the inline agents of the registry stand on. Raises SettingsError when a definition cannot be sent as it is."""
    pairs = [pair for agent in agents for pair in _leaves(definition_of(agent, folder))]
    return Reach(
        models=_named(pairs, "foundationModel"),
        knowledge_bases=_named(pairs, "knowledgeBaseId"),
        guardrails=_named(pairs, "guardrailIdentifier"),
        functions=_named(pairs, "lambda"),
    )


def definition_of(agent: Agent, folder: Path | None = None) -> dict[str, Any]:
    """The definition of one inline agent. Raises SettingsError when it cannot be sent as it is."""
    path, name = (
        (folder or FOLDER) / f"{agent.target['definition']}.json",
        f"definition {agent.target['definition']} of {agent.name}",
    )
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"agents: {name}: {path.parent.name}/{path.name} cannot be read: {error}") from None
    if not isinstance(found, dict) or not set(found) >= NEEDED:
        raise SettingsError(f"agents: {name} must be an object with {', '.join(sorted(NEEDED))}")
    if ours := sorted(OURS & set(found)):
        raise SettingsError(f"agents: {name} has {', '.join(ours)}, which Placet says with every turn")
    ttl = found.get("idleSessionTTLInSeconds", agent.target["session_ttl_s"])
    if ttl != agent.target["session_ttl_s"]:
        raise SettingsError(
            f"agents: {name} has idleSessionTTLInSeconds {ttl}, and session_ttl_s is {agent.target['session_ttl_s']}"
        )
    if far := [word for key, _ in _leaves(found) if (word := OUT_OF_REACH.get(key))]:
        raise SettingsError(f"agents: {name} names {far[0]}")
    return found


def _leaves(value: Any) -> Iterator[tuple[str, Any]]:
    """(key, value) of everything below."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key, inner
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)


def _named(pairs: Iterable[tuple[str, Any]], key: str) -> tuple[str, ...]:
    return tuple(sorted({value for name, value in pairs if name == key and isinstance(value, str)}))
