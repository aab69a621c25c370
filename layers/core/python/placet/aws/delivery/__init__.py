"""Handing the decisions of a pause to its agent, by the kind of target that the registry names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from placet.aws.delivery.queues import Queues
from placet.aws.delivery.webhooks import Webhooks
from placet.aws.invoking import LambdaAgents
from placet.model.pauses import Agent
from placet.service.ports import Agents

WAYS: Mapping[str, Callable[[], Agents]] = {"lambda": LambdaAgents, "sqs": Queues, "webhook": Webhooks}


class Delivering:
    """The agents port: each kind of target has its way, built when the first of its agents is delivered to."""

    def __init__(self, ways: Mapping[str, Callable[[], Agents]] = WAYS) -> None:
        self._ways = ways
        self._built: dict[str, Agents] = {}

    def deliver(self, agent: Agent, payload: dict[str, Any]) -> None:
        """Hand over, and wait until it is taken. Raises Busy when it may be later, Refused `delivery_refused` when never."""
        if agent.target not in self._built:
            self._built[agent.target] = self._ways[agent.target]()
        self._built[agent.target].deliver(agent, payload)
