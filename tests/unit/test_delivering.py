"""Delivering: leases, the pick-up list, and what an agent is told."""

import pytest

from placet.model.errors import Busy, NotFound
from placet.model.pauses import call_id
from placet.model.states import Verdict
from placet.service.answers import as_resume
from placet.service.cancel import cancel
from placet.service.leases import give_back
from placet.service.resume import pick_up, release, renew, resume, take
from placet.service.went_on import resumed
from tests.gateway import BILLING, DELETE, REFUND, SMALL, SUPPORT, Gateway


def test_a_delivery_that_fails_gives_the_lease_back(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, agent=BILLING)
    assert resume(gateway.ports, head.pause) == "waiting"
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.agents.error = Busy()
    with pytest.raises(Busy):
        resume(gateway.ports, head.pause)
    gateway.agents.error = None
    assert resume(gateway.ports, head.pause) == "delivered"
    assert resume(gateway.ports, head.pause) == "leased"
    ((agent, payload),) = gateway.agents.delivered
    assert (agent, payload["resume"]["fence"], payload["resume"]["state"]) == ("billing-agent", 2, "decided")
    give_back(gateway.ports, head.pause, head.fence + 1)
    assert resumed(gateway.ports, BILLING, head.pause, 2) is False
    assert resumed(gateway.ports, BILLING, head.pause) is True
    assert resume(gateway.ports, head.pause) == "done"


def test_what_is_picked_up_has_everything_an_agent_needs(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    (found,) = pick_up(gateway.ports, SUPPORT)
    (call,) = found.pop("calls")
    assert found == {
        "pause": head.pause,
        "run": "thread-1",
        "framework": "langchain",
        "state": "decided",
        "native_ref": {"checkpoint_ns": "", "checkpoint_id": "cp-1"},
    }
    assert call == {
        "call": call_id(head.pause, 1),
        "tool": "issue_refund",
        "framework_call_id": "call_1",
        "interrupt_id": f"{1:032x}",
        "state": "accepted",
        "reason": "because",
        "decided_by": "Maria Keller",
        "by_whom": {"name": "Maria Keller", "in_place_of": None},
        "native": {"type": "approve"},
        "permit": "free",
        "digest": head.calls[0].digest,
        "arguments": '{"order_id":"1182","amount":240.5}',
    }


def test_taking_gives_as_many_as_asked_for_oldest_first(gateway: Gateway) -> None:
    pauses = []
    for number in range(3):
        head = gateway.shown(REFUND, checkpoint=f"cp-{number}")
        gateway.decide(head, 1, Verdict.ACCEPT)
        gateway.clock.move(1)
        pauses.append(head.pause)
    assert [one["pause"] for one in pick_up(gateway.ports, SUPPORT, 2)] == pauses[:2]
    (first,) = take(gateway.ports, SUPPORT)
    assert (first["pause"], first["lease_until"] - gateway.clock.now_ms() <= 120_000) == (pauses[0], True)
    assert [one["pause"] for one in take(gateway.ports, SUPPORT, limit=5)] == pauses[1:]
    assert take(gateway.ports, SUPPORT, limit=5) == []


def test_who_comes_last_gets_the_one_that_is_free_without_trying_the_others(gateway: Gateway) -> None:
    for number in range(30):
        gateway.decide(gateway.shown(REFUND, checkpoint=f"cp-{number}"), 1, Verdict.ACCEPT)
    assert all(take(gateway.ports, SUPPORT) for _ in range(29))
    tried: list[object] = []
    write, gateway.table.write = gateway.table.write, lambda ops: tried.append(ops) or write(ops)  # type: ignore[method-assign]
    assert len(take(gateway.ports, SUPPORT, limit=5)) == 1
    assert len(tried) == 1


def test_nobody_else_keeps_an_agents_lease(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    (taken,) = take(gateway.ports, SUPPORT)
    gateway.clock.move(1)
    with pytest.raises(NotFound):
        renew(gateway.ports, BILLING, head.pause, taken["fence"])
    assert gateway.table.items[gateway.keys.head(head.pause)]["lease_until_ms"] == taken["lease_until"]
    assert renew(gateway.ports, SUPPORT, head.pause, taken["fence"]) == taken["lease_until"] + 1_000


def test_a_call_that_nobody_decided_yet_is_told_beside_the_decided_one(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    gateway.decide(head, 1, Verdict.ACCEPT)
    told = as_resume(gateway.ports, gateway.head(head.pause))
    assert (told["state"], [call["state"] for call in told["calls"]]) == ("waiting", ["accepted", "pending"])
    assert told["calls"][1] == {
        "call": call_id(head.pause, 2),
        "tool": "delete_records",
        "framework_call_id": "call_2",
        "interrupt_id": f"{2:032x}",
        "state": "pending",
    }


def test_a_cancelled_pause_is_told_as_ended(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    cancel(gateway.ports, SUPPORT, head.pause, "the user left")
    told = as_resume(gateway.ports, gateway.head(head.pause))
    assert (told["state"], told["calls"][0]["state"]) == ("ended", "cancelled")


def test_who_goes_on_behind_the_last_one_comes_to_every_pause(gateway: Gateway) -> None:
    """However many it gives back, which are free again at once."""
    pauses = [gateway.capture(SMALL, checkpoint=f"cp-{number}").head.pause for number in range(130)]
    gateway.clock.move(61)
    seen, after = [], ""
    for _ in range(len(pauses) + 1):
        (one,) = page = take(gateway.ports, SUPPORT, after=after)
        release(gateway.ports, SUPPORT, one["pause"], one["fence"])
        seen.append(one["pause"])
        after = page.next
    assert sorted(seen[:-1]) == sorted(pauses)
    assert seen[-1] == seen[0], "and then begins anew"


def test_behind_the_last_one_those_before_it_are_not_forgotten(gateway: Gateway) -> None:
    pauses = [gateway.capture(SMALL, checkpoint=f"cp-{number}").head.pause for number in range(5)]
    gateway.clock.move(61)
    first = take(gateway.ports, SUPPORT, limit=4)
    for one in first:
        release(gateway.ports, SUPPORT, one["pause"], one["fence"])
    rest = take(gateway.ports, SUPPORT, limit=25, after=first.next)
    assert [one["pause"] for one in rest] == [set(pauses).difference(one["pause"] for one in first).pop()] + [
        one["pause"] for one in first
    ]
