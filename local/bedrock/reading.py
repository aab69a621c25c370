"""Scripted agents from a JSON file.

[{"id": "AGENT12345", "alias": "TSTALIASID", "name": "refund-desk", "idle_ttl_s": 1800, "complies": true,
  "action_groups": [
    {"name": "Refunds", "mode": "USER_CONFIRMATION", "lambda": "placet-refund-actions",
     "actions": [{"function": "issueRefund", "verb": "refund",
                  "parameters": [{"name": "orderId"}, {"name": "amountCents", "type": "integer"}]},
                 {"method": "POST", "path": "/orders/{orderId}/refund", "parameters": […, {…, "in_body": true}]}]}],
  "collaborators": [{"name": "mailer", "id": "MAILER1234", "action_groups": […]}]}]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from local.bedrock.agents import Action, Agent, Mode, Parameter


def agents_of(entries: list[dict[str, Any]]) -> tuple[Agent, ...]:
    """The agents. Raises KeyError, TypeError or ValueError for what the form above does not have."""
    return tuple(_agent(dict(one)) for one in entries)


def _agent(entry: dict[str, Any]) -> Agent:
    groups, collaborators = entry.pop("action_groups"), entry.pop("collaborators", [])
    agent = Agent(actions=tuple(_actions(groups)), **entry)
    for one in collaborators:
        agent = agent.with_collaborator(one["name"], one["id"], _actions(one["action_groups"]))
    return agent


def _actions(groups: list[dict[str, Any]]) -> Iterator[Action]:
    for group in groups:
        for entry in group["actions"]:
            own = {name: value for name, value in entry.items() if name != "parameters"}
            parameters = tuple(Parameter(**one) for one in entry.get("parameters", []))
            yield Action(group["name"], Mode(group["mode"]), parameters=parameters, runs=group.get("lambda", ""), **own)
