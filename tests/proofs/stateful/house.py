"""The gateway in memory with people, agents and a policy that has every kind of class; and the events around it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

from placet.frameworks import adapter_of
from placet.model.canonical import parse
from placet.model.errors import Busy
from placet.model.pauses import Agent, Capture
from placet.policy import ActionClass, Always, Level, Policy, Threshold, Tool
from placet.records.ops import Delete, Item
from placet.service import operate
from placet.service.capture import Captured, capture
from placet.service.digests import send_digest
from placet.service.dispatch import dispatch, edge_of
from placet.service.escalate import escalate
from placet.service.lost_wait import lost_wait
from placet.service.notify import mail_again, notify
from placet.service.ports import Ports
from placet.service.resume import resume
from placet.service.sweep import sweep
from tests.gateway import SCHEMA, SUPPORT, Gateway
from tests.proofs.stateful.deployed import Deployed

HOUR, DAY = 3_600, 86_400
CLASSES = [
    ActionClass("money-out", (Level(("finance",)),), 2 * HOUR, DAY, 6 * HOUR, remind_after_s=(HOUR,)),
    ActionClass("payroll", (Level(("finance",)),), 2 * HOUR, DAY, 6 * HOUR, quorum=2),
    ActionClass(
        "general",
        (Level(("approvers",)), Level(("board",), HOUR)),
        4 * HOUR,
        DAY,
        12 * HOUR,
        may_edit=False,
        remind_after_s=(HOUR // 2, 2 * HOUR),
    ),
]
TOOLS = [
    Tool("get_order", "general", free=True),
    Tool(
        "issue_refund",
        "money-out",
        (Threshold("money-out/over-limit", "Over 100.", "amount", Decimal(100)),),
        fixed=frozenset({"order_id"}),
    ),
    Tool("pay_salary", "payroll", (Always("payroll/pay", "Two people look at it."),)),
    Tool("delete_records", "general", (Always("general/delete", "Always looked at."),)),
    Tool("drop_database", "general", denied=True),
]
POLICY = Policy.of("proof", CLASSES, TOOLS, "general")
UNDO_S = 120
HELD = replace(POLICY, classes={**POLICY.classes, "money-out": replace(POLICY.classes["money-out"], undo_s=UNDO_S)})
MENU: tuple[tuple[str, dict[str, Any]], ...] = (
    ("issue_refund", {"order_id": "1182", "amount": 240}),
    ("issue_refund", {"order_id": "1183", "amount": 12}),
    ("pay_salary", {"person": "p-7", "amount": 3000}),
    ("pay_salary", {"person": "p-8", "amount": 4000}),
    ("delete_records", {"table": "contacts"}),
    ("get_order", {"order_id": "1182"}),
    ("drop_database", {"name": "crm"}),
    ("mystery", {"x": 1}),
)
PEOPLE = {
    "maria": ("finance", "approvers"),
    "jonas": ("finance", "approvers"),
    "lena": ("finance",),
    "elif": ("finance", "approvers"),
    "owner": ("finance", "approvers"),
    "bela": ("board",),
    "olga": ("operators",),
}
_numbers = itertools.count(1)
RUN = "thread-1"  # one of each agent, so that any pause of theirs may take the place of another


class House:
    """Everything around the verbs: people, streams, executions, timers, functions that call functions."""

    def __init__(self, policy: Policy = POLICY) -> None:
        self.gateway, self.policy = Gateway(policy=policy), policy
        self.epoch = 1
        self.deployed = Deployed()
        self.support = SUPPORT
        self.people = {sub: self.gateway.person(sub, sub.title(), *groups) for sub, groups in PEOPLE.items()}
        self.seen_records: list[tuple[Item | None, Item | None]] = []
        self.pauses: list[str] = []
        self.failed: list[str] = []
        self.proposed: dict[str, list[tuple[str, dict[str, Any]]]] = {}

    @property
    def ports(self) -> Ports:
        """The ports under the present epoch, with what is deployed now."""
        return replace(self.gateway.ports, epoch=self.epoch, registry=self.deployed.agents)

    def deploy(self, change: str) -> None:
        """One change comes, or is taken back."""
        self.deployed = self.deployed.toggled(change)
        self.gateway.policy = self.deployed.policy(self.policy)

    def knows(self, agent: Agent) -> bool:
        """Whether the gateway lets this agent's processes in."""
        return self.deployed.agents.by_name(agent.name) is not None

    def groups_of(self, sub: str) -> set[str]:
        """The groups that a person is in."""
        table, keys = self.gateway.table.items, self.gateway.keys
        return {group for group in PEOPLE.get(sub, ()) if keys.member(sub, group) in table}

    def absence_of(self, sub: str) -> tuple[int, int, str]:
        """From when until when somebody said that they are away, and whom they named."""
        item = self.gateway.table.items.get(self.gateway.keys.absence(sub), {})
        return item.get("from_ms", 0), item.get("until_ms", 0), item.get("delegate", "")

    def delegate_of(self, sub: str) -> str | None:
        """Whom somebody who is away now has named, empty for nobody; None for who is here."""
        since, until, named = self.absence_of(sub)
        return named if since <= self.now_ms < until else None

    def quorum(self, action_class: str) -> int:
        """How many people it takes."""
        return 2 if action_class == "payroll" else 1

    def undo_ms(self, action_class: str) -> int:
        """For how long a decision may be taken back."""
        return 1000 * UNDO_S if self.policy is HELD and action_class in ("money-out", "cash") else 0

    @property
    def now_ms(self) -> int:
        """The one clock."""
        return self.gateway.clock.now_ms()

    def time_is(self, at_ms: int) -> None:
        """The clock goes on to a moment, if that is still to come."""
        self.gateway.clock.at_ms = max(self.now_ms, at_ms)

    def heads(self) -> dict[str, Item]:
        """Every head by pause; items of the table are replaced, never changed, so this is a snapshot."""
        items = self.gateway.table.items
        return {pause: items[key] for pause in self.pauses if (key := self.gateway.keys.head(pause)) in items}

    def capture(
        self, agent: Agent, calls: list[tuple[str, dict[str, Any]]], requester: str, keyed: bool, checkpoint: str
    ) -> Captured:
        """Capture a pause of the agent's one run; the same checkpoint again is the same pause."""
        interrupts = [
            {
                "id": f"{n:032x}",
                "value": {"type": "tool_approval", "tool_call_id": f"c{n}", "name": tool, "args": given},
            }
            for n, (tool, given) in enumerate(calls, 1)
        ]
        tools = {tool: {"idempotency_key": keyed} for tool, _ in calls} | {
            "issue_refund": {"schema": SCHEMA, "idempotency_key": keyed}
        }
        native = {
            "mode": "per_call",
            "checkpoint_ns": "",
            "checkpoint_id": checkpoint,
            "interrupts": interrupts,
            "tools": tools,
        }
        read = adapter_of("langchain").read(RUN, parse(json.dumps(native)))
        made = Capture(agent.name, "langchain", RUN, read, "{}", requester=requester)
        captured = capture(self.ports, agent, made)
        if captured.head.pause not in self.pauses:
            self.pauses.append(captured.head.pause)
            self.proposed[captured.head.pause] = calls
        return captured

    def remove(self, sub: str, group: str) -> None:
        """Take somebody out of a group."""
        keys = self.gateway.keys
        self.gateway.table.write([Delete(keys.member(sub, group)), Delete(keys.group_member(group, sub))])

    def deliver(self, old: Item | None, new: Item | None) -> None:
        """One record of the stream."""
        edge = edge_of(old, new)
        if edge is not None and new is not None:
            dispatch(self.ports, edge, new["pk"].rpartition("#")[2], new)

    def take_records(self) -> list[tuple[Item | None, Item | None]]:
        """What the stream has; it is kept, because it may come again."""
        fresh = list(self.gateway.table.changes)
        self.gateway.table.changes.clear()
        self.seen_records = [*self.seen_records, *fresh][-60:]
        return fresh

    def executions(self) -> list[tuple[str, int]]:
        """Pause and generation of every execution that runs."""
        waits = self.gateway.waits
        return [(one["pause"], one["gen"]) for name, one in waits.started.items() if name not in waits.ended]

    def notify(self, pause: str, gen: int) -> None:
        """The machine hands over a token; a retry has a new one."""
        notify(self.ports, pause, gen, f"token-{next(_numbers)}")

    def wait_ends(self, pause: str, gen: int) -> None:
        """An execution fails; what nobody sees of is listed."""
        self.gateway.waits.ended.add(f"{pause}-{gen}")
        lost_wait(self.ports, pause, "wait_failed", gen)

    def functions(self) -> None:
        """What the sweep asked other functions for."""
        called, self.gateway.verbs.called = self.gateway.verbs.called, []
        for verb, payload in called:
            run: Callable[[], object] = {
                "escalate": lambda p=payload: escalate(self.ports, p["pause"]),
                "notify": lambda p=payload: (
                    send_digest(self.ports, p["digest"]) if "digest" in p else mail_again(self.ports, p["pause"])
                ),
                "resume": lambda p=payload: self.resume(p["pause"]),
            }[verb]
            run()

    def resume(self, pause: str) -> None:
        """The machine's or the sweep's call; an agent that cannot be reached leaves it to the next one."""
        try:
            resume(self.ports, pause)
        except Busy:
            self.failed.append(pause)

    def settle(self) -> None:
        """Days without any agent and without any person: streams, timers, sweeps go on, until nothing would change by itself."""
        operate.thaw(self.ports, "ops/olga")
        still = 0
        for _ in range(30):
            still = 0 if self._moves() else still + 1
            if still == 2:
                return
            for old, new in self.take_records():
                self.deliver(old, new)
            for pause, gen in self.executions():
                if not self.gateway.table.get(self.gateway.keys.token(pause, gen)):
                    self.notify(pause, gen)
            for pause, at_ms in list(self.gateway.timers.moments.items()):
                if at_ms <= self.now_ms:
                    escalate(self.ports, pause)
            sweep(self.ports)
            self.functions()
            self.gateway.clock.move(6 * HOUR)

    def _moves(self) -> bool:
        """Whether a pause stands on a list that somebody sees to, or on that of the stuck with a call that is open or out."""
        stuck = self.gateway.keys.stuck()
        listed = [item for item in self.gateway.table.items.values() if item["kind"] == "HEAD" and "wpk" in item]
        permits = [call.get("permit", {}).get("state") for item in listed for call in item["calls"].values()]
        return "claimed" in permits or any(item["wpk"] != stuck or item["open_calls"] for item in listed)
