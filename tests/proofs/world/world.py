"""The world: one table with its stream, one state machine, timers, and the functions that hang off them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from functions.escalate.handler import handler as escalate
from functions.notify.handler import handler as notify
from functions.resume.handler import handler as resume
from functions.sweep.handler import handler as sweep
from local.memory import MemoryTable
from local.ports import MemoryBodies, MemoryClock, MemoryIds, MemoryMail, MemoryTimers
from placet.model.errors import Busy, PlacetError
from placet.model.pauses import Agent
from placet.model.registry import Registry
from placet.records.heads import Head, as_written
from placet.records.keys import Keys
from placet.records.ops import Item, Op
from placet.service import members
from placet.service.dispatch import Edge, dispatch, edge_of
from placet.service.ports import Clock, Ports
from tests.proofs.world.agents import Process
from tests.proofs.world.cast import BILLING, GROUP, PEOPLE, POLICY, SUPPORT
from tests.proofs.world.handlers import ports_here, running
from tests.proofs.world.machine import Machine
from tests.proofs.world.touching import Crash, Hook, Touch, touched

T = TypeVar("T")
Change = tuple[Item | None, Item | None]


@dataclass
class Message:
    """Something that a service brings to a function: a stream record, a task, a timer's call, an asynchronous call."""

    kind: str
    facts: dict[str, Any]
    due_ms: int
    tries: int = 0


class WatchedTable(MemoryTable):
    """The table; `watch` sees the changes of each write at once, while nothing else has happened."""

    def __init__(self) -> None:
        super().__init__()
        self.watch: Callable[[list[Change]], None] = lambda changes: None

    def write(self, ops: list[Op]) -> None:
        """As always, and shown."""
        before = len(self.changes)
        super().write(ops)
        self.watch(self.changes[before:])


@dataclass
class Verbs:
    """Asynchronous calls of functions by the sweep."""

    post: Callable[[str, dict[str, Any]], None]

    def call(self, verb: str, payload: dict[str, Any]) -> None:
        """Accepted; it comes later."""
        self.post(verb, payload)


@dataclass
class Delivery:
    """Agents that are a Lambda: invoked and waited for."""

    world: World

    def deliver(self, agent: Agent, payload: dict[str, Any]) -> None:
        """Raises Busy when its process fails or dies."""
        try:
            self.world.processes[agent.name].answer(payload["resume"])
        except (Crash, PlacetError) as failed:
            if isinstance(failed, Crash) and not self.world.died(failed, agent.name):
                raise
            raise Busy from None


@dataclass
class World:
    """Everything outside the verbs. `hook` sees every touch; what fails is somebody else's choice.

    Attributes:
        clock_of: the clock of a function's instance, when they do not agree.
    """

    hook: Hook = field(default=lambda touch: touch.act())
    clock: MemoryClock = field(default_factory=MemoryClock)
    epoch: int = 1
    clock_of: Callable[[str], Clock] | None = None

    def __post_init__(self) -> None:
        self.keys = Keys("main")
        self.table, self.bodies, self.ids = WatchedTable(), MemoryBodies(), MemoryIds()
        self.timers, self.mail = MemoryTimers(), MemoryMail()
        self.messages: list[Message] = []
        self.machine = Machine(self.clock.now_ms, self.post)
        self.log: list[tuple[str, dict[str, Any]]] = []
        self.failures: list[tuple[str, str]] = []
        self.processes = {agent.name: self.process(agent) for agent in (SUPPORT, BILLING)}
        self.policy, self.registry = POLICY, Registry((SUPPORT, BILLING))
        for person in PEOPLE.values():
            members.add(self.ports("seed", hook=lambda touch: touch.act()), person, GROUP)
        self.table.changes.clear()
        self.table.watch = self.streamed

    def process(self, agent: Agent) -> Process:
        """A new process of an agent, without memory; its store and its ledger are the old one's."""
        old = getattr(self, "processes", {}).get(agent.name)
        new = Process(agent, self.ask, lambda touch: self.hook(touch))
        if old is not None:
            new.threads, new.ledger, new.attempts = old.threads, old.ledger, old.attempts
        return new

    def ports(self, function: str, clock: Clock | None = None, hook: Hook | None = None) -> Ports:
        """The ports of one invocation."""
        return touched(self.bare(function, clock), function, hook or (lambda touch: self.hook(touch)))

    def bare(self, function: str, clock: Clock | None = None) -> Ports:
        """The same with nothing between a function and what it asks."""
        return Ports(
            table=self.table,
            keys=self.keys,
            clock=clock or (self.clock_of(function) if self.clock_of else self.clock),
            policy=self.policy,
            registry=self.registry,
            epoch=self.epoch,
            bodies=self.bodies,
            waits=self.machine,
            timers=self.timers,
            mail=self.mail,
            agents=Delivery(self),
            ids=self.ids,
            verbs=Verbs(self.post),
            log=lambda name, facts: self.log.append((name, dict(facts))),
        )

    def ask(self, function: str, send: Callable[[Ports], T]) -> T:
        """A request through the API: a function that dies is an answer 5xx, and the caller lives on."""
        try:
            return send(self.ports(function))
        except Crash as crash:
            if not self.died(crash, function):
                raise
            raise Busy from None

    def died(self, crash: Crash, who: str) -> bool:
        """Whether it is this process that died of a touch of its own."""
        touch: Touch = crash.args[0]
        return touch.by == who

    # --- the stream, tasks, timers -------------------------------------------------------------------------------

    def post(self, kind: str, facts: dict[str, Any]) -> None:
        """A message that is due now."""
        self.messages.append(Message(kind, facts, self.clock.now_ms()))

    def streamed(self, changes: list[Change]) -> None:
        """What the stream's filters let through."""
        for old, new in changes:
            edge = edge_of(old, new)
            if edge is not None and new is not None:
                self.post("record", {"edge": edge, "pause": new["pk"].rpartition("#")[2]})

    def ring(self) -> list[str]:
        """Timers whose moment has come are messages now."""
        over = [pause for pause, at in sorted(self.timers.moments.items()) if at <= self.clock.now_ms()]
        for pause in over:
            del self.timers.moments[pause]
            self.post("timer", {"tenant": "main", "pause": pause})
        return over

    def perform(self, message: Message, clock: Clock | None = None) -> None:
        """Run the function that a message is for. Raises what the function raises, Crash too."""
        run = getattr(self, f"_{message.kind}")
        run(message.facts, functools.partial(self._invoke, clock=clock))

    def lost(self, message: Message) -> None:
        """A message whose function failed is not brought again: an execution goes to its catch branch."""
        self.failures.append((message.kind, message.facts.get("name", message.facts.get("pause", ""))))
        if message.kind in ("wait", "resume") and "name" in message.facts:
            self.machine.failed(message.facts["name"])

    def _invoke(self, function: str, handler: Callable[[Any, None], Any], event: Any, clock: Clock | None) -> None:
        with running(self.ports(function, clock)):
            handler(event, None)

    def _record(self, facts: dict[str, Any], invoke: Callable[..., None]) -> None:
        invoke("dispatch", lambda event, _: dispatch(ports_here(), Edge(event["edge"]), event["pause"]), facts)

    def _wait(self, facts: dict[str, Any], invoke: Callable[..., None]) -> None:
        event = self.machine.waits(facts["name"])
        if event is not None:
            invoke("notify", notify, event)

    def _resume(self, facts: dict[str, Any], invoke: Callable[..., None]) -> None:
        event = self.machine.resumes(facts["name"]) if "name" in facts else facts
        if event is not None:
            invoke("resume", resume, event)
            if "name" in facts:
                self.machine.done(facts["name"])

    def _list(self, facts: dict[str, Any], invoke: Callable[..., None]) -> None:
        invoke("resume", resume, facts)

    def _timer(self, facts: dict[str, Any], invoke: Callable[..., None]) -> None:
        invoke("escalate", escalate, facts)

    def _escalate(self, facts: dict[str, Any], invoke: Callable[..., None]) -> None:
        invoke("escalate", escalate, facts)

    def _notify(self, facts: dict[str, Any], invoke: Callable[..., None]) -> None:
        invoke("notify", notify, facts)

    def _sweep(self, facts: dict[str, Any], invoke: Callable[..., None]) -> None:
        invoke("sweep", lambda event, _: facts.update(sweep(event, None)), {})

    # --- looking ---------------------------------------------------------------------------------------------------

    def head(self, pause: str) -> Head:
        """The head as stored."""
        return as_written(self.table.items[self.keys.head(pause)])

    def heads(self) -> dict[str, Item]:
        """Every head, by pause."""
        return {key.pk.rpartition("#")[2]: item for key, item in self.table.items.items() if key.sk == "HEAD"}

    def listed(self) -> dict[str, str]:
        """Reason by pause, for everything on the stuck list."""
        stuck = self.keys.stuck()
        return {pause: item.get("stuck", "") for pause, item in self.heads().items() if item.get("wpk") == stuck}
