"""Agents that are Lambda functions: invoked once at a time, however long they work."""

import pytest

from placet.model.errors import Busy
from placet.model.states import Verdict
from placet.records.heads import Head
from placet.service import resume as resuming
from placet.service.ports import StillAtWork
from placet.service.resume import INVOCATION_LEASE_MS, LEASE_MS, resume
from placet.service.sweep import sweep
from placet.service.went_on import resumed
from tests.gateway import BILLING, REFUND, Gateway

MINUTE_S = 60
TEN_MINUTES_S = 600


def decided(gateway: Gateway) -> Head:
    head = gateway.shown(REFUND, agent=BILLING)
    gateway.decide(head, 1, Verdict.ACCEPT)
    return head


def asked_while_it_works(gateway: Gateway, works_s: int) -> int:
    """How often a function is invoked anew, by sweep and machine, while its first invocation works."""
    head = decided(gateway)
    gateway.agents.error = StillAtWork()
    assert resume(gateway.ports, head.pause) == "at_work"
    gateway.agents.error = None
    for _ in range(works_s // MINUTE_S):
        gateway.clock.move(MINUTE_S)
        sweep(gateway.ports)
        if gateway.verbs.called:
            resume(gateway.ports, head.pause)
    resume(gateway.ports, head.pause)
    return len(gateway.agents.delivered)


@pytest.mark.parametrize("works_s", [TEN_MINUTES_S, 900])
def test_a_function_that_works_for_long_is_not_invoked_beside_itself(gateway: Gateway, works_s: int) -> None:
    assert asked_while_it_works(gateway, works_s) == 0
    assert gateway.verbs.called == []


def test_a_lease_of_two_minutes_would_fork_the_run(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug."""
    monkeypatch.setattr(resuming, "INVOCATION_LEASE_MS", LEASE_MS)
    assert asked_while_it_works(gateway, TEN_MINUTES_S) > 0


def test_a_function_that_died_with_its_caller_is_invoked_again_once_it_cannot_run_any_more(gateway: Gateway) -> None:
    head = decided(gateway)
    gateway.agents.error = StillAtWork()
    resume(gateway.ports, head.pause)
    gateway.agents.error = None
    gateway.clock.move(INVOCATION_LEASE_MS / 1000)
    sweep(gateway.ports)
    assert gateway.verbs.called == [("resume", {"tenant": "main", "pause": head.pause, "gen": head.gen})]
    assert resume(gateway.ports, head.pause) == "delivered"


def test_a_function_that_ended_without_going_on_is_invoked_again_after_two_minutes(gateway: Gateway) -> None:
    head = decided(gateway)
    assert resume(gateway.ports, head.pause) == "delivered"
    gateway.clock.move(LEASE_MS / 1000 - 1)
    assert resume(gateway.ports, head.pause) == "leased"
    gateway.clock.move(1)
    assert resume(gateway.ports, head.pause) == "delivered"
    assert resumed(gateway.ports, BILLING, head.pause, 2) is False


def test_a_function_that_failed_is_invoked_again_at_once(gateway: Gateway) -> None:
    head = decided(gateway)
    gateway.agents.error = Busy()
    with pytest.raises(Busy):
        resume(gateway.ports, head.pause)
    gateway.agents.error = None
    assert resume(gateway.ports, head.pause) == "delivered"
