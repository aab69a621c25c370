"""Everything that anybody can do, in any order; the oracle looks after every step. Here: what operators do."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from placet.model.errors import PlacetError
from placet.model.pauses import call_id
from placet.model.states import PermitState
from placet.service import operate
from tests.proofs.stateful.acting import AGENTS
from tests.proofs.stateful.chances import (
    MOSTLY,
    SOME,
    WORKERS,
    any_pause,
    may_be_decided,
    permit_is,
)
from tests.proofs.stateful.deploys import Deploys
from tests.proofs.stateful.house import MENU


class Verbs(Deploys):
    """The rules, and those of Deploys."""

    @any_pause
    @rule(some=SOME)
    def repairs(self, some: int) -> None:
        """A stuck pause is set going."""
        pause = self.pause(some)
        needs = ("not_stuck", "needs_reconcile", "agent_gone", "class_gone", "group_empty", "too_few_people")
        answer = self.quietly("repair", *needs, do=lambda: operate.repair(self.house.ports, "ops/olga", pause))
        self.oracle.repair_told(pause, getattr(answer, "code", ""))

    @any_pause
    @rule(some=SOME, aimed=MOSTLY, did=st.booleans())
    def reconciles(self, some: int, aimed: bool, did: bool) -> None:
        """An unknown is settled with evidence."""
        pause, number, call = self.call(some, permit_is("unknown") if aimed else None)
        permit = PermitState.DONE if did else PermitState.FAILED
        ports = self.house.ports
        told = ports.table.get(ports.keys.event(pause, f"{number}#reconciled")) or {}
        answer = self.quietly(
            "reconcile",
            "permit_not_unknown",
            do=lambda: operate.reconcile(self.house.ports, "ops/olga", call_id(pause, number), permit, "statement 7"),
        )
        again = told.get("permit") == permit.value  # by the same operator, in the same words
        known = call.get("permit", {}).get("state") != "unknown" and not again
        assert isinstance(answer, PlacetError) == known, "10: settled what was known, or refused what was not"

    @precondition(lambda self: not self.oracle.frozen)
    @rule(really=st.integers(0, 7))
    def freezes(self, really: int) -> None:
        """Everything is held, now and then."""
        if really:
            return
        operate.freeze(self.house.ports, "ops/olga", "restore")
        self.oracle.frozen = True

    @precondition(lambda self: self.oracle.frozen)
    @rule(restored=st.sampled_from([False, False, True]))
    def thaws(self, restored: bool) -> None:
        """It goes on, sometimes under a new epoch."""
        if restored:
            self.house.epoch += 1
            self.counts["epoch raised"] += 1
        self.quietly("thaw", do=lambda: operate.thaw(self.house.ports, "ops/olga"))
        self.oracle.frozen = False

    @any_pause
    @rule(really=st.integers(0, 1), walked=st.booleans(), worker=WORKERS)
    def is_restored(self, really: int, walked: bool, worker: str) -> None:
        """The epoch is raised: what the table calls open or free may not be so any more. `thaw` walks the lists, or the sweep."""
        if really:
            return
        self.comes_into_the_queue([MENU[0]], AGENTS["support-agent"], False, "accept")
        self.comes_into_the_queue([MENU[4]], AGENTS["support-agent"], False, "wait")
        self.house.epoch += 1
        self.counts["epoch raised"] += 1
        if walked:
            self.quietly("thaw", do=lambda: operate.thaw(self.house.ports, "ops/olga"))
            self.oracle.frozen = False
        pause, number, call = self.call(0, permit_is("free"))
        self.claim(pause, number, call["digest"], worker, None)
        pause, number, _ = self.call(0, may_be_decided)
        self.accept(pause, number, "jonas")
