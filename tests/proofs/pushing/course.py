"""Runs whose decisions are pushed, played until each has ended: the machine, the sweep, an operator, queue, webhook, consumers."""

from __future__ import annotations

import contextlib
import json
import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from placet.client import Gateway as Talking
from placet.model.errors import Busy
from placet.model.pauses import Agent
from placet.model.registry import Registry
from placet.model.states import PauseState, PermitState, Verdict
from placet.service import operate
from placet.service.resume import resume
from placet.service.stuck import list_stuck
from placet.service.sweep import sweep
from tests.gateway import REFUND
from tests.proofs.pushing.consumers import Consumers
from tests.proofs.pushing.house import QUEUED, House
from tests.proofs.pushing.plans import ANSWERS, GOOD, PRIVATE, TURNING, Plans, Run, hooked, planned
from tests.proofs.pushing.served import Served
from tests.proofs.pushing.server import Answer, Hook, Request
from tests.proofs.pushing.ways import Names, TroubledSqs, Watched, delivering, made

ROUND_S, MOST_ROUNDS, RENEWAL = 90, 90, 12  # a queue that is made anew has forgotten what it saw, as after five minutes
TRIES = 3  # of the machine


@dataclass
class Course:
    """One play.

    Attributes:
        inbox: what consumers have got and not forgotten yet.
        deliveries: how many have arrived, of queue and webhook.
        messages: how many came of each delivery in each queue; a queue that was made anew is another one.
    """

    sqs: Any
    hook: Hook
    trusting: Any
    chance: random.Random
    plans: Plans = field(default_factory=Plans)
    names: Names = field(default_factory=Names)
    house: House = field(default_factory=House)
    inbox: list[Any] = field(default_factory=list)
    deliveries: int = 0
    messages: Counter[str] = field(default_factory=Counter)
    queues: int = 1
    rounds: int = 0

    def __post_init__(self) -> None:
        self.good = hooked(GOOD, self.hook.port)
        self.odd = [hooked(name, self.hook.port) for name in (*PRIVATE, TURNING)]
        self.house.registry = Registry((QUEUED, self.good, *self.odd))
        self.url = made(self.sqs)
        troubled = TroubledSqs(self.sqs, self.plans, self._last_look)
        inner = delivering(troubled, self.names, self.trusting)
        again = lambda pause: resume(self.house.ports, pause)  # noqa: E731 - bound to this play
        self.house.agents = Watched(self.plans, inner, self.house.clock.now_ms, again)  # type: ignore[assignment]
        agents = self.house.registry.agents
        talking = {one.name: Talking(transport=Served(self.house.ports, one)) for one in agents}
        self.consumers = Consumers(self.plans, talking)
        self.hook.plan = self._answered

    def play(self, runs: int, most_rounds: int = MOST_ROUNDS) -> None:
        """Capture and decide each run, have the machine deliver it, then rounds until every one has ended."""
        agents = [*self.odd, *(self.chance.choice([QUEUED, self.good]) for _ in range(runs - len(self.odd)))]
        for number, agent in enumerate(agents):
            self._delivered(self._decided(agent, number))
        while self.open() and self.rounds < most_rounds:
            self._round()
        self._delete()

    def open(self) -> list[str]:
        """Pauses whose run has not gone on."""
        return [pause for pause in self.plans.runs if self.house.head(pause).state is not PauseState.ENDED]

    def _decided(self, agent: Agent, number: int) -> str:
        head = self.house.shown(REFUND, agent=agent, run=f"run {number}", checkpoint=f"cp-{number}")
        odd = agent in self.odd
        self.plans.runs[head.pause] = Run(agent, [], []) if odd else planned(agent, self.chance)
        self.house.decide(head, 1, Verdict.ACCEPT)
        self.house.deliver()
        return head.pause

    def _delivered(self, pause: str) -> None:
        """As the machine does it: a few times, then onto the list."""
        for _ in range(TRIES):
            with contextlib.suppress(Busy):
                resume(self.house.ports, pause)
                return
            self.house.clock.move(1)
        self.plans.fired["the machine gave up"] += 1
        list_stuck(self.house.ports, self.house.head(pause), "resume_failed")

    def _round(self) -> None:
        self.rounds += 1
        self._empty()
        waiting, self.inbox = self.inbox, []
        for raw in self.chance.sample(waiting, len(waiting)):
            self._handled(raw)
        self.consumers.a_round_later()
        self.house.clock.move(ROUND_S)
        self._swept()
        self._operates()
        if self.rounds % RENEWAL == 0:
            self._last_look()
            self._delete()
            made(self.sqs)

    def _swept(self) -> None:
        self.house.verbs.called.clear()
        sweep(self.house.ports)
        for verb, given in list(self.house.verbs.called):
            if verb == "resume":
                with contextlib.suppress(Busy):
                    resume(self.house.ports, given["pause"])

    def _operates(self) -> None:
        """Put right what the stuck list shows, and set it going again; but not what somebody works on in spite of that."""
        ports = self.house.ports
        for one in operate.stuck(ports, limit=1_000):
            run = self.plans.runs[one.pause]
            if run.inside:
                continue
            self.plans.fired[f"listed: {one.reason}"] += 1
            for call in one.unknown:
                permit = PermitState.DONE if run.effects else PermitState.FAILED
                operate.reconcile(ports, "ops/olga", call, permit, "looked it up")
            if one.reason == "delivery_refused":
                self.names.put_right.add(urlsplit(run.agent.url).hostname or "")
                made(self.sqs)
            operate.repair(ports, "ops/olga", one.pause)
            run.arrived.clear()

    def _handled(self, raw: Any) -> None:
        """Worked on, and now and then kept, to come again out of order."""
        done = self.consumers.handle(raw)
        if not isinstance(raw, Request):
            self._returned(raw, done)
        if isinstance(raw, Request) and (not done or self.chance.random() < 0.2):
            self.inbox.append(raw)
            self.plans.fired["came again, out of order"] += done

    def _returned(self, message: dict[str, Any], done: bool) -> None:
        handle = {"QueueUrl": self.url, "ReceiptHandle": message["ReceiptHandle"]}
        with contextlib.suppress(self.sqs.exceptions.ClientError):  # the queue is another one by now
            if done:
                self.sqs.delete_message(**handle)
            else:
                self.sqs.change_message_visibility(**handle, VisibilityTimeout=0)

    def _delete(self) -> None:
        with contextlib.suppress(self.sqs.exceptions.QueueDoesNotExist):
            self.sqs.delete_queue(QueueUrl=self.url)

    def _last_look(self) -> None:
        """The queue is about to go, and with it what it remembers."""
        self._empty()
        self.queues += 1

    def _empty(self) -> None:
        """What is in the queue, into the inbox."""
        for message in self._messages():
            delivery = self.consumers.read(message)
            self.inbox.append(message)
            if message["Attributes"]["ApproximateReceiveCount"] == "1":
                self.deliveries += 1
                self.messages[f"{delivery.pause}-{delivery.generation} in queue {self.queues}"] += 1

    def _messages(self) -> Iterable[dict[str, Any]]:
        asked = {"QueueUrl": self.url, "MaxNumberOfMessages": 10, "AttributeNames": ["All"]}
        with contextlib.suppress(self.sqs.exceptions.QueueDoesNotExist):
            while found := self.sqs.receive_message(**asked).get("Messages"):
                yield from found

    def _answered(self, request: Request) -> Answer:
        """The webhook: in the server's own thread, while the sender waits."""
        pause = json.loads(request.body)["pause"]
        self.deliveries += 1
        trouble = self.plans.trouble(pause)
        run = self.plans.runs[pause]
        if run.manners[:1] == ["inside"] and not run.ended:
            self.consumers.handle(request)
        elif trouble in ("", "answer lost", "late", "drops"):
            self.inbox.append(request)
        return ANSWERS.get(trouble, Answer())
