"""What an operator does in a simulation."""

from __future__ import annotations

from placet.model.errors import PlacetError
from placet.model.pauses import call_id
from placet.model.states import PermitState
from placet.service import operate
from tests.proofs.world.simulation import Simulation


class Operator:
    """Olga, who has the stuck list, the hold and the restore in her hands."""

    def __init__(self, sim: Simulation) -> None:
        self.sim, self.world, self.draw = sim, sim.world, sim.draw

    def attend(self) -> None:
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
        if held:
            self.sim.spawn(
                "operator thaws", lambda: self.world.ask("thaw", lambda ports: operate.thaw(ports, "ops/olga"))
            )
        elif self.draw.random() < 0.1:
            operate.freeze(self.world.ports("freeze"), "ops/olga", "a drill")

    def epoch(self) -> None:
        """The table was restored, rarely."""
        if self.world.epoch < 3 and self.draw.random() < 0.1:
            self.world.epoch += 1
            self.sim.note(f"epoch {self.world.epoch}")
