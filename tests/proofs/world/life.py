"""The life of one pause, minute by minute, with one fault in it: who is dead is started again, what is overdue is swept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from placet.model.canonical import digest, parse
from placet.model.errors import Busy, PlacetError
from placet.model.pauses import Agent, call_id
from placet.model.states import CallState, PauseState, PermitState, Verdict
from placet.service import operate
from placet.service.decide import Decision, decide
from placet.service.ports import Ports
from placet.service.undo import undo
from tests.proofs.world.agents import Thread
from tests.proofs.world.cast import PEOPLE
from tests.proofs.world.touching import Crash, Touch
from tests.proofs.world.world import Message, World

LONGEST = 60  # minutes; the longest span of the policy that matters here is the deadline's ten
EDITED = '{"amount":400}'
TRIES = 5
WINDOW_S = 90  # a minute later there is still time, two minutes later there is not


@dataclass(frozen=True)
class Scenario:
    """What is decided, for which kind of agent and tool.

    Attributes:
        verdict: of the person; `undo`: an accept, which is taken back a minute later, and then a reject.
        window: whether the class lets decisions be taken back.
    """

    verdict: str
    agent: Agent
    keyed: bool
    window: bool = False

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.verdict}, {self.agent.target}, {'keyed' if self.keyed else 'unkeyed'}{', held' * self.window}"


@dataclass(frozen=True)
class Fault:
    """What happens to one touch.

    Attributes:
        moment: `before`, `after`: the process dies there. `lost`: it is done, the caller gets an error. `repeated`: a write
            whose answer was lost is sent again by the store's client, which then meets its own success.
        again: whether the event that the process was working on comes again, or never.
    """

    index: int
    moment: str
    again: bool


MOMENTS = ("before", "after", "lost", "repeated")


def moments(touch: Touch) -> tuple[str, ...]:
    """The faults that make sense for a touch."""
    if touch.what == "table.write":
        return MOMENTS
    return MOMENTS[:2] if touch.what.startswith(("framework.", "tool.")) else MOMENTS[:3]


@dataclass
class Life:
    """One run of a scenario. `touches` are its crash points, in order; the sweep's own come from elsewhere.

    Attributes:
        swept: whether there is a sweep at all: without it everything has to come by the stream, the machine and the timers.
    """

    scenario: Scenario
    faults: tuple[Fault, ...] = ()
    swept: bool = True
    world: World = field(default_factory=World)
    touches: list[Touch] = field(default_factory=list)
    hit: list[Touch] = field(default_factory=list)
    sweeps: int = 0
    minutes: int = 0
    contradicted: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.world.hook = self._touch
        if self.scenario.window:
            classes = self.world.policy.classes
            self.world.policy = replace(
                self.world.policy, classes={**classes, "one": replace(classes["one"], undo_s=WINDOW_S)}
            )
        self._again = all(fault.again for fault in self.faults)
        self.thread = Thread("run-1", "cp-1", (("refund", {"amount": 500}),), self.scenario.keyed)

    def play(self) -> Life:
        """From the framework's pause until the run went on or is listed."""
        self._agent_does("pause")
        for _ in range(LONGEST):
            if self.settled():
                break
            self._minute()
        return self

    def left_over(self) -> list[str]:
        """What still waits or is set after everything has ended: an execution that nobody answers, a timer of a day past.

        Only where the record that wakes dispatch never comes again, the execution ends by its own time-out.
        """
        lost = not self._again and any(touch.by == "dispatch" for touch in self.hit)
        longest = max(one.facts["timeout_s"] for one in self.world.machine.executions.values()) if lost else 0
        self.world.clock.move(60 * LONGEST + longest)
        for _ in range(TRIES):
            self._drain()
        running = [one.name for one in self.world.machine.executions.values() if one.stage != "ended"]
        found = [f"execution {name} still runs" for name in running]
        return found + [f"a timer of {pause} is still set" for pause in self.world.timers.moments]

    def operated(self) -> Life:
        """An operator does what the stuck list says, until the run went on."""
        for _ in range(LONGEST):
            if self.ended:
                break
            if self.world.listed():
                self._operator()
            self._minute()
        return self

    def _operator(self) -> None:
        """Settle what is unknown by the other side's books, then set the pause going again."""
        ports = self.world.ports("operate", hook=lambda touch: touch.act())
        for call in self.world.head(self.pause).calls:
            if call.permit is PermitState.UNKNOWN:
                ran = PermitState.DONE if self.process.ledger else PermitState.FAILED
                operate.reconcile(ports, "ops/olga", call_id(self.pause, call.number), ran, "the other side's books")
        operate.repair(ports, "ops/olga", self.pause)

    @property
    def process(self) -> Any:
        """The agent's process of this moment."""
        return self.world.processes[self.scenario.agent.name]

    @property
    def pause(self) -> str:
        """The id of the one pause there is, or nothing."""
        return next(iter(self.world.heads()), "")

    @property
    def ended(self) -> bool:
        """The run got its answer, the record says so."""
        pause = self.pause
        return bool(pause) and not self.thread.pending and self.world.head(pause).state is PauseState.ENDED

    def settled(self) -> bool:
        """Nothing more is to come by itself."""
        if not self.process.threads and self.minutes:
            return True  # the framework itself never paused: nothing was asked
        quiet = not self.world.messages
        return quiet and (self.ended or bool(self.world.listed()))

    # --- one minute ---------------------------------------------------------------------------------------------------

    def _minute(self) -> None:
        self.minutes += 1
        self._drain()
        if self.swept:
            self._sweep()
            self._drain()
        self._person()
        self._drain()
        self._agent_does("start")
        if self.scenario.agent.target == "pick_up":
            self._agent_does("work")
        self._drain()
        self.world.clock.move(60)

    def _drain(self) -> None:
        self.world.ring()
        self.world.machine.time_out()
        while self.world.messages:
            message = self.world.messages.pop(0)
            try:
                self.world.perform(message)
            except (Crash, PlacetError):
                self._failed(message)

    def _failed(self, message: Message) -> None:
        message.tries += 1
        if self._again and message.tries < TRIES:
            self.world.messages.append(message)
        else:
            self.world.lost(message)

    def _sweep(self) -> None:
        facts: dict[str, Any] = {}
        try:
            self.world.perform(Message("sweep", facts, 0))
        except (Crash, PlacetError):
            facts["died"] = 1
        self.sweeps += any(facts.values())

    def _person(self) -> None:
        pause = self.pause
        if not pause or self.scenario.verdict == "expire":
            return
        for call in self.world.head(pause).calls:
            if self.scenario.verdict == "undo" and call.round == 1 and call.state.may_run:
                self._takes_back(call_id(pause, call.number), call.rev)
            elif call.deadline_ms and call.state is CallState.PENDING:
                verdict = self._verdict(call.round)
                if verdict is Verdict.EDIT and call.digest == digest(parse(EDITED)):
                    verdict = (
                        Verdict.ACCEPT
                    )  # an approval got too old, and what is asked again is what the edit made of it
                new = {"arguments": EDITED, "new_digest": digest(parse(EDITED))} if verdict is Verdict.EDIT else {}
                decision = Decision(verdict, call.rev, call.digest, reason="because", **new)
                self._decides(call_id(pause, call.number), decision)

    def _verdict(self, round_: int) -> Verdict:
        if self.scenario.verdict == "undo":
            return Verdict.ACCEPT if round_ == 1 else Verdict.REJECT
        return Verdict(self.scenario.verdict)

    def _takes_back(self, call: str, revision: int) -> None:
        """A minute after the accept, while there is time."""
        told = self._pressed(lambda ports: undo(ports, PEOPLE["maria"], call, revision))
        if told:
            self.contradicted.append(f"who takes a decision back in time is told {told}")

    def _decides(self, call: str, decision: Decision) -> None:
        told = self._pressed(lambda ports: decide(ports, PEOPLE["maria"], call, decision))
        if told:
            self.contradicted.append(f"the only person who decides is told {told}")

    def _pressed(self, job: Callable[[Ports], object]) -> str:
        """What a person is told instead of what they wanted, as a code; empty when they got it, or the gateway was busy twice."""
        try:
            try:
                self.world.ask("decide", job)
            except Busy:  # the person presses again
                self.world.ask("decide", job)
        except PlacetError as error:
            return "" if isinstance(error, Busy) else error.code
        return ""

    def _agent_does(self, what: str) -> None:
        try:
            if what == "pause":
                self.process.pause(self.thread)
            else:
                getattr(self.process, what)()
        except Crash:
            self.world.processes[self.scenario.agent.name] = self.world.process(self.scenario.agent)
        except PlacetError:
            return

    def _acts(self) -> None:
        """A tool acts: nobody may still be able to take that back."""
        now = self.world.clock.now_ms()
        if any(call.undo_ms > now for call in self.world.head(self.pause).calls):
            self.contradicted.append("a tool acts while its decision may be taken back")

    def _touch(self, touch: Touch) -> Any:
        index = len(self.touches)
        self.touches.append(touch)
        fault = next((one for one in self.faults if one.index == index), None)
        if touch.what.startswith("tool."):
            self._acts()
        if fault is None:
            return touch.act()
        self.hit.append(touch)
        if fault.moment == "before":
            raise Crash(touch)
        touch.act()
        if fault.moment == "after":
            raise Crash(touch)
        if fault.moment == "lost":
            raise Busy
        return touch.act()
