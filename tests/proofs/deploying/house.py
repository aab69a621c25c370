"""The world as it is deployed at a moment; whoever works in it goes by what is deployed now."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from local.ports import MemoryExecutors, MemoryMail
from placet.model.errors import Busy, PlacetError, Refused
from placet.model.pauses import Agent, call_id
from placet.model.states import PermitState, Verdict
from placet.records.heads import Head
from placet.records.ops import Delete
from placet.service import members, operate, review
from placet.service.bedrock.invoking import Invocation, invoke
from placet.service.decide import Decision, decide
from placet.service.inbox import inbox
from placet.service.ports import Clock, Note, Ports, Turn
from placet.service.resume import take
from tests.proofs.deploying.cast import DESK, REFUNDS, Deployed, person
from tests.proofs.world.agents import Thread
from tests.proofs.world.cast import GROUP, PEOPLE, SUPPORT, Proposed
from tests.proofs.world.touching import Crash, Hook, Touch
from tests.proofs.world.world import Message, World

T = TypeVar("T")
TRIES = 3
REFUND: Proposed = ("refund", {"amount": 500})


@dataclass
class Mail(MemoryMail):
    """Mail that can be away for a while."""

    away: bool = False

    def send(self, note: Note) -> bool:
        """Keep the note. Raises Busy."""
        if self.away:
            raise Busy
        return super().send(note)


@dataclass
class Runtime:
    """A Bedrock agent that asks for one refund and thanks for whatever it is answered; the process that asks it may die of it."""

    deadly: bool = False
    answered: list[str] = field(default_factory=list)

    def turn(self, agent: Agent, session: str, text: str, state: dict[str, Any], definition: str) -> Turn:
        """One turn."""
        if text.startswith("refund "):
            return Turn("", _control(text.removeprefix("refund ")))
        if self.deadly:
            raise Crash(Touch("resume", "runtime.turn", lambda: None))
        self.answered.append(session)
        return Turn("Thank you.")

    def definition(self, agent: Agent) -> str:
        """It has an alias."""
        return ""


def _control(order: str) -> dict[str, Any]:
    call = {
        "actionGroup": "Refunds",
        "actionInvocationType": "RESULT",
        "agentId": "AGENT12345",
        "function": "issueRefund",
        "parameters": [{"name": "orderId", "type": "string", "value": order}],
    }
    return {"invocationId": f"invocation-{order}", "invocationInputs": [{"functionInvocationInput": call}]}


class House(World):
    """A world with four kinds of agents.

    Attributes:
        held: messages that are under way while the deploy happens.
        queue: decisions in the FIFO queue, which its consumer takes later.
        fates: what people do with a pause when it is not to be accepted: `reject`, or `nothing`.
    """

    def __init__(self) -> None:
        self.runtime, self.executors = Runtime(), MemoryExecutors(keyed=True)
        super().__init__()
        self.mail = Mail()
        self.processes |= {agent.name: self.process(agent) for agent in (DESK, REFUNDS)}
        self.held: list[Message] = []
        self.queue: list[dict[str, Any]] = []
        self.fates: dict[str, str] = {}
        for sub in PEOPLE:
            self._remove(sub, GROUP)
        self.deployed = Deployed(people={})
        self.deploy(Deployed())
        self.table.changes.clear()

    # --- what is deployed ------------------------------------------------------------------------------------------------

    def deploy(self, what: Deployed) -> None:
        """From now on this holds; queues and functions that are not there any more are gone."""
        before, self.deployed = self.deployed, what
        self.policy, self.registry, self.epoch = what.policy, what.registry, what.epoch
        for agent in what.agents:
            if agent.name not in self.processes:
                self.processes[agent.name] = self.process(agent)
            self.processes[agent.name].agent = agent
        self.executors.fails = set() if "an-executor" in what.executors else {"Refunds.issueRefund"}
        for sub in {*before.people, *what.people}:
            had, has = set(before.people.get(sub, ())), set(what.people.get(sub, ()))
            for group in sorted(had - has):
                self._remove(sub, group)
            for group in sorted(has - had):
                members.add(self.ports("seed"), person(sub, (group,)), group)

    def _remove(self, sub: str, group: str) -> None:
        self.table.write([Delete(self.keys.member(sub, group)), Delete(self.keys.group_member(group, sub))])

    def ports(self, function: str, clock: Clock | None = None, hook: Hook | None = None) -> Ports:
        """The ports of one invocation. Nothing here fails by chance, so they are not behind the hook."""
        asked = {"agents": self, "runtime": self.runtime, "executors": self.executors, "verbs": _Verbs(self.post)}
        return replace(self.bare(function, clock), **asked)

    def deliver(self, agent: Agent, payload: dict[str, Any]) -> None:
        """The port `Agents`: a Lambda answers at once, a queue keeps the decisions for its consumer."""
        if agent.target == "sqs":
            if agent.queue not in self.deployed.queues:
                raise Refused("delivery_refused", f"There is no queue {agent.queue}.")
            self.queue.append(payload)
            return
        self.go_on(agent.name, payload["resume"])

    # --- people and processes ----------------------------------------------------------------------------------------------

    def capture(self, name: str, *calls: Proposed, agent: Agent = SUPPORT, keyed: bool = False) -> str:
        """A run of this name pauses and is handed in."""
        thread = Thread(name, f"cp-{name}", calls or (REFUND,), keyed)
        self.processes[agent.name].pause(thread)
        self.processes[agent.name].capture(thread)
        return thread.pause

    def shown(self, name: str, *calls: Proposed, agent: Agent = SUPPORT, keyed: bool = False) -> str:
        """A pause that stands in its queue, with everybody mailed."""
        pause = self.capture(name, *calls, agent=agent, keyed=keyed)
        self.drain()
        return pause

    def asked(self, name: str) -> str:
        """A caller's turn with the Bedrock agent leads to a pause, which is shown."""
        pause = invoke(self.ports("invoke_agent"), REFUNDS, Invocation(name, f"refund {name}")).pause
        self.drain()
        return pause

    def decides(self, sub: str, pause: str, number: int, verdict: Verdict = Verdict.ACCEPT, **more: Any) -> None:
        """A person decides what the page shows."""
        call = self.head(pause).call(number)
        assert call is not None
        ports = self.ports("decide")
        decision = Decision(verdict, call.rev, call.digest, **{"reason": "because", **more})
        decide(ports, members.reviewer(ports, sub), call_id(pause, number), decision)

    def reviewers(self) -> None:
        """Each opens what stands on his list and decides what he may."""
        ports = self.ports("review")
        for sub in sorted(self.deployed.people):
            who = members.reviewer(ports, sub)
            for row in inbox(ports, who).rows:
                fate = self.fates.get(row.pause, "accept")
                for call in review.detail(ports, who, row.pause).calls if fate != "nothing" else ():
                    if call.may_decide:
                        with contextlib.suppress(PlacetError):
                            self.decides(sub, row.pause, call.number, Verdict(fate))

    def workers(self) -> None:
        """Who is in the registry comes for its decisions; who is not would be turned away."""
        for agent in self.deployed.agents:
            if agent.target == "pick_up":
                for resume in take(self.ports("pick_up"), agent, limit=100):
                    self.go_on(agent.name, resume)
        queue, self.queue = self.queue, []
        for payload in queue:
            agent = self.registry.by_name(self.head(payload["pause"]).agent)
            if agent is not None:
                with contextlib.suppress(PlacetError):
                    self.processes[agent.name].take(payload["pause"])

    def go_on(self, name: str, resume: dict[str, Any]) -> None:
        """A process goes on with its run; one that does not know the run leaves it, as the SDK does."""
        if "checkpoint_id" in resume["native_ref"]:
            with contextlib.suppress(PlacetError):
                self.processes[name].answer(resume)

    def operator(self, pause: str) -> str:
        """Settle what is unknown by the other side's books, then set the pause going again; the code of a refusal."""
        ports = self.ports("operate")
        try:
            for call in self.head(pause).calls:
                if call.permit is PermitState.UNKNOWN:
                    at = call_id(pause, call.number)
                    state = PermitState.DONE if self.effects(at) else PermitState.FAILED
                    operate.reconcile(ports, "ops/olga", at, state, "the other side's books")
            operate.repair(ports, "ops/olga", pause)
        except PlacetError as error:
            return error.code
        return ""

    def effects(self, call: str) -> int:
        """How often a call happened outside."""
        keyed = {
            (one.call, one.key or one.worker) for p in self.processes.values() for one in p.ledger if one.call == call
        }
        return len(keyed) + sum(order["call"] == call for order in self.executors.effects)

    # --- time ----------------------------------------------------------------------------------------------------------------

    def drain(self) -> None:
        """Everything that is under way arrives; what fails comes again, or goes to the machine's catch branch."""
        self.ring()
        self.machine.time_out()
        while self.messages:
            message = self.messages.pop(0)
            try:
                self.perform(message)
            except (Crash, PlacetError):
                message.tries += 1
                if message.tries < TRIES:
                    self.messages.append(message)
                else:
                    self.lost(message)

    def forgotten(self) -> None:
        """What is under way never arrives."""
        self.messages.clear()

    def hold(self) -> None:
        """What is under way arrives after the deploy."""
        self.held += self.messages
        self.messages = []

    def sweep(self) -> None:
        """The sweep, and what it asks for."""
        self.perform(Message("sweep", {}, 0))
        self.drain()

    def all_heads(self) -> Iterator[Head]:
        """Every pause."""
        return (self.head(pause) for pause in sorted(self.heads()))


@dataclass
class _Verbs:
    """Functions that are called by the sweep, or by a turn whose calls all pass."""

    post: Callable[[str, dict[str, Any]], None]

    def call(self, verb: str, payload: dict[str, Any]) -> None:
        """It comes later."""
        self.post(verb, payload)

    def ask(self, verb: str, payload: dict[str, Any]) -> None:
        """It comes later as well: nobody here waits."""
        self.post(verb, payload)
