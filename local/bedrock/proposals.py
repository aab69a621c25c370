"""What an agent proposes: calls of its actions, up to five in one control."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from local.bedrock.agents import Action, Agent, Mode, Parameter

MOST = 5  # invocation inputs in one control
JSON_BODY = "application/json"


@dataclass(frozen=True)
class Proposal:
    """One call: an action and the text of every parameter, as the model wrote it."""

    action: Action
    values: tuple[str, ...]

    @property
    def label(self) -> str:
        """How the agent speaks of it."""
        return self.values[0] if self.values else self.action.tool

    @property
    def named(self) -> dict[str, str]:
        """Name → text."""
        return {one.name: value for one, value in zip(self.action.parameters, self.values, strict=True)}

    def parameters(self, in_body: bool) -> list[dict[str, str]]:
        """Name, type and value of the parameters in the request body, or of all others."""
        pairs = zip(self.action.parameters, self.values, strict=True)
        return [_entry(one, value) for one, value in pairs if one.in_body is in_body]

    def target(self) -> dict[str, Any]:
        """Action group, action and parameters: the part that an invocation input and a Lambda event have in common."""
        action = self.action
        common = {"actionGroup": action.group, "parameters": self.parameters(in_body=False)}
        if action.function:
            return {**common, "function": action.function}
        content = {JSON_BODY: {"properties": self.parameters(in_body=True)}}
        body = {"requestBody": {"content": content}} if content[JSON_BODY]["properties"] else {}
        return {**common, "apiPath": action.path, "httpMethod": action.method, **body}

    def invocation_input(self, agent: Agent, leaves_out: frozenset[str]) -> dict[str, Any]:
        """The member of `invocationInputs`."""
        action = self.action
        about = {"agentId": action.agent or agent.id, "actionInvocationType": action.mode.value}
        if action.collaborator:
            about["collaboratorName"] = action.collaborator
        shown = {name: value for name, value in {**self.target(), **about}.items() if name not in leaves_out}
        return {"functionInvocationInput" if action.function else "apiInvocationInput": shown}


def _entry(parameter: Parameter, value: str) -> dict[str, str]:
    return {"name": parameter.name, "type": parameter.type, "value": value}


@dataclass(frozen=True)
class Control:
    """What one turn proposes.

    Attributes:
        leaves_out: fields that the service marks as optional and that are missing here.
    """

    proposals: tuple[Proposal, ...]
    leaves_out: frozenset[str] = frozenset()

    @property
    def runs_at_once(self) -> bool:
        """Whether nobody is asked."""
        return all(one.action.mode is Mode.AT_ONCE for one in self.proposals)

    def payload(self, agent: Agent, invocation: str) -> dict[str, Any]:
        """The `returnControl` event."""
        inputs = [one.invocation_input(agent, self.leaves_out) for one in self.proposals]
        payload = {"invocationId": invocation, "invocationInputs": inputs}
        return {name: value for name, value in payload.items() if name not in self.leaves_out}
