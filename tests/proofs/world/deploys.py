"""Deploys while a simulation plays: names go and come back, spans get shorter. What runs at that moment goes on as it began."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from placet.model.registry import Registry
from placet.policy import Level
from placet.policy.rules import Policy
from tests.proofs.world.cast import BILLING, BOARD, GROUP, HELD, SUPPORT
from tests.proofs.world.simulation import Simulation

AGENTS = Registry((SUPPORT, BILLING))
LONGER = (Level((GROUP,)), Level((BOARD,), 60))


def _renamed(was: Policy) -> Policy:
    """The class of most tools has another name."""
    classes = {("uno" if name == "one" else name): one for name, one in was.classes.items()}
    classes["uno"] = replace(classes["uno"], name="uno")
    tools = {name: replace(t, action_class="uno") if t.action_class == "one" else t for name, t in was.tools.items()}
    return replace(was, classes=classes, tools=tools, unknown_class="uno")


def _every(was: Policy, **changes: object) -> Policy:
    return replace(was, classes={name: replace(one, **changes) for name, one in was.classes.items()})


POLICIES: dict[str, Callable[[Policy], Policy]] = {
    "class renamed": _renamed,
    "levels added": lambda was: _every(was, levels=LONGER),
    "version": lambda was: replace(was, version="world.0"),
    "claim_s shortened": lambda was: _every(was, claim_s=60),
}
REGISTRIES = {"support gone": Registry((BILLING,)), "billing gone": Registry((SUPPORT,))}


class Deploys:
    """Somebody deploys now and then; what was comes back with the next deploy, or the one after it."""

    def __init__(self, sim: Simulation) -> None:
        self.sim, self.world, self.draw = sim, sim.world, sim.draw

    def deploy(self) -> None:
        """One change, or what was before the first of them."""
        if self.changed:
            self.back()
            return
        name = self.draw.choice([*POLICIES, *REGISTRIES])
        if name in POLICIES:
            self.world.policy = POLICIES[name](HELD)
        else:
            self.world.registry = REGISTRIES[name]
        self._note(name)

    def back(self) -> None:
        """What was."""
        if self.changed:
            self.world.policy, self.world.registry = HELD, AGENTS
            self._note("what was")

    @property
    def changed(self) -> bool:
        """Whether anything is deployed but what was."""
        return self.world.policy is not HELD or self.world.registry != AGENTS

    def _note(self, name: str) -> None:
        self.sim.deploys[name] += 1
        self.sim.note(f"deployed: {name}")
