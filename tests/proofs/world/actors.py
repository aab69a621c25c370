"""The actors of a simulation: agents' workers, reviewers, the services that bring messages, the sweep, an operator, time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from placet.model.canonical import digest, exact_text, parse
from placet.model.errors import Conflict, PlacetError
from placet.model.pauses import call_id
from placet.model.states import CallState, PermitState, Verdict
from placet.records.ops import Delete
from placet.service import members, operate
from placet.service.decide import Decided, Decision, decide
from placet.service.execute import claim
from tests.proofs.world.agents import Process, Thread, doubled
from tests.proofs.world.cast import BILLING, GROUP, PEOPLE, SUPPORT, Proposed
from tests.proofs.world.simulation import Simulation
from tests.proofs.world.world import Message

THREADS = 4
JUMPS = (1, 1, 10, 10, 30, 60, 60, 120, 300, 700, 2_000)  # seconds


@dataclass(frozen=True)
class Page:
    """What a reviewer has open."""

    pause: str
    number: int
    rev: int
    digest: str


class Actors:
    """Everybody who does something by himself. Each action is one draw."""

    def __init__(self, sim: Simulation) -> None:
        self.sim, self.world, self.draw = sim, sim.world, sim.draw
        self.pages: dict[str, list[Page]] = {sub: [] for sub in PEOPLE}
        self.paused = 0
        for name, leases in (("support.1", True), ("support.2", False)):
            self._worker(name, leases)
        self.world.processes[BILLING.name].outcome_of = self._outcome
        self.actions: list[tuple[Callable[[], None], int]] = [
            (self.pause, 6),
            (self.work, 14),
            (self.review, 26),
            (self.sweep, 7),
            (self.time, 8),
            (self.cancel, 1),
            (self.intrude, 1),
            (self.operator, 3),
            (self.membership, 2),
            (self.freeze, 2),
            (self.epoch, 1),
        ]

    def act(self) -> None:
        """One of them does something."""
        actions, weights = zip(*self.actions, strict=True)
        self.draw.choices(actions, weights)[0]()

    # --- services ------------------------------------------------------------------------------------------------

    def services(self) -> bool:
        """A stream, a queue or a timer brings what is due, in any order; False when there is nothing."""
        self.world.ring()
        self.world.machine.time_out()
        now = self.world.clock.now_ms()
        due = [message for message in self.world.messages if message.due_ms <= now]
        if not due:
            return False
        at = self.draw.randrange(len(due))
        message = due[at]
        if at and self.sim.rate:
            self.sim.fired["reorder"] += 1
        self.world.messages.remove(message)
        if self.sim.chance("delay", 0.05):
            message.due_ms = now + 1000 * self.draw.randrange(5, 400)
            self.world.messages.append(message)
        elif message.kind != "list" and self.sim.chance("drop", 0.05):
            self.world.lost(message)
        else:
            if self.sim.chance("duplicate", 0.05):
                self.sim.deliver(replace(message, facts=dict(message.facts)))
            self.sim.deliver(message)
        return True

    def sweep(self) -> None:
        """The rule of every minute."""
        self.sim.deliver(Message("sweep", {}, 0, tries=99))

    def time(self) -> None:
        """It passes."""
        seconds = self.draw.choice(JUMPS)
        self.world.clock.move(seconds)
        self.sim.note(f"+{seconds} s")

    # --- agents --------------------------------------------------------------------------------------------------

    def pause(self) -> None:
        """A run comes to calls that it may not make by itself."""
        if self.paused == THREADS:
            return
        self.paused += 1
        process = self._any_worker()
        again = self.draw.random() < 0.3
        thread = Thread(
            run="run-1" if again else f"run-{self.paused}",
            checkpoint=f"cp-{self.paused}",
            calls=tuple(self._call() for _ in range(self.draw.choice((1, 1, 2, 3)))),
            keyed=self.draw.random() < 0.5,
            requester=self.draw.choice(("", "ana@example.com", "customer@example.com")),
            supersedes=again and process.agent is SUPPORT,
        )
        self._spawn(process, "pauses", lambda: (process.pause(thread), process.start()))

    def work(self) -> None:
        """A worker looks whether there is something for it."""
        process = self._any_worker()

        def works() -> None:
            process.start()
            if process.agent is SUPPORT:
                process.work(limit=2)

        self._spawn(process, "works", works)

    def cancel(self) -> None:
        """A run moves on by itself."""
        process = self._any_worker()
        waiting = [thread for thread in process.threads.values() if thread.pending]
        if waiting:
            thread = self.draw.choice(waiting)
            self._spawn(process, "cancels", lambda: process.cancel(thread))

    def intrude(self) -> None:
        """A worker claims what nobody released to it, with the right digest, and never acts nor reports."""
        calls = [(pause, call) for pause in sorted(self.world.heads()) for call in self.world.head(pause).calls]
        if not calls:
            return
        pause, call = self.draw.choice(calls)
        agent = SUPPORT if self.world.head(pause).agent == SUPPORT.name else BILLING
        wanted, worker = call_id(pause, call.number), f"intruder.{self.sim.steps}"
        self.sim.spawn(
            f"intruder {pause[:6]}",
            lambda: self.world.ask("claim", lambda ports: claim(ports, agent, wanted, call.digest, worker)),
        )

    def _worker(self, name: str, leases: bool) -> None:
        shared = self.world.processes[SUPPORT.name]
        process = Process(SUPPORT, self.world.ask, shared.hook, shared.threads, shared.ledger, name=name)
        process.leases, process.outcome_of = leases, self._outcome
        self.world.processes[name] = process

    def _any_worker(self) -> Process:
        return self.world.processes[self.draw.choice(("support.1", "support.2", BILLING.name))]

    def _spawn(self, process: Process, what: str, run: Callable[[], Any]) -> None:
        self.sim.spawn(f"{process.name} {what}", run, lambda: self._restart(process))

    def _restart(self, process: Process) -> None:
        """Its memory is gone, the framework's store is not."""
        process.known.clear()

    def _outcome(self) -> PermitState:
        if not self.sim.rate:
            return PermitState.DONE
        states = (PermitState.DONE, PermitState.FAILED, PermitState.UNKNOWN)
        return self.draw.choices(states, (8, 2, 1))[0]

    def _call(self) -> Proposed:
        tool = self.draw.choices(("refund", "erase", "look", "shout"), (6, 4, 1, 1))[0]
        return (tool, {"amount": self.draw.choice((50, 500, 600))})

    # --- people ------------------------------------------------------------------------------------------------------

    def review(self) -> None:
        """A reviewer opens a page, which shows what is true now, and decides on it or on an older one; he may press twice."""
        sub = self.draw.choice(sorted(PEOPLE))
        shown = [
            Page(pause, call.number, call.rev, call.digest)
            for pause in sorted(self.world.heads())
            for call in self.world.head(pause).pending
            if call.deadline_ms
        ]
        self.pages[sub] += [self.draw.choice(shown)] if shown else []
        if not self.pages[sub]:
            return
        page = self.draw.choice(self.pages[sub][-2:])
        decision = self._decision(page)
        for _ in range(2 if self.draw.random() < 0.15 else 1):
            self.sim.spawn(f"{sub} {decision.verdict.value}s", lambda: self._decide(sub, page, decision))

    def _decision(self, page: Page) -> Decision:
        verdict = self.draw.choices(list(Verdict), (6, 3, 2))[0]
        if verdict is not Verdict.EDIT:
            return Decision(verdict, page.rev, page.digest, reason="no" if verdict is Verdict.REJECT else "")
        text = exact_text({"amount": self.draw.randrange(101, 999)})
        return Decision(verdict, page.rev, page.digest, arguments=text, new_digest=digest(parse(text)))

    def _decide(self, sub: str, page: Page, decision: Decision) -> None:
        call = call_id(page.pause, page.number)
        try:
            answer = self.world.ask("decide", lambda ports: decide(ports, members.reviewer(ports, sub), call, decision))
        except Conflict as refused:
            if refused.code == "already_decided" and self._is_mine(sub, page, decision):
                self.sim.wrong(f"{call}: {sub} won and was told that somebody else did")
            raise
        self._check(sub, call, decision, answer)

    def _is_mine(self, sub: str, page: Page, decision: Decision) -> bool:
        call = self.world.head(page.pause).call(page.number)
        assert call is not None
        event = self._told(page.pause, page.number, call.round)
        wanted = decision.new_digest or decision.digest
        mine = (event.get("by"), event.get("verdict"), event.get("digest")) == (sub, decision.verdict.value, wanted)
        return mine and call.state is not CallState.PENDING

    def _told(self, pause: str, number: int, round_: int) -> dict[str, Any]:
        fact = f"{number}#decided" if round_ == 1 else f"{number}#decided#{round_}"
        return self.world.table.items.get(self.world.keys.event(pause, fact)) or {}

    def _check(self, sub: str, call: str, decision: Decision, answer: Decided) -> None:
        """What the person was told is on record."""
        if answer.digest != (decision.new_digest or decision.digest):
            self.sim.wrong(f"{call}: {sub} was answered with another digest")
        pause, number = call.split("-")
        events = [item for key, item in self.world.table.items.items() if key.pk == self.world.keys.pause(pause)]
        mine = [
            one for one in events if one["kind"] == "EVENT" and one.get("by") == sub and one.get("call") == int(number)
        ]
        if not mine:
            self.sim.wrong(f"{call}: {sub} was told {answer.state.value}, and no event says so")

    def membership(self) -> None:
        """Somebody leaves the group, or comes back; now and then, not for long."""
        sub = self.draw.choice(sorted(PEOPLE))
        keys = self.world.keys
        if keys.member(sub, GROUP) in self.world.table.items:
            self.world.table.write([Delete(keys.member(sub, GROUP)), Delete(keys.group_member(GROUP, sub))])
        else:
            members.add(self.world.ports("seed"), PEOPLE[sub], GROUP)

    # --- the operator ------------------------------------------------------------------------------------------------

    def operator(self) -> None:
        """Does what the stuck list says."""
        listed = sorted(self.world.listed())
        if listed:
            pause = self.draw.choice(listed)
            self.sim.spawn(f"operator {pause[:6]}", lambda: self.repairs(pause))

    def repairs(self, pause: str) -> None:
        """Settle what is unknown by the other side's books, then set it going."""
        for call in self.world.head(pause).calls:
            if call.permit is PermitState.UNKNOWN:
                self._reconcile(call_id(pause, call.number))
        self.world.ask("repair", lambda ports: operate.repair(ports, "ops/olga", pause))

    def _reconcile(self, call: str) -> None:
        ran = any(one.call == call for process in self.world.processes.values() for one in process.ledger)
        state = PermitState.DONE if ran else PermitState.FAILED
        try:
            self.world.ask(
                "reconcile", lambda ports: operate.reconcile(ports, "ops/olga", call, state, "the other side's books")
            )
        except PlacetError as error:
            self.sim.note(f"reconcile {error.code}")

    def freeze(self) -> None:
        """Everything is held for a moment, now and then."""
        held = (self.world.table.items.get(self.world.keys.freeze()) or {}).get("held", False)
        ports = self.world.ports("freeze")
        if held:
            operate.thaw(ports, "ops/olga")
        elif self.draw.random() < 0.1:
            operate.freeze(ports, "ops/olga", "a drill")

    def epoch(self) -> None:
        """The table was restored, rarely."""
        if self.world.epoch < 3 and self.draw.random() < 0.1:
            self.world.epoch += 1
            self.sim.note(f"epoch {self.world.epoch}")

    def doubles(self) -> list[str]:
        """Calls with two effects."""
        return doubled([one for process in self.world.processes.values() for one in process.ledger])
