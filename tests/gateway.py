"""A gateway in one process for tests: the verbs on the ports of `local`, driven as the events would drive them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

import placet_policy
from local.memory import MemoryTable
from local.ports import (
    MemoryAgents,
    MemoryBodies,
    MemoryClock,
    MemoryIds,
    MemoryMail,
    MemoryTimers,
    MemoryVerbs,
    MemoryWaits,
)
from placet.frameworks import adapter_of
from placet.model.canonical import parse
from placet.model.pauses import Agent, BedrockTarget, Capture, Evidence, Reviewer, call_id
from placet.model.registry import Registry
from placet.model.states import Verdict
from placet.policy.rules import Policy
from placet.records.heads import Head, as_written
from placet.records.keys import Keys
from placet.service import members
from placet.service.capture import Captured, capture
from placet.service.decide import Decided, Decision, decide
from placet.service.dispatch import dispatch, edge_of
from placet.service.notify import notify
from placet.service.ports import Ports, Table

# Tests give its classes other groups, so nobody says here which there are.
UNSAID = replace(placet_policy.POLICY, groups=frozenset())
SUPPORT = Agent("support-agent", "placet-support-agent", "owner@example.com", "pick_up")
BILLING = Agent("billing-agent", "placet-billing-agent", "owner@example.com", "lambda", "placet-billing-agent")
# The same agent as an agent of Bedrock: for what is the same of both, without a runtime.
ON_BEDROCK = replace(
    SUPPORT, target="bedrock", bedrock=BedrockTarget("AGENT12345", "TSTALIASID", "", "an-executor", 600)
)
SCHEMA = {
    "type": "object",
    "properties": {"order_id": {"type": "string"}, "amount": {"type": "number"}},
    "required": ["order_id", "amount"],
    "additionalProperties": False,
}


def native(*calls: tuple[str, dict[str, Any]], checkpoint: str = "cp-1") -> dict[str, Any]:
    """A per-call pause of LangChain as the SDK hands it in."""
    interrupts = [
        {
            "id": f"{number:032x}",
            "value": {"type": "tool_approval", "tool_call_id": f"call_{number}", "name": tool, "args": arguments},
        }
        for number, (tool, arguments) in enumerate(calls, start=1)
    ]
    tools = {"issue_refund": {"schema": SCHEMA}}
    return {
        "mode": "per_call",
        "checkpoint_ns": "",
        "checkpoint_id": checkpoint,
        "interrupts": interrupts,
        "tools": tools,
    }


REFUND = ("issue_refund", {"order_id": "1182", "amount": 240.5})
ORDER = Evidence("Order", "get_order", True, "total 240.50")
DELETE = ("delete_records", {"table": "contacts", "where": "age > 90"})
SMALL = ("issue_refund", {"order_id": "1183", "amount": 12})


@dataclass
class Gateway:
    """Ports, people, and the events between the verbs."""

    table: Any = field(default_factory=MemoryTable)
    clock: MemoryClock = field(default_factory=MemoryClock)
    bodies: MemoryBodies = field(default_factory=MemoryBodies)
    waits: MemoryWaits = field(default_factory=MemoryWaits)
    timers: MemoryTimers = field(default_factory=MemoryTimers)
    mail: MemoryMail = field(default_factory=MemoryMail)
    agents: MemoryAgents = field(default_factory=MemoryAgents)
    verbs: MemoryVerbs = field(default_factory=MemoryVerbs)
    ids: MemoryIds = field(default_factory=MemoryIds)
    log: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    policy: Any = UNSAID

    def __post_init__(self) -> None:
        self.keys = Keys("main")
        self.maria = self.person("maria", "Maria Keller", "finance", "approvers")
        self.jonas = self.person("jonas", "Jonas Weber", "finance", "approvers")

    @property
    def ports(self) -> Ports:
        table: Table = self.table
        return Ports(
            table=table,
            keys=self.keys,
            clock=self.clock,
            policy=self.policy,
            registry=Registry((SUPPORT, BILLING)),
            bodies=self.bodies,
            waits=self.waits,
            timers=self.timers,
            mail=self.mail,
            agents=self.agents,
            ids=self.ids,
            verbs=self.verbs,
            log=lambda name, facts: self.log.append((name, dict(facts))),
        )

    def person(self, sub: str, name: str, *groups: str) -> Reviewer:
        """Seed a person."""
        for group in groups:
            members.add(self.ports, Reviewer(sub, name, f"{sub}@example.com"), group)
        return members.reviewer(self.ports, sub)

    def capture(self, *calls: tuple[str, dict[str, Any]], agent: Agent = SUPPORT, **facts: Any) -> Captured:
        """Capture a pause; its state is what capture left. A millisecond passes, as it does between two captures."""
        raw = parse(json.dumps(native(*calls, checkpoint=facts.pop("checkpoint", "cp-1"))))
        return self.hand_in(raw, agent=agent, **facts)

    def hand_in(self, raw: Any, *, agent: Agent = SUPPORT, **facts: Any) -> Captured:
        """Capture a native pause whose arguments are exact values."""
        self.clock.at_ms += 1
        made = Capture(
            agent=agent.name,
            framework="langchain",
            run=facts.pop("run", "thread-1"),
            native=adapter_of("langchain").read("thread-1", raw),
            native_text=json.dumps({"mode": "per_call"}),
            **{"entity": "order:1182", "requester": "elif@example.com", "evidence": (ORDER,), **facts},
        )
        return capture(self.ports, agent, made)

    def shown(self, *calls: tuple[str, dict[str, Any]], **facts: Any) -> Head:
        """Capture a pause and carry it into the reviewers' queue."""
        return self.show(self.capture(*calls, **facts).head)

    def show(self, found: Head) -> Head:
        """Carry a captured pause into the reviewers' queue."""
        self.deliver()
        name = f"{found.pause}-{found.gen}"
        assert name in self.waits.started
        notify(self.ports, found.pause, found.gen, f"token of {name}")
        self.deliver()
        return self.head(found.pause)

    def deliver(self) -> None:
        """Bring every waiting stream record to dispatch."""
        changes, self.table.changes[:] = list(self.table.changes), []
        for old, new in changes:
            edge = edge_of(old, new)
            if edge is not None and new is not None:
                dispatch(self.ports, edge, new["pk"].rpartition("#")[2], new)

    def head(self, pause: str) -> Head:
        """The head as stored."""
        item = self.table.get(self.keys.head(pause))
        assert item is not None
        return as_written(item)

    def decide(self, head: Head, number: int, verdict: Verdict, who: Reviewer | None = None, **more: Any) -> Decided:
        """Decide what the head shows."""
        call = head.call(number)
        assert call is not None
        decision = Decision(verdict, call.rev, call.digest, **{"reason": "because", **more})
        return decide(self.ports, who or self.maria, call_id(head.pause, number), decision)

    def with_policy(self, **changes: Any) -> None:
        """Change one class of the example policy, money-out."""
        changed = replace(self.policy.classes["money-out"], **changes)
        self.policy = replace(self.policy, classes={**self.policy.classes, "money-out": changed})


def with_class(policy: Policy, name: str) -> Policy:
    """A policy that knows one class more, as after a deploy."""
    return replace(policy, classes={**policy.classes, name: replace(next(iter(policy.classes.values())), name=name)})


def without_class(policy: Policy, name: str, instead: str = "") -> Policy:
    """The policy after a deploy that took a class away: its tools belong to another one, or to one that is new."""
    other = instead or next(one for one in policy.classes if one != name)
    classes = {other: replace(policy.classes[name], name=other), **policy.classes}
    classes = {one: found for one, found in classes.items() if one != name}
    tools = {one: replace(t, action_class=other) if t.action_class == name else t for one, t in policy.tools.items()}
    unknown = other if policy.unknown_class == name else policy.unknown_class
    return replace(policy, classes=classes, tools=tools, unknown_class=unknown)


def approved(gateway: Gateway, **facts: Any) -> tuple[Head, str]:
    """A pause whose one call Maria accepted, and the call's id."""
    head = gateway.shown(REFUND, **facts)
    gateway.decide(head, 1, Verdict.ACCEPT)
    return gateway.head(head.pause), call_id(head.pause, 1)
