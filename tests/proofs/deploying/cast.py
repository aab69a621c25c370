"""Who plays, and what is deployed: a policy, a registry, people and the epoch. A change makes another `Deployed` of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from placet.model.pauses import Agent, BedrockTarget, Reviewer
from placet.model.registry import Registry
from placet.policy import ActionClass, Always, Level, Policy, Threshold, Tool
from tests.proofs.world.cast import BILLING, HOUR, MINUTE, SUPPORT

DESK = Agent("queue-agent", "placet-queue-agent", "owner@example.com", "sqs", queue="decided.fifo")
REFUNDS = Agent(
    "refund-desk",
    "placet-refund-desk",
    "owner@example.com",
    "bedrock",
    bedrock=BedrockTarget("AGENT12345", "TSTALIASID", "", "an-executor", 600),
)
_SPANS: dict[str, Any] = {
    "deadline_s": 20 * MINUTE,
    "hard_maximum_s": 6 * HOUR,
    "freshness_s": 30 * MINUTE,
    "claim_s": 5 * MINUTE,
}
FINANCE, LEADS, OTHERS = "finance", "leads", "approvers"
ONE = ActionClass("one", (Level((FINANCE,)),), **_SPANS)
LADDER = ActionClass("ladder", (Level((FINANCE,)), Level((LEADS,), 30)), **_SPANS)
TWO = ActionClass("two", (Level((FINANCE,)),), **_SPANS, quorum=2)
OTHER = ActionClass("other", (Level((OTHERS,)),), **_SPANS)

POLICY = Policy.of(
    version="2026-11-02",
    classes=[ONE, LADDER, TWO, OTHER],
    tools=[
        Tool("refund", "one", rules=(Threshold("refund/over", "Over 100.", "amount", Decimal(100)),)),
        Tool("climb", "ladder", rules=(Always("climb/always", "Always looked at."),)),
        Tool("erase", "two", rules=(Always("erase/always", "Always looked at."),)),
        Tool("purge", "other", rules=(Always("purge/always", "Always looked at."),)),
        Tool("Refunds.issueRefund", "one", rules=(Always("issue/always", "Always looked at."),)),
    ],
    unknown_class="other",
)
PEOPLE: Mapping[str, tuple[str, ...]] = {
    "maria": (FINANCE,),
    "jonas": (FINANCE,),
    "lea": (LEADS,),
    "lena": (OTHERS,),
    "omar": (OTHERS,),
}


def person(sub: str, groups: tuple[str, ...]) -> Reviewer:
    """A reviewer with these memberships."""
    return Reviewer(sub, sub.title(), f"{sub}@example.com", frozenset(groups))


@dataclass(frozen=True)
class Deployed:
    """What stands in the settings and in the table of memberships.

    Attributes:
        queues: names of the FIFO queues that exist; executors: of the Lambdas.
    """

    policy: Policy = POLICY
    agents: tuple[Agent, ...] = (SUPPORT, BILLING, DESK, REFUNDS)
    people: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: PEOPLE)
    epoch: int = 1
    queues: frozenset[str] = frozenset({"decided.fifo"})
    executors: frozenset[str] = frozenset({"an-executor"})

    @property
    def registry(self) -> Registry:
        """The registry."""
        return Registry(self.agents)

    def agent(self, name: str, /, **changes: Any) -> Deployed:
        """One entry of the registry changed."""
        agents = tuple(replace(one, **changes) if one.name == name else one for one in self.agents)
        return replace(self, agents=agents)

    def without_agent(self, *names: str) -> Deployed:
        """Entries taken out of the registry."""
        return replace(self, agents=tuple(one for one in self.agents if one.name not in names))

    def action_class(self, name: str, /, **changes: Any) -> Deployed:
        """One class changed."""
        classes = {**self.policy.classes, name: replace(self.policy.classes[name], **changes)}
        return replace(self, policy=replace(self.policy, classes=classes))

    def every_class(self, **changes: Any) -> Deployed:
        """Each class changed in the same way."""
        classes = {name: replace(one, **changes) for name, one in self.policy.classes.items()}
        return replace(self, policy=replace(self.policy, classes=classes))

    def renamed(self, name: str, to: str) -> Deployed:
        """A class under another name; its tools follow."""
        found = self.policy.classes
        classes = {to if one == name else one: replace(c, name=to) if one == name else c for one, c in found.items()}
        return self._moved(classes, name, to)

    def without_class(self, name: str, instead: str) -> Deployed:
        """A class taken out; its tools belong to another one."""
        return self._moved({one: c for one, c in self.policy.classes.items() if one != name}, name, instead)

    def _moved(self, classes: dict[str, ActionClass], name: str, to: str) -> Deployed:
        tools = {
            one: replace(tool, action_class=to) if tool.action_class == name else tool
            for one, tool in self.policy.tools.items()
        }
        unknown = to if self.policy.unknown_class == name else self.policy.unknown_class
        return replace(self, policy=replace(self.policy, classes=classes, tools=tools, unknown_class=unknown))

    def tool(self, name: str, /, **changes: Any) -> Deployed:
        """One tool changed."""
        tools = {**self.policy.tools, name: replace(self.policy.tools[name], **changes)}
        return replace(self, policy=replace(self.policy, tools=tools))

    def without_tool(self, name: str) -> Deployed:
        """A tool that the policy does not name any more."""
        tools = {one: tool for one, tool in self.policy.tools.items() if one != name}
        return replace(self, policy=replace(self.policy, tools=tools))

    def empty(self, group: str) -> Deployed:
        """Everybody leaves a group."""
        return replace(self, people={sub: tuple(g for g in gs if g != group) for sub, gs in self.people.items()})
