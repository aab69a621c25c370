"""The actors of a simulation: agents' workers, reviewers, an operator, the services that bring messages, the sweep, time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from tests.proofs.world.deploys import Deploys
from tests.proofs.world.leaving import Leaving
from tests.proofs.world.operating import Operator
from tests.proofs.world.people import Reviewers
from tests.proofs.world.simulation import Simulation
from tests.proofs.world.workers import Workers
from tests.proofs.world.world import Message

JUMPS = (1, 1, 10, 10, 30, 60, 60, 120, 300, 700, 2_000)  # seconds
USUAL: Mapping[str, int] = {}


class Actors:
    """Everybody who does something by himself. Each action is one draw.

    Args:
        often: weights of actions and of tools, by name, in place of the usual ones: for a case that hangs on what is rarely
            drawn.
    """

    def __init__(self, sim: Simulation, often: Mapping[str, int] = USUAL) -> None:
        self.sim, self.world, self.draw = sim, sim.world, sim.draw
        self.workers, self.reviewers, self.operator = Workers(sim, often), Reviewers(sim), Operator(sim)
        self.deploys, self.leaving = Deploys(sim), Leaving(sim)
        self.actions: list[tuple[Callable[[], None], int]] = [
            (self.workers.pause, 6),
            (self.workers.work, 14),
            (self.workers.cancel, 1),
            (self.workers.intrude, 1),
            (self.reviewers.review, 20),
            (self.reviewers.stands_in, 8),
            (self.reviewers.take_back, 7),
            (self.reviewers.hand_on, 6),
            (self.leaving.membership, 2),
            (self.leaving.goes_away, 4),
            (self.leaves_meanwhile, 1),
            (self.leaving.is_back, 1),
            (self.leaving.group_empties, 2),
            (self.operator.attend, 3),
            (self.operator.freeze, 2),
            (self.operator.epoch, 1),
            (self.deploys.deploy, 2),
            (self.sweep, 7),
            (self.rings_again, 1),
            (self.time, 8),
        ]
        self.actions = [(act, often.get(act.__name__, weight)) for act, weight in self.actions]

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

    def leaves_meanwhile(self) -> None:
        """Somebody who is away leaves while another decides in their place."""
        self.reviewers.stands_in()
        self.leaving.leaves_while_away()

    def sweep(self) -> None:
        """The rule of every minute."""
        self.sim.deliver(Message("sweep", {}, 0, tries=99))

    def rings_again(self) -> None:
        """A timer at its moment, whose scheduler lost the answer."""
        moments = sorted(self.world.timers.moments.items())
        if moments:
            pause, at_ms = self.draw.choice(moments)
            self.world.clock.at_ms = max(self.world.clock.at_ms, at_ms)
            for _ in range(4):
                self.sim.deliver(Message("timer", {"tenant": "main", "pause": pause}, 0))

    def time(self) -> None:
        """It passes."""
        seconds = self.draw.choice(JUMPS)
        self.world.clock.move(seconds)
        self.sim.note(f"+{seconds} s")
