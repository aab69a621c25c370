"""An agent whose executed calls can be taken back, with its executor, in one process."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

from local.ports import MemoryExecutors
from placet.model.pauses import Reviewer, call_id
from placet.model.registry import Registry
from placet.model.states import PermitState, Verdict
from placet.policy import Always, Argument, Effect, Outcome, Tool, Undo
from placet.records.heads import Head
from placet.service.asking_undo import ask_undo_as_reviewer
from placet.service.execute import claim, outcome
from placet.service.ports import Ports
from placet.service.resume import resume
from placet.service.undo_calls import proposed
from placet.service.went_on import resumed
from tests.gateway import BILLING, REFUND, SUPPORT, Gateway

AGENT = replace(SUPPORT, executor="placet-desk-executor")
TAKEN_BACK = Undo("cancel_refund", {"refund_id": Outcome("id"), "order_id": Argument("order_id")})
CANCEL = Tool("cancel_refund", "money-out", (Always("money-out/cancel", "A refund that is cancelled is looked at."),))


def taken_back(policy: Any, undo: Undo = TAKEN_BACK, cancels: Tool = CANCEL) -> Any:
    """A policy under which refunds can be taken back."""
    refund = replace(policy.tools["issue_refund"], effect=Effect.HARD, undo=undo)
    return replace(policy, tools={**policy.tools, "issue_refund": refund, cancels.name: cancels})


@dataclass
class Desk(Gateway):
    """An agent whose refunds can be taken back, and its executor."""

    executors: MemoryExecutors = field(default_factory=MemoryExecutors)
    agent: Any = AGENT

    def __post_init__(self) -> None:
        super().__post_init__()
        self.tools(TAKEN_BACK, CANCEL)
        self.verbs.do = self.does

    def tools(self, undo: Undo, cancels: Tool) -> None:
        """What the policy says of both tools."""
        self.policy = taken_back(self.policy, undo, cancels)

    def does(self, verb: str, payload: dict[str, Any]) -> object:
        """What `resume` answers."""
        assert verb == "resume"
        return json.loads(json.dumps(proposed(self.ports, payload["by"], payload["undo"], payload["names"])))

    @property
    def ports(self) -> Ports:
        return replace(super().ports, registry=Registry((self.agent, BILLING)), executors=self.executors)

    def ran(self, told: str = '{"id": "rf-1"}', permit: PermitState = PermitState.DONE, **facts: Any) -> str:
        """A refund that was accepted and reported; the call's id."""
        head = self.shown(REFUND, **facts)
        self.decide(head, 1, Verdict.ACCEPT)
        at = call_id(head.pause, 1)
        claim(self.ports, self.agent, at, head.calls[0].digest, "w1")
        outcome(self.ports, self.agent, at, "w1", permit, told)
        resumed(self.ports, self.agent, head.pause)
        self.table.changes.clear()
        return at

    def asked(self, call: str, who: Reviewer | None = None) -> Head:
        """Its undo, before its people."""
        found = ask_undo_as_reviewer(self.ports, who or self.maria, call)
        return self.show(self.head(found.pause))

    def goes_on(self, pause: str) -> str:
        """What the machine does once it is decided."""
        self.deliver()
        return resume(self.ports, pause)
