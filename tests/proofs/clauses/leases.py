"""Leases: taken, renewed, cut short, given back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from placet.model.pauses import Agent
from placet.model.registry import Registry
from placet.records.heads import Head
from placet.service.leases import give_back
from placet.service.ports import Ports, StillAtWork
from placet.service.resume import INVOCATION_LEASE_MS, LEASE_MS, renew, resume, take
from placet.service.stuck import list_stuck
from placet.service.sweep import PATIENCE_MS, sweep
from placet.service.went_on import resumed
from tests.gateway import BILLING, SUPPORT
from tests.proofs.clauses.acting import ends, takes
from tests.proofs.clauses.stage import Stage, scenario

QUEUED = Agent("queued-agent", "placet-queued-agent", "owner@example.com", "sqs", queue="decided.fifo")


@scenario("lease", "all_decided")
def a_pause_is_taken_while_a_call_is_asked_for_again(stage: Stage) -> bool:
    head = stage.approved()
    stage.meanwhile = lambda: stage.force(head.pause, open_calls=1, calls__1__state="pending")
    return bool(takes(stage, head))


@scenario("lease", "not_resumed")
def a_run_that_went_on_is_taken_again(stage: Stage) -> bool:
    head = stage.approved()
    stage.meanwhile = lambda: ends(stage, head)
    return takes(stage, head) != []


@scenario("lease", "not_cancelled")
def a_cancelled_pause_is_taken(stage: Stage) -> bool:
    head = stage.approved()
    stage.force(head.pause, cancelled="the user left")
    return takes(stage, head) != []


@scenario("lease", "lease_free")
def two_workers_hold_a_lease(stage: Stage) -> bool:
    head = stage.approved()
    return takes(stage, head) != [] and takes(stage, head) != []


@scenario("lease", "my_fence")
def a_worker_is_told_a_fence_that_is_not_its_own(stage: Stage) -> bool:
    head = stage.approved()

    def come_and_gone() -> None:
        takes(stage, head)
        give_back(stage.ports, head.pause, head.fence + 1)

    stage.meanwhile = come_and_gone
    return any(one["fence"] != stage.head(head.pause).fence for one in takes(stage, head))


@scenario("lease", "as_listed")
def a_pause_that_a_person_has_to_look_at_is_taken_by_who_read_it_before(stage: Stage) -> bool:
    head = stage.approved()
    stage.meanwhile = lambda: list_stuck(stage.ports, stage.head(head.pause), "resume_failed")
    return takes(stage, head) != []


@scenario("list_stuck", "my_fence")
def a_run_is_listed_as_not_picked_up_that_was_taken_just_now(stage: Stage) -> bool:
    head = stage.approved()
    stage.clock.move(PATIENCE_MS / 1000 + 1)
    stage.meanwhile = lambda: takes(stage, head)
    sweep(stage.ports)
    return bool(stage.head(head.pause).stuck)


def pushed(stage: Stage) -> tuple[Head, Ports]:
    """A decided pause of an agent that gets its decisions through a queue."""
    head = stage.approved(agent=QUEUED)
    return head, replace(stage.ports, registry=Registry((QUEUED,)))


def takes_sent(ports: Ports, head: Head) -> list[Any]:
    """Who has got the decisions takes the pause."""
    return take(ports, QUEUED, head.pause)


@scenario("lease", "sending_free")
def decisions_are_sent_to_a_run_that_somebody_works_on(stage: Stage) -> bool:
    head, ports = pushed(stage)
    takes_sent(ports, head)
    return resume(ports, head.pause) == "delivered"


@scenario("lease", "sending_free")
def decisions_are_sent_twice_at_once(stage: Stage) -> bool:
    head, ports = pushed(stage)
    ways: list[str] = []

    def deliver(agent: Agent, payload: dict[str, Any]) -> None:
        if not ways:
            ways.append("first")
            ways.append(resume(ports, head.pause))

    stage.agents.deliver = deliver  # type: ignore[method-assign]
    resume(ports, head.pause)
    return "delivered" in ways


@scenario("delivered", "my_fence")
def a_delivery_ends_the_lease_of_who_was_faster(stage: Stage) -> bool:
    head, ports = pushed(stage)
    stage.meanwhile = lambda: takes_sent(ports, head)
    resume(ports, head.pause)
    return takes_sent(ports, head) != []


@scenario("delivered", "not_resumed")
def an_ended_pause_is_changed_by_a_delivery(stage: Stage) -> bool:
    head, ports = pushed(stage)
    stage.meanwhile = lambda: resumed(ports, QUEUED, head.pause)
    resume(ports, head.pause)
    return bool(stage.head(head.pause).delivered_ms)


@scenario("release_lease", "my_fence")
def a_lease_of_another_is_given_back(stage: Stage) -> bool:
    head = stage.approved()
    takes(stage, head)
    stage.clock.move(LEASE_MS / 1000)
    takes(stage, head)
    give_back(stage.ports, head.pause, head.fence + 1)
    return takes(stage, head) != []


@scenario("release_lease", "not_resumed")
def an_ended_pause_is_changed_by_a_lease_that_is_given_back(stage: Stage) -> bool:
    head = stage.approved()
    takes(stage, head)
    until = stage.item(head.pause)["lease_until_ms"]
    stage.meanwhile = lambda: ends(stage, head)
    give_back(stage.ports, head.pause, head.fence + 1)
    return bool(stage.item(head.pause)["lease_until_ms"] != until)


@scenario("renew", "my_fence")
def a_lost_lease_is_kept(stage: Stage) -> bool:
    head = stage.approved()
    takes(stage, head)
    stage.clock.move(LEASE_MS / 1000)
    takes(stage, head)
    return isinstance(stage.attempt(renew, stage.ports, SUPPORT, head.pause, 1), int)


@scenario("renew", "lease_held")
def a_lease_that_is_over_keeps_others_away(stage: Stage) -> bool:
    head = stage.approved()
    takes(stage, head)
    stage.clock.move(LEASE_MS / 1000)
    return isinstance(stage.attempt(renew, stage.ports, SUPPORT, head.pause, 1), int)


@scenario("renew", "not_given_back")
def a_renewal_on_its_way_keeps_a_lease_that_was_given_back(stage: Stage) -> bool:
    head = stage.approved()
    takes(stage, head)

    def gives_back() -> None:
        stage.clock.move(0.005)
        give_back(stage.ports, head.pause, head.fence + 1)

    stage.meanwhile = gives_back
    return isinstance(stage.attempt(renew, stage.ports, SUPPORT, head.pause, 1), int)


@scenario("renew", "lease_grows")
def a_renewal_that_comes_late_makes_a_lease_shorter(stage: Stage) -> bool:
    head = stage.approved()
    takes(stage, head)
    began = stage.clock.now_ms()

    def renews_later() -> None:
        stage.clock.move(80)
        renew(stage.ports, SUPPORT, head.pause, head.fence + 1)
        stage.clock.at_ms = began

    stage.meanwhile = renews_later
    renew(stage.ports, SUPPORT, head.pause, head.fence + 1)
    return bool(stage.item(head.pause)["lease_until_ms"] < began + 80_000 + LEASE_MS)


@scenario("renew", "all_decided")
def a_lease_is_kept_while_a_call_is_asked_for_again(stage: Stage) -> bool:
    """Set by hand: a call that is really asked for again ends the lease, which lease_held sees too."""
    head = stage.approved()
    takes(stage, head)
    stage.meanwhile = lambda: stage.force(head.pause, open_calls=1, calls__1__state="pending")
    return isinstance(stage.attempt(renew, stage.ports, SUPPORT, head.pause, 1), int)


@scenario("renew", "not_resumed")
def a_lease_outlives_its_run(stage: Stage) -> bool:
    head = stage.approved()
    takes(stage, head)
    ends(stage, head)
    return isinstance(stage.attempt(renew, stage.ports, SUPPORT, head.pause, 1), int)


@scenario("renew", "not_cancelled")
def a_lease_outlives_a_cancelled_pause(stage: Stage) -> bool:
    head = stage.approved()
    takes(stage, head)
    stage.force(head.pause, cancelled="the user left")
    return isinstance(stage.attempt(renew, stage.ports, SUPPORT, head.pause, 1), int)


def invoked(stage: Stage) -> Head:
    """A decided pause of an agent that is a Lambda function."""
    return stage.approved(agent=BILLING)


def while_it_works(stage: Stage, head: Head, job: Callable[[], object]) -> int:
    """What happens while its function is invoked; until when the pause is leased afterwards, and nothing has touched that since."""
    stage.agents.deliver = lambda agent, payload: job()  # type: ignore[assignment, method-assign, return-value]
    resume(stage.ports, head.pause)
    return int(stage.item(head.pause)["lease_until_ms"])


@scenario("shorten_lease", "lease_longer")
def a_lease_that_was_given_back_while_its_function_ran_is_held_after_it(stage: Stage) -> bool:
    head = invoked(stage)
    until = while_it_works(stage, head, lambda: give_back(stage.ports, head.pause, head.fence + 1))
    return until > stage.clock.now_ms()


@scenario("shorten_lease", "my_fence")
def the_lease_of_who_came_after_is_cut_short(stage: Stage) -> bool:
    head = invoked(stage)

    def another_has_it() -> None:
        stage.clock.move(INVOCATION_LEASE_MS / 1000)
        stage.agents.deliver = none_answers  # type: ignore[method-assign]
        resume(stage.ports, head.pause)

    return while_it_works(stage, head, another_has_it) < stage.clock.now_ms() + INVOCATION_LEASE_MS


def none_answers(agent: Agent, payload: dict[str, Any]) -> None:
    """A function that is at work for longer than anybody waits."""
    raise StillAtWork


@scenario("shorten_lease", "not_resumed")
def an_ended_pause_is_changed_by_a_function_that_ended(stage: Stage) -> bool:
    head = invoked(stage)
    until = while_it_works(stage, head, lambda: resumed(stage.ports, BILLING, head.pause))
    return until != stage.clock.now_ms() + INVOCATION_LEASE_MS
