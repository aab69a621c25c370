"""The gateway in this process, with agents that decisions are pushed to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from placet.model.pauses import Agent
from placet.model.registry import Registry
from placet.model.states import Verdict
from placet.records.heads import Head
from placet.service.ports import Ports
from tests.gateway import REFUND, SUPPORT, Gateway

QUEUED = Agent("queued-agent", "placet-queued-agent", "owner@example.com", "sqs", queue="decided.fifo")
HOOKED = Agent(
    "hooked-agent", "placet-hooked-agent", "owner@example.com", "webhook", url="https://agent.example/d", secret="s"
)


@dataclass
class House(Gateway):
    """A gateway whose registry can be changed."""

    registry: Registry = field(default_factory=lambda: Registry((SUPPORT, QUEUED, HOOKED)))

    @property
    def ports(self) -> Ports:
        return replace(super().ports, registry=self.registry)

    def accepted(self, agent: Agent = QUEUED) -> Head:
        """A decided pause of this agent."""
        head = self.shown(REFUND, agent=agent)
        self.decide(head, 1, Verdict.ACCEPT)
        return self.head(head.pause)
