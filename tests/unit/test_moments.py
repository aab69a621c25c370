"""Moments that are written down: until when somebody works, when the sweep looks. A write that comes late makes none worse."""

from __future__ import annotations

import pytest

from placet.model.errors import Busy, Conflict
from placet.model.pauses import call_id
from placet.model.states import PermitState, Verdict
from placet.records.heads import Head
from placet.records.ops import Op
from placet.service.execute import CLAIM_MS, claim, renew_claim
from placet.service.notify import notify
from placet.service.ports import StillAtWork
from placet.service.resume import INVOCATION_LEASE_MS, LEASE_MS, renew, resume, take
from placet.service.sweep import sweep
from tests.gateway import BILLING, DELETE, REFUND, SUPPORT, Gateway, approved
from tests.unit.test_meanwhile import Between

LATER_S = 30


def both_approved(gateway: Gateway) -> Head:
    """Two calls were accepted; the approval of the second is too old."""
    head = gateway.shown(REFUND, DELETE)
    for number in (1, 2):
        gateway.decide(gateway.head(head.pause), number, Verdict.ACCEPT)
    gateway.table.items[gateway.keys.head(head.pause)]["calls"]["2"]["permit"]["until_ms"] = 0
    return gateway.head(head.pause)


def asks_for_the_second_again(gateway: Gateway, head: Head) -> None:
    with pytest.raises(Conflict, match="reviewed again"):
        claim(gateway.ports, SUPPORT, call_id(head.pause, 2), head.calls[1].digest, "late")
    notify(gateway.ports, head.pause, 2, "token 2")


def test_a_dead_claim_is_seen_although_another_call_was_asked_for_again_beside_it(gateway: Gateway) -> None:
    head = both_approved(gateway)
    race = Between(gateway, "calls.1.permit.state", "claimed", lambda quick: asks_for_the_second_again(quick, head))
    permit = claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w1", renews=True)
    assert race.met
    after = gateway.head(head.pause)
    assert (after.open_calls, after.wsk, after.deadline_ms > after.wsk) == (1, permit.until, True)
    gateway.clock.move(CLAIM_MS / 1000)
    sweep(gateway.ports)
    assert gateway.head(head.pause).calls[0].permit is PermitState.UNKNOWN


def test_a_renewal_of_a_claim_that_comes_late_shortens_nothing(gateway: Gateway) -> None:
    head, call = approved(gateway)
    began = claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w1", renews=True).until - CLAIM_MS
    gateway.clock.move(1)
    told: list[int] = []

    def the_next_one(quick: Gateway) -> None:
        quick.clock.move(LATER_S)
        told.append(renew_claim(quick.ports, SUPPORT, call, "w1"))
        quick.clock.move(-LATER_S)

    race = Between(gateway, "calls.1.permit.over_ms", began + 1_000 + CLAIM_MS, the_next_one)
    late = renew_claim(gateway.ports, SUPPORT, call, "w1")
    assert race.met
    assert [late, gateway.head(head.pause).calls[0].over_ms] == told * 2


def test_a_renewal_of_a_lease_that_comes_late_shortens_nothing(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    (taken,) = take(gateway.ports, SUPPORT)
    gateway.clock.move(1)
    told: list[int] = []

    def the_next_one(quick: Gateway) -> None:
        quick.clock.move(LATER_S)
        told.append(renew(quick.ports, SUPPORT, head.pause, 1))
        quick.clock.move(-LATER_S)

    race = Between(gateway, "lease_until_ms", taken["lease_until"] + 1_000, the_next_one)
    late = renew(gateway.ports, SUPPORT, head.pause, 1)
    assert race.met
    assert [late, gateway.head(head.pause).lease_until_ms] == told * 2


def test_a_lease_that_others_renew_all_the_time_is_busy_and_not_lost(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    take(gateway.ports, SUPPORT)
    real = gateway.table.write

    def quicker(ops: list[Op]) -> None:
        gateway.table.items[gateway.keys.head(head.pause)]["lease_until_ms"] += LEASE_MS
        real(ops)

    gateway.table.write = quicker  # type: ignore[method-assign]
    with pytest.raises(Busy):
        renew(gateway.ports, SUPPORT, head.pause, 1)


def test_a_function_that_renews_keeps_what_its_invocation_has(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, agent=BILLING)
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.agents.error = StillAtWork()
    assert resume(gateway.ports, head.pause) == "at_work"
    until = gateway.clock.now_ms() + INVOCATION_LEASE_MS
    gateway.clock.move(40)
    assert renew(gateway.ports, BILLING, head.pause, 1) == until
    assert gateway.head(head.pause).lease_until_ms == until
    gateway.clock.move(INVOCATION_LEASE_MS / 1000 - 41)
    assert renew(gateway.ports, BILLING, head.pause, 1) == gateway.clock.now_ms() + LEASE_MS
