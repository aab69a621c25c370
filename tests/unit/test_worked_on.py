"""What somebody works on is neither listed nor handed to another; what was given back is nobody's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from placet.model.errors import Conflict, Contended, Refused
from placet.model.pauses import Agent
from placet.model.registry import Registry
from placet.model.states import Verdict
from placet.records.ops import Op
from placet.service import operate
from placet.service.leases import lease
from placet.service.resume import INVOCATION_LEASE_MS, LEASE_MS, release, renew, resume, take
from placet.service.stuck import list_stuck
from placet.service.sweep import PATIENCE_MS, sweep
from tests.gateway import BILLING, REFUND, SUPPORT, Gateway, approved

DAY_S = PATIENCE_MS // 1000
HOOKED = Agent("hooked-agent", "placet-hooked-agent", "owner@example.com", "webhook", url="https://a.example")


class Before:
    """A table on which others are quicker once: just before a write."""

    def __init__(self, gateway: Gateway, others: Any) -> None:
        self._inner, self._others = gateway.table, others
        gateway.table = self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def write(self, ops: list[Op]) -> None:
        """As the table, after the others."""
        others, self._others = self._others, lambda: None
        others()
        self._inner.write(ops)


def test_a_run_that_is_worked_on_for_longer_than_a_day_is_not_listed(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    (taken,) = take(gateway.ports, SUPPORT)
    for _ in range(DAY_S // 100 + 2):
        gateway.clock.move(100)
        renew(gateway.ports, SUPPORT, head.pause, taken["fence"])
    sweep(gateway.ports)
    assert gateway.head(head.pause).stuck == ""
    gateway.clock.move(LEASE_MS / 1000 + 1)
    sweep(gateway.ports)
    assert gateway.head(head.pause).stuck == "not_picked_up", "and is once nobody works on it"


def test_a_run_that_was_taken_up_in_the_last_minute_of_its_day_stays_with_one(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    gateway.clock.move(DAY_S - 30)
    assert take(gateway.ports, SUPPORT)
    gateway.clock.move(60)
    sweep(gateway.ports)
    assert gateway.head(head.pause).stuck == ""
    assert not take(gateway.ports, SUPPORT)


def test_a_repair_leaves_a_lease_and_says_so(gateway: Gateway) -> None:
    head, _ = approved(gateway, agent=BILLING)
    list_stuck(gateway.ports, gateway.head(head.pause), "resume_failed")
    gateway.clock.move(1)
    held = lease(gateway.ports, gateway.head(head.pause), INVOCATION_LEASE_MS)
    assert held is not None
    assert operate.repair(gateway.ports, "olga", head.pause) == operate.OFFERED_LATER
    assert gateway.head(head.pause).stuck == ""
    assert resume(gateway.ports, head.pause) == "leased"
    gateway.clock.at_ms = held.until_ms
    assert resume(gateway.ports, head.pause) == "delivered"


def test_a_repair_of_what_nobody_works_on_offers_it_at_once(gateway: Gateway) -> None:
    head, _ = approved(gateway, agent=BILLING)
    list_stuck(gateway.ports, gateway.head(head.pause), "resume_failed")
    assert operate.repair(gateway.ports, "olga", head.pause) == operate.OFFERED
    assert resume(gateway.ports, head.pause) == "delivered"


def test_a_renewal_on_its_way_does_not_keep_what_was_given_back() -> None:
    gateway = Gateway()
    head, _ = approved(gateway)
    (taken,) = take(gateway.ports, SUPPORT)
    gateway.clock.move(40)
    others, table = replace(gateway), gateway.table

    def gives_back() -> None:
        gateway.clock.at_ms += 5
        release(others.ports, SUPPORT, head.pause, taken["fence"])

    Before(gateway, gives_back)
    with pytest.raises(Conflict, match="given back"):
        renew(gateway.ports, SUPPORT, head.pause, taken["fence"])
    gateway.table = table
    assert take(gateway.ports, SUPPORT), "somebody else has it at once"


def test_a_renewal_that_meets_others_for_longer_than_its_lease_is_too_late() -> None:
    """Each try is made with the clock as it is then."""
    gateway = Gateway()
    head, _ = approved(gateway)
    (taken,) = take(gateway.ports, SUPPORT)
    table = gateway.table

    def meets_others() -> None:
        gateway.clock.move(LEASE_MS / 1000)
        raise Contended

    Before(gateway, meets_others)
    with pytest.raises(Conflict, match="ran out"):
        renew(gateway.ports, SUPPORT, head.pause, taken["fence"])
    gateway.table = table


def test_what_its_consumer_has_taken_is_not_listed_as_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The consumer takes it between the end of the sending and the listing."""
    gateway = Gateway()
    head = gateway.shown(REFUND, agent=HOOKED)
    gateway.decide(head, 1, Verdict.ACCEPT)
    ports = replace(gateway.ports, registry=Registry((HOOKED,)))

    def refuses(agent: Agent, payload: dict[str, Any]) -> None:
        raise Refused("delivery_refused", "410")

    gateway.agents.deliver = refuses  # type: ignore[method-assign]
    from placet.service import resume as module

    real = module.give_back

    def given(one: Any, pause: str, fence: int) -> bool:
        free = real(one, pause, fence)
        assert take(ports, HOOKED, pause)
        return free

    monkeypatch.setattr(module, "give_back", given)
    assert resume(ports, head.pause) == "leased"
    assert gateway.head(head.pause).stuck == ""
