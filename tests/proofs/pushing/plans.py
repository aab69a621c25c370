"""What goes wrong with each run: on the way to its agent, at the agent, and where its webhook points to."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

from placet.model.pauses import Agent
from tests.proofs.pushing.server import ADDRESS, Answer

SECRET = "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
GOOD = "agent.example"
TOTAL_S = 0.5  # what a webhook is given; `late` and `drops` take longer
PRIVATE_TOO = "127.0.0.2"  # a second address of this machine, where nobody may be called

# Names whose addresses are not public, each by another way to write one.
PRIVATE = {
    "loop.example": [PRIVATE_TOO],
    "six.example": ["::1"],
    "mapped.example": [f"::ffff:{PRIVATE_TOO}"],
    "nat64.example": ["64:ff9b::7f00:2"],
    "sixtofour.example": ["2002:7f00:2::1"],
    "teredo.example": ["2001:0:7f00:2::80ff:fffd"],
    "metadata.example": ["169.254.169.254"],
    "ten.example": ["10.0.0.1"],
    "shared.example": ["100.64.0.1"],
    "cloud.example": ["fd00:ec2::254"],
    "mixed.example": [ADDRESS, PRIVATE_TOO],
}
TURNING = "turning.example"  # says ADDRESS when it is asked first, PRIVATE_TOO whenever it is asked again

# How often each is drawn; a queue that is gone refuses everybody's deliveries until an operator has made it anew.
QUEUE_TROUBLES = {"": 6, "answer lost": 4, "throttled": 3, "denied": 3, "gone": 1}
HOOK_TROUBLES = {"": 4} | dict.fromkeys(("answer lost", "late", "drops", "500", "429", "302", "410", "at once"), 2)
MANNERS = ("prompt", "prompt", "forgets", "dies before", "dies after", "slow")  # of a consumer
HOOK_MANNERS = (*MANNERS, "inside")  # works before it answers


def hooked(name: str, port: int) -> Agent:
    """An agent whose webhook has this name."""
    short = name.partition(".")[0]
    url = f"https://{name}:{port}/decided"
    return Agent(f"{short}-agent", f"placet-{short}", "owner@example.com", "webhook", url=url, secret="hooks/all")


@dataclass
class Run:
    """What is planned for a run, and what came of it.

    Attributes:
        troubles: of its deliveries, one after the other; then none.
        manners: of who gets them, in turn; then prompt.
        inside: who works on it at this moment, dead workers not counted.
        arrived: the moments (ms) at which a delivery succeeded in the sender's eyes, since the last repair.
        effects: how often its call was carried out.
    """

    agent: Agent
    troubles: list[str]
    manners: list[str]
    inside: int = 0
    twice: bool = False
    arrived: list[int] = field(default_factory=list)
    effects: int = 0
    ended: int = 0


@dataclass
class Plans:
    """Every run by its pause; `fired` counts what really happened."""

    runs: dict[str, Run] = field(default_factory=dict)
    fired: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)

    def trouble(self, pause: str) -> str:
        """Of the delivery that is sent now."""
        found = self._next(self.runs[pause].troubles, "")
        if found:
            self.fired[f"way: {found}"] += 1
        return found

    def manner(self, pause: str) -> str:
        """Of who gets the delivery."""
        found = self._next(self.runs[pause].manners, "prompt")
        self.fired[f"agent: {found}"] += 1
        return found

    def expect(self, holds: bool, what: str) -> None:
        """A violation unless it holds."""
        if not holds:
            self.violations.append(what)

    def _next(self, planned: list[str], otherwise: str) -> str:
        return planned.pop(0) if planned else otherwise


def planned(agent: Agent, chance: random.Random) -> Run:
    """A run of this agent with troubles of its own."""
    queue = agent.target == "sqs"
    troubles, manners = (QUEUE_TROUBLES, MANNERS) if queue else (HOOK_TROUBLES, HOOK_MANNERS)
    drawn = chance.choices([*troubles], [*troubles.values()], k=chance.randint(1, 3))
    return Run(agent, drawn, chance.choices(manners, k=chance.randint(1, 2)))


ANSWERS = {
    "answer lost": Answer(lost=True),
    "late": Answer(late_s=4 * TOTAL_S),
    "drops": Answer(drop_s=TOTAL_S / 5),
    "500": Answer(500),
    "429": Answer(429),
    "302": Answer(302, {"location": f"https://{PRIVATE_TOO}/"}),
    "410": Answer(410),
}
