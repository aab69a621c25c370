"""Attempts that never started: their permits are given back, and only theirs."""

from __future__ import annotations

from placet.records.heads import Head
from placet.service.sweep import sweep
from tests.proofs.clauses.acting import LEASE_S, ends
from tests.proofs.clauses.permits import again
from tests.proofs.clauses.stage import Stage, scenario


def gives_back(stage: Stage, head: Head) -> bool:
    """An attempt that never started gives its permit back; whether that was written."""
    return stage.write("unclaim", head.pause, 1, "w1", 0)


@scenario("unclaim", "permit_claimed")
def a_call_that_an_operator_listed_runs_again(stage: Stage) -> bool:
    head = stage.claimed()
    stage.clock.move(LEASE_S)
    stage.meanwhile = lambda: sweep(stage.ports)
    return gives_back(stage, head)


@scenario("unclaim", "same_worker")
def a_late_refusal_frees_what_another_attempt_runs(stage: Stage) -> bool:
    head = stage.claimed()
    again(stage, head)
    return gives_back(stage, head)


@scenario("unclaim", "not_resumed")
def a_permit_is_free_that_an_ended_run_has_no_use_for(stage: Stage) -> bool:
    head = stage.claimed()
    stage.meanwhile = lambda: ends(stage, head)
    return gives_back(stage, head)
