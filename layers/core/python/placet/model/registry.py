"""The agents that are deployed with the stack: how the settings write them, and by what each is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from placet.model.frameworks import UNSAID
from placet.model.pauses import Agent, BedrockTarget


@dataclass(frozen=True)
class Registry:
    """The agents that are deployed with the stack."""

    agents: tuple[Agent, ...]

    def by_role(self, role: str) -> Agent | None:
        """The agent whose processes run under this IAM role."""
        return next((agent for agent in self.agents if agent.role == role), None)

    def by_action_role(self, role: str) -> Agent | None:
        """The agent whose action-group Lambdas run under this IAM role: they may claim and report, nothing else."""
        return next((one for one in self.agents if one.bedrock is not None and one.bedrock.action_role == role), None)

    def by_name(self, name: str) -> Agent | None:
        """The agent of this name."""
        return next((agent for agent in self.agents if agent.name == name), None)


def agent_of(entry: Mapping[str, Any]) -> Agent:
    """An agent as the settings write it."""
    target = entry["target"]
    return Agent(
        name=entry["name"],
        role=entry["role"],
        owner=entry.get("owner", ""),
        target=target["kind"],
        function=target.get("function", ""),
        queue=target.get("queue", ""),
        url=target.get("url", ""),
        secret=target.get("secret", ""),
        bedrock=_bedrock_target(target) if target["kind"] in ("bedrock", "bedrock_inline") else None,
        keeps_runs_s=86_400 * entry.get("keeps_runs_days", 0),
        built_with=entry.get("framework", UNSAID),
        executor=entry.get("executor", ""),
    )


def _bedrock_target(target: Mapping[str, Any]) -> BedrockTarget:
    return BedrockTarget(
        agent_id=target.get("agent_id", ""),
        alias_id=target.get("alias_id", ""),
        definition=target.get("definition", ""),
        executor=target["executor"],
        session_ttl_s=target["session_ttl_s"],
        verified=target.get("verified", False),
        idempotent=target.get("idempotent", False),
        action_role=target.get("action_role", ""),
        region=target.get("region", ""),
    )
