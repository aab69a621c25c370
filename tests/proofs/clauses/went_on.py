"""The end of a run, and what it leaves on a list."""

from __future__ import annotations

from placet.model.states import PauseState
from placet.records.heads import Head
from placet.service.resume import LEASE_MS
from placet.service.sweep import sweep
from tests.proofs.clauses.acting import ends, freed_and_forgotten, frees, lists, reports, takes
from tests.proofs.clauses.stage import Stage, scenario


@scenario("resumed", "all_decided")
def a_pause_ends_while_a_call_is_asked_for_again(stage: Stage) -> bool:
    """Set by hand: a call that is really asked for again loses its permit, which permits_as_seen sees too."""
    head = stage.approved()
    stage.meanwhile = lambda: stage.force(head.pause, open_calls=1, calls__1__state="pending")
    ends(stage, head)
    return stage.head(head.pause).state is PauseState.ENDED


@scenario("resumed", "not_resumed")
def a_run_goes_on_twice(stage: Stage) -> bool:
    """Of a call that ran: one that did not leaves an event, which is told once."""
    head = stage.claimed()
    reports(stage, head)
    head = stage.head(head.pause)
    stage.meanwhile = lambda: ends(stage, head)
    return ends(stage, head) is False


@scenario("resumed", "my_fence")
def a_worker_that_lost_its_lease_ends_the_pause(stage: Stage) -> bool:
    head = stage.approved()
    takes(stage, head)
    stage.clock.move(LEASE_MS / 1000)
    stage.meanwhile = lambda: takes(stage, head)
    return ends(stage, head, fence=1) is False


@scenario("resumed", "permits_as_seen")
def a_permit_is_claimed_and_forgotten_while_its_run_ends(stage: Stage) -> bool:
    """Set by hand: a claim leaves its moment, which never_tried sees too."""
    head = stage.approved()
    stage.meanwhile = lambda: stage.force(head.pause, calls__1__permit__state="claimed")
    ends(stage, head)
    return stage.astray(head.pause)


@scenario("resumed", "never_tried")
def an_attempt_that_was_freed_meanwhile_is_forgotten_as_its_run_ends(stage: Stage) -> bool:
    head = stage.approved()
    stage.meanwhile = lambda: frees(stage, head)
    ends(stage, head)
    return freed_and_forgotten(stage, head)


@scenario("resumed", "first")
def what_a_run_ended_without_is_told_over_another(stage: Stage) -> bool:
    head = stage.approved()
    stage.tell(head.pause, "not_run")
    stage.attempt(ends, stage, head)
    return stage.told_again(head.pause, "not_run")


@scenario("resumed", "as_listed")
def a_listed_pause_ends_off_the_list(stage: Stage) -> bool:
    head = stage.approved()
    stage.meanwhile = lambda: lists(stage, head)
    ends(stage, head)
    return stage.astray(head.pause)


def ended_with_one_out(stage: Stage) -> Head:
    """An ended pause that stands on its list because a permit was out, and is not any more."""
    head = stage.claimed()
    ends(stage, head)
    reports(stage, head)
    return stage.head(head.pause)


@scenario("nothing_out", "permits_as_seen")
def a_pause_with_a_permit_out_leaves_every_list(stage: Stage) -> bool:
    head = ended_with_one_out(stage)
    stage.meanwhile = lambda: stage.force(head.pause, calls__1__permit__state="claimed")
    sweep(stage.ports)
    return stage.astray(head.pause)


@scenario("nothing_out", "as_listed")
def a_listed_pause_leaves_the_list_unseen(stage: Stage) -> bool:
    head = ended_with_one_out(stage)
    stage.meanwhile = lambda: stage.force(head.pause, stuck="permit_unknown", wpk=stage.keys.stuck())
    sweep(stage.ports)
    return stage.astray(head.pause)
