"""Policy and registry change while everything goes on: a class is renamed, an agent is gone and comes back, spans get shorter."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.proofs.stateful.chances import MOSTLY
from tests.proofs.stateful.deployed import CHANGES
from tests.proofs.stateful.house import MENU
from tests.proofs.stateful.workers import Workers


class Deploys(Workers):
    """The rules, and those of Workers."""

    @rule(change=st.sampled_from(CHANGES), back=MOSTLY)
    def deploys(self, change: str, back: bool) -> None:
        """One change comes, or is taken back; mostly it does not last, for the others have to be tried as well."""
        self.deploy(change)
        if back:
            self.sweeps(True)
            self.deploy(change)

    @rule(change=st.sampled_from(CHANGES), then=st.sampled_from(["accept", "wait"]), back=st.booleans())
    def deploys_while_it_waits(self, change: str, then: str, back: bool) -> None:
        """A pause is on its way when something of it changes; the sweep comes, and perhaps what was is deployed again."""
        if change in self.house.deployed.changes:
            self.deploy(change)
        self.comes_into_the_queue([MENU[0]], self.house.support, False, then)
        self.deploy(change)
        self.sweeps(True)
        if back:
            self.deploy(change)
            self.sweeps(True)

    def deploy(self, change: str) -> None:
        """From now on it is so. It takes its time: no pause is listed twice for one reason at one moment."""
        self.house.gateway.clock.move(0.001)
        self.house.deploy(change)
        self.counts["config changes"] += 1
        self.counts[f"deployed: {change if change in self.house.deployed.changes else f'not {change}'}"] += 1
