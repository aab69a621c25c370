"""Claims: how long an attempt is waited for, who says that it is still at it, and that a dead one is seen in time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from placet.model.errors import Conflict, NotFound
from placet.model.pauses import call_id
from placet.model.states import PermitState
from placet.records.heads import Head
from placet.service.execute import CLAIM_MS, Permit, claim, claim_ms_of, outcome, renew_claim
from placet.service.sweep import sweep
from placet.service.went_on import resumed
from tests.gateway import BILLING, SUPPORT, Gateway, approved, without_class

MINUTE_S, LEASE_S = 60, 900
KEYED = {"takes_key": True}


def claims(gateway: Gateway, head: Head, worker: str = "w1", number: int = 1, *, renews: bool = True) -> Permit:
    call = gateway.head(head.pause).calls[number - 1]
    return claim(gateway.ports, SUPPORT, call_id(head.pause, number), call.digest, worker, renews=renews)


def renewed(gateway: Gateway, head: Head, worker: str = "w1") -> int:
    return renew_claim(gateway.ports, SUPPORT, call_id(head.pause, 1), worker)


def permit(gateway: Gateway, head: Head) -> PermitState:
    return gateway.head(head.pause).calls[0].permit


def swept_each_minute(gateway: Gateway, minutes: int) -> int:
    """Pauses that were listed in so many minutes."""
    listed = 0
    for _ in range(minutes):
        gateway.clock.move(MINUTE_S)
        listed += sweep(gateway.ports).listed
    return listed


def stored(gateway: Gateway, head: Head) -> dict[str, Any]:
    return dict(gateway.table.items[gateway.keys.head(head.pause)])


def test_a_worker_that_renews_and_dies_is_listed_within_three_minutes(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    assert claims(gateway, head).until == gateway.clock.now_ms() + CLAIM_MS
    gateway.clock.move(40)
    renewed(gateway, head)
    assert swept_each_minute(gateway, 3) == 1
    assert (permit(gateway, head), gateway.head(head.pause).stuck) == (PermitState.UNKNOWN, "permit_unknown")
    assert ("stuck", {"pause": head.pause, "reason": "permit_unknown"}) in gateway.log


def test_a_worker_that_renews_may_work_for_hours(gateway: Gateway) -> None:
    head, call = approved(gateway)
    claims(gateway, head)
    for _ in range(270):
        gateway.clock.move(40)
        assert renewed(gateway, head) == gateway.clock.now_ms() + CLAIM_MS
        assert sweep(gateway.ports).given_up == 0
    assert outcome(gateway.ports, SUPPORT, call, "w1", PermitState.DONE, "paid") is False


def test_who_does_not_renew_has_as_long_as_the_class_says(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    assert claims(gateway, head, renews=False).until == gateway.clock.now_ms() + 1000 * LEASE_S
    gateway.clock.move(LEASE_S - 1)
    assert sweep(gateway.ports).given_up == 0
    gateway.clock.move(1)
    assert sweep(gateway.ports).given_up == 1


@pytest.mark.parametrize("claim_s", [30, 3_600])
def test_a_class_may_have_a_time_of_its_own_for_claims(gateway: Gateway, claim_s: int) -> None:
    gateway.with_policy(claim_s=claim_s)
    head, _ = approved(gateway)
    claims(gateway, head, renews=False)
    gateway.clock.move(claim_s - 1)
    assert sweep(gateway.ports).given_up == 0
    gateway.clock.move(1)
    assert sweep(gateway.ports).given_up == 1


def test_a_claim_under_a_class_that_is_gone_is_waited_for_all_the_same(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    gateway.policy = without_class(gateway.policy, "money-out")
    claims(gateway, head, renews=False)
    gateway.clock.move(LEASE_S - 1)
    assert sweep(gateway.ports).given_up == 0
    gateway.clock.move(1)
    assert sweep(gateway.ports).given_up == 1


def test_a_claim_of_an_earlier_release_is_given_up_by_its_class(gateway: Gateway) -> None:
    gateway.with_policy(claim_s=600)
    head, _ = approved(gateway)
    claims(gateway, head)
    del gateway.table.items[gateway.keys.head(head.pause)]["calls"]["1"]["permit"]["over_ms"]
    gateway.clock.move(599)
    assert sweep(gateway.ports).given_up == 0
    gateway.clock.move(1)
    assert sweep(gateway.ports).given_up == 1


def test_a_keyed_tool_is_free_for_the_next_attempt_as_soon(gateway: Gateway) -> None:
    head, call = approved(gateway)
    gateway.table.items[gateway.keys.head(head.pause)]["calls"]["1"] |= KEYED
    first = claims(gateway, head)
    swept_each_minute(gateway, 2)
    assert permit(gateway, head) is PermitState.FREE
    assert claims(gateway, head, "w2").idempotency_key == first.idempotency_key
    with pytest.raises(Conflict) as refused:
        renewed(gateway, head)
    assert refused.value.code == "not_your_permit"
    assert outcome(gateway.ports, SUPPORT, call, "w2", PermitState.DONE, "") is False


def test_a_late_report_for_a_keyed_tool_needs_its_claim_anew(gateway: Gateway) -> None:
    head, call = approved(gateway)
    gateway.table.items[gateway.keys.head(head.pause)]["calls"]["1"] |= KEYED
    first = claims(gateway, head)
    swept_each_minute(gateway, 2)
    with pytest.raises(Conflict) as refused:
        outcome(gateway.ports, SUPPORT, call, "w1", PermitState.DONE, "paid")
    assert refused.value.code == "not_your_permit"
    assert claims(gateway, head).idempotency_key == first.idempotency_key
    assert outcome(gateway.ports, SUPPORT, call, "w1", PermitState.DONE, "paid") is False


def test_who_was_given_up_is_told_so_and_its_report_is_still_taken(gateway: Gateway) -> None:
    head, call = approved(gateway)
    claims(gateway, head)
    swept_each_minute(gateway, 2)
    with pytest.raises(Conflict) as lost:
        renewed(gateway, head)
    assert lost.value.code == "claim_lost"
    assert outcome(gateway.ports, SUPPORT, call, "w1", PermitState.DONE, "paid after all") is False
    with pytest.raises(Conflict) as settled:
        renewed(gateway, head)
    assert settled.value.code == "permit_settled"


def test_a_claim_is_renewed_by_its_own_attempt_only(gateway: Gateway) -> None:
    head, call = approved(gateway)
    with pytest.raises(Conflict):
        renewed(gateway, head)
    claims(gateway, head)
    with pytest.raises(Conflict) as other:
        renewed(gateway, head, "w2")
    assert other.value.code == "not_your_permit"
    with pytest.raises(NotFound):
        renew_claim(gateway.ports, BILLING, call, "w1")


def test_renewing_never_makes_a_claim_shorter(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    until = claims(gateway, head, renews=False).until
    assert renewed(gateway, head) == until
    gateway.clock.move(LEASE_S - 1)
    assert renewed(gateway, head) == gateway.clock.now_ms() + CLAIM_MS


def test_the_same_claim_again_says_until_when_it_holds(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    first = claims(gateway, head)
    gateway.clock.move(5)
    again = claims(gateway, head)
    assert (again.until, again.replayed) == (first.until, True)


def test_a_renewed_claim_moves_no_entry_of_the_index(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    claims(gateway, head)
    before = stored(gateway, head)
    gateway.clock.move(40)
    renewed(gateway, head)
    after = stored(gateway, head)
    assert {name for name in after if after[name] != before[name]} == {"calls"}


def test_a_claim_that_outlives_its_run_is_given_up_as_soon(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    claims(gateway, head)
    resumed(gateway.ports, SUPPORT, head.pause)
    assert swept_each_minute(gateway, 3) == 1
    assert gateway.head(head.pause).stuck == "permit_unknown"


def test_an_attempt_at_a_call_of_a_class_that_is_gone_is_waited_for_a_quarter_of_an_hour(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    call = replace(head.calls[0], action_class="gone")
    assert claim_ms_of(gateway.ports, call) == 900_000
    assert claim_ms_of(gateway.ports, head.calls[0]) == 1000 * gateway.policy.classes["money-out"].claim_s
