"""What agents, workers and people do in a scenario."""

from __future__ import annotations

from typing import Any

from placet.model.pauses import call_id
from placet.model.states import PermitState
from placet.records.heads import Head
from placet.service.cancel import cancel
from placet.service.execute import outcome
from placet.service.resume import take
from placet.service.stuck import list_stuck
from placet.service.went_on import resumed
from tests.gateway import SUPPORT
from tests.proofs.clauses.stage import Stage

DAY_S, LEASE_S = 86_400, 900


def ends(stage: Stage, head: Head, fence: int | None = None) -> Any:
    """Report that the run went on."""
    return stage.attempt(resumed, stage.ports, SUPPORT, head.pause, fence)


def stops(stage: Stage, head: Head) -> Any:
    """The run does not want it any more."""
    return stage.attempt(cancel, stage.ports, SUPPORT, head.pause, "the user left")


def takes(stage: Stage, head: Head) -> list[Any]:
    """Take the pause under a lease."""
    return take(stage.ports, SUPPORT, head.pause)


def reports(stage: Stage, head: Head, permit: PermitState = PermitState.DONE, worker: str = "w1") -> Any:
    """Report the outcome of the first call."""
    return stage.attempt(outcome, stage.ports, SUPPORT, call_id(head.pause, 1), worker, permit, "told")


def lists(stage: Stage, head: Head) -> None:
    """Another hand puts the pause onto the stuck list."""
    list_stuck(stage.ports, stage.head(head.pause), "wait_failed")


def frees(stage: Stage, head: Head) -> None:
    """A worker of a keyed tool claims and dies, and the sweep frees its permit."""
    stage.claim(head, "w1")
    stage.write("free_again", head.pause, stage.head(head.pause).calls[0])


def freed_and_forgotten(stage: Stage, head: Head) -> bool:
    """Whether an attempt that may have acted stands on no list."""
    after = stage.head(head.pause)
    return after.calls[0].permit is PermitState.FREE and after.calls[0].claimed_ms > 0 and not after.wpk


def permit_of(stage: Stage, head: Head) -> PermitState:
    """The permit of the first call."""
    return stage.head(head.pause).calls[0].permit


def grows_stale(stage: Stage, head: Head) -> Any:
    """A day passes and a worker asks: the approval is too old and goes back to review."""
    stage.clock.move(DAY_S)
    return stage.claim(head, "late")
