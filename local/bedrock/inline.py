"""The definition of an inline agent, read from the request that carries it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from local.bedrock.agents import Action, Agent, Mode, Parameter
from local.bedrock.refusals import invalid
from local.bedrock.requests import INLINE_AGENT

IDLE_TTL_S = 600.0
SHORTEST_S, LONGEST_S = 60, 3600
ENABLED = "ENABLED"


def inline_agent(body: dict[str, Any]) -> Agent:
    """The agent. Raises Refusal for what the service model does not allow, and for schemas in S3 or in YAML."""
    if not body.get("foundationModel") or len(body.get("instruction") or "") < 40:
        raise invalid("an inline agent needs a foundationModel and an instruction of 40 characters or more")
    ttl = body.get("idleSessionTTLInSeconds", IDLE_TTL_S)
    if not SHORTEST_S <= ttl <= LONGEST_S:
        raise invalid(f"idleSessionTTLInSeconds is between {SHORTEST_S} and {LONGEST_S}")
    actions = tuple(action for group in body.get("actionGroups") or [] for action in _actions(group))
    return Agent(INLINE_AGENT, "", actions, body.get("agentName", ""), "DRAFT", float(ttl))


def _actions(group: dict[str, Any]) -> Iterator[Action]:
    name, executor = group.get("actionGroupName"), group.get("actionGroupExecutor") or {}
    if not name or len(executor) != 1:
        raise invalid("an action group has a name, and an executor that is either lambda or customControl")
    runs = str(executor.get("lambda", ""))
    for function in (group.get("functionSchema") or {}).get("functions", []):
        mode = Mode.of("customControl" in executor, function.get("requireConfirmation") == ENABLED)
        parameters = (
            _parameter(key, one["type"], one.get("required", False))
            for key, one in (function.get("parameters") or {}).items()
        )
        yield Action(name, mode, function["name"], parameters=_sent(parameters), runs=runs)
    for path, operations in _paths(group).items():
        for method, operation in operations.items():
            mode = Mode.of("customControl" in executor, operation.get("x-requireConfirmation") == ENABLED)
            yield Action(
                name, mode, method=method.upper(), path=path, parameters=_sent(_of_operation(operation)), runs=runs
            )


def _paths(group: dict[str, Any]) -> dict[str, Any]:
    schema = group.get("apiSchema")
    if not schema:
        return {}
    try:
        return dict(json.loads(schema["payload"])["paths"])
    except (KeyError, TypeError, ValueError):
        raise invalid("apiSchema is read here from a payload of JSON that has paths") from None


def _of_operation(operation: dict[str, Any]) -> Iterator[Parameter | None]:
    for one in operation.get("parameters", []):
        yield _parameter(one["name"], one["schema"]["type"], one.get("required", False))
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = content["schema"]
        for key, one in schema.get("properties", {}).items():
            yield _parameter(key, one["type"], key in schema.get("required", []), in_body=True)


def _parameter(name: str, kind: str, required: bool, in_body: bool = False) -> Parameter | None:
    """A parameter that a prompt gives; the scripted agents leave out what is not required."""
    return Parameter(name, kind, in_body=in_body) if required else None


def _sent(parameters: Iterator[Parameter | None]) -> tuple[Parameter, ...]:
    return tuple(one for one in parameters if one is not None)
