"""What agents' processes do in a simulation: pause, look for work, move on; and an intruder that claims what is not its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from placet.model.pauses import call_id
from placet.model.states import PermitState
from placet.service.execute import claim
from tests.proofs.world.agents import Process, Thread
from tests.proofs.world.cast import BILLING, SUPPORT, Proposed
from tests.proofs.world.simulation import Simulation

THREADS = 4
TOOLS = {"refund": 6, "erase": 4, "pay": 6, "look": 1, "shout": 1}  # how often each is called


class Workers:
    """Two processes of the agent that picks up, and the Lambda of the other."""

    def __init__(self, sim: Simulation, often: Mapping[str, int]) -> None:
        self.sim, self.world, self.draw = sim, sim.world, sim.draw
        self.tools = [often.get(tool, weight) for tool, weight in TOOLS.items()]
        self.keyed = 0
        self.paused = 0
        self.asking = set[str]()  # checkpoints of runs that are about to ask: of one run one process at a time does
        for name, leases in (("support.1", True), ("support.2", False)):
            self._worker(name, leases)
        self.world.processes[BILLING.name].outcome_of = self._outcome

    def pause(self) -> None:
        """A run comes to calls that it may not make by itself."""
        if self.paused == THREADS:
            return
        self.paused += 1
        process = self._any_worker()
        again = self.draw.random() < 0.3 and not self.asking
        again = again and not any(thread.capturing for thread in process.threads.values())
        thread = Thread(
            run="run-1" if again else f"run-{self.paused}",
            checkpoint=f"cp-{self.paused}",
            calls=tuple(self._call() for _ in range(self.draw.choice((1, 1, 2, 3)))),
            keyed=self.draw.randrange(100) < self.keyed,
            requester=self.draw.choice(("", "ana@example.com", "customer@example.com")),
            supersedes=again and process.agent is SUPPORT,
        )
        self.asking.add(thread.checkpoint)

        def pauses() -> None:
            try:
                process.pause(thread)
                process.start()
            finally:
                self.asking.discard(thread.checkpoint)

        self._spawn(process, "pauses", pauses)

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
        return self.draw.choices(states, (6, 3, 2))[0]

    def _call(self) -> Proposed:
        tool = self.draw.choices([*TOOLS], self.tools)[0]
        return (tool, {"amount": self.draw.choice((50, 500, 600))})
