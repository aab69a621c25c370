"""Leases: whoever has one knows it, also when its answer was lost, and who cannot use it gives it back."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from placet.model.errors import Conflict, NotFound
from placet.model.pauses import Agent
from placet.model.registry import Registry
from placet.model.states import Verdict
from placet.records.heads import Head
from placet.records.ops import Op, Update
from placet.service.cancel import cancel
from placet.service.leases import Lease, give_back, lease
from placet.service.resume import LEASE_MS, pick_up, release, renew, resume, take
from placet.service.went_on import resumed
from tests.gateway import BILLING, REFUND, SUPPORT, Gateway


def decided(gateway: Gateway, checkpoint: str = "cp-1", **more: Any) -> Head:
    head = gateway.shown(REFUND, checkpoint=checkpoint, **more)
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.clock.move(1)
    return gateway.head(head.pause)


def losing(gateway: Gateway, changed: Callable[[list[Op]], list[Op]] = lambda ops: ops) -> None:
    """From now on the answer of every write is lost once, so that it is written a second time."""
    write = gateway.table.write

    def twice(ops: list[Op]) -> None:
        write(changed(ops))
        write(changed(ops))

    gateway.table.write = twice  # type: ignore[method-assign]


def nameless(ops: list[Op]) -> list[Op]:
    """Writes as they were before a lease had a holder."""
    for op in ops:
        if isinstance(op, Update):
            op.set.pop(("holder",), None)
    return ops


def test_a_lease_whose_answer_was_lost_is_had_all_the_same(gateway: Gateway) -> None:
    head = decided(gateway)
    losing(gateway)
    (taken,) = take(gateway.ports, SUPPORT)
    assert (taken["fence"], gateway.head(head.pause).fence) == (1, 1)
    assert resumed(gateway.ports, SUPPORT, head.pause, 1) in (True, False)


def test_without_a_holder_it_would_be_nobodys(gateway: Gateway) -> None:
    """The planted bug."""
    decided(gateway)
    losing(gateway, nameless)
    assert take(gateway.ports, SUPPORT) == []


def test_the_decisions_are_delivered_although_the_answer_of_the_lease_was_lost(gateway: Gateway) -> None:
    head = decided(gateway, agent=BILLING)
    losing(gateway)
    assert resume(gateway.ports, head.pause) == "delivered"


def fence_of(held: Lease | None) -> int:
    return held.fence if held else 0


@pytest.mark.parametrize("target", ["sqs", "webhook"])
def test_decisions_are_sent_although_the_answer_of_the_lease_was_lost(gateway: Gateway, target: str) -> None:
    """A lease that only sends finds any lease in its way, its own too."""
    agent = Agent("queued-agent", "placet-queued-agent", "owner@example.com", target, queue="decided.fifo")
    head = decided(gateway, agent=agent)
    ports = replace(gateway.ports, registry=Registry((agent,)))
    losing(gateway)
    assert resume(ports, head.pause) == "delivered"
    assert len(gateway.agents.delivered) == 1


def test_the_lease_of_another_is_not_taken_for_ones_own(gateway: Gateway) -> None:
    head = decided(gateway)
    assert fence_of(lease(gateway.ports, head, LEASE_MS, holder="one")) == 1
    assert fence_of(lease(gateway.ports, head, LEASE_MS, holder="two")) == 0
    assert fence_of(lease(gateway.ports, head, LEASE_MS, holder="one")) == 1


def test_a_lease_that_is_over_given_back_or_useless_is_not_had_again(gateway: Gateway) -> None:
    head = decided(gateway)
    assert fence_of(lease(gateway.ports, head, LEASE_MS, holder="one")) == 1
    give_back(gateway.ports, head.pause, 1)
    assert fence_of(lease(gateway.ports, head, LEASE_MS, holder="one")) == 0, "judged on a head of before"
    again = gateway.head(head.pause)
    assert fence_of(lease(gateway.ports, again, LEASE_MS, holder="one")) == 2
    gateway.clock.move(LEASE_MS / 1000)
    assert fence_of(lease(gateway.ports, again, LEASE_MS, holder="one")) == 0
    assert fence_of(lease(gateway.ports, gateway.head(head.pause), LEASE_MS, holder="one")) == 3
    cancel(gateway.ports, SUPPORT, head.pause, "the user left")
    assert fence_of(lease(gateway.ports, again, LEASE_MS, holder="one")) == 0


def test_the_same_request_again_gets_what_it_got(gateway: Gateway) -> None:
    pauses = [decided(gateway, f"cp-{number}").pause for number in range(3)]
    first = take(gateway.ports, SUPPORT, limit=2, holder="r-1")
    assert [one["pause"] for one in first] == pauses[:2]
    again = take(gateway.ports, SUPPORT, limit=2, holder="r-1")
    assert [(one["pause"], one["fence"]) for one in again] == [(one["pause"], one["fence"]) for one in first]
    assert [one["pause"] for one in take(gateway.ports, SUPPORT, limit=2, holder="r-2")] == pauses[2:]


def test_a_repeated_request_is_told_the_end_that_the_record_has(gateway: Gateway) -> None:
    head = decided(gateway)
    (first,) = take(gateway.ports, SUPPORT, holder="r-1")
    gateway.clock.move(40)
    for again in (take(gateway.ports, SUPPORT, holder="r-1"), take(gateway.ports, SUPPORT, head.pause, holder="r-1")):
        assert [(one["fence"], one["lease_until"]) for one in again] == [(first["fence"], first["lease_until"])]
    assert gateway.table.items[gateway.keys.head(head.pause)]["lease_until_ms"] == first["lease_until"]


def test_a_repeated_request_gets_what_it_has_before_what_is_older(gateway: Gateway) -> None:
    """What stood in front was another's when the request came first, and is free now."""
    older, own = decided(gateway, "cp-1"), decided(gateway, "cp-2")
    gateway.clock.move(LEASE_MS / 1000)
    (front,) = take(gateway.ports, SUPPORT)
    (first,) = take(gateway.ports, SUPPORT, holder="r-1")
    release(gateway.ports, SUPPORT, front["pause"], front["fence"])
    (again,) = take(gateway.ports, SUPPORT, holder="r-1")
    assert (front["pause"], first["pause"], again["pause"]) == (older.pause, own.pause, own.pause)
    both = take(gateway.ports, SUPPORT, limit=2, holder="r-1")
    assert [one["pause"] for one in both] == [own.pause, older.pause]


def test_what_was_over_in_front_is_taken_by_a_fresh_request_only(gateway: Gateway) -> None:
    older, own = decided(gateway, "cp-1"), decided(gateway, "cp-2")
    take(gateway.ports, SUPPORT)
    gateway.clock.move(LEASE_MS / 1000 - 1)
    (first,) = take(gateway.ports, SUPPORT, holder="r-1")
    gateway.clock.move(1)
    assert [one["pause"] for one in take(gateway.ports, SUPPORT, holder="r-1")] == [first["pause"]] == [own.pause]
    assert [one["pause"] for one in take(gateway.ports, SUPPORT, holder="r-2")] == [older.pause]


def test_its_own_is_not_sought_behind_what_was_free_all_along(gateway: Gateway) -> None:
    """Else each request would read the whole list."""
    for number in range(40):
        decided(gateway, f"cp-{number:02}")
    gateway.clock.move(LEASE_MS / 1000 + 1)
    read: list[int] = []
    real = gateway.table.get_many
    gateway.table.get_many = lambda keys: read.append(len(keys)) or real(keys)  # type: ignore[method-assign]
    take(gateway.ports, SUPPORT, holder="r-1")
    assert sum(read) == 3, "the one, and whether there is more"
    for one in pick_up(gateway.ports, SUPPORT, limit=25):
        gateway.table.items[gateway.keys.head(one["pause"])]["lease_until_ms"] = gateway.clock.now_ms()
    read.clear()
    take(gateway.ports, SUPPORT, holder="r-2")
    assert 25 < sum(read) <= 31, "and of those that were freed lately it reads as many, and no more"


def test_a_lease_that_nobody_holds_is_not_kept(gateway: Gateway) -> None:
    head = decided(gateway)
    (taken,) = take(gateway.ports, SUPPORT)
    release(gateway.ports, SUPPORT, head.pause, taken["fence"])
    with pytest.raises(Conflict) as given_back:
        renew(gateway.ports, SUPPORT, head.pause, taken["fence"])
    (again,) = take(gateway.ports, SUPPORT)
    gateway.clock.move(LEASE_MS / 1000)
    with pytest.raises(Conflict) as over:
        renew(gateway.ports, SUPPORT, head.pause, again["fence"])
    assert (given_back.value.code, over.value.code) == ("lease_lost", "lease_lost")
    assert take(gateway.ports, SUPPORT) != [], "another has it at once"


def test_who_cannot_use_a_pause_gives_it_back_and_another_has_it_at_once(gateway: Gateway) -> None:
    head = decided(gateway)
    (taken,) = take(gateway.ports, SUPPORT)
    assert take(gateway.ports, SUPPORT) == []
    release(gateway.ports, SUPPORT, head.pause, taken["fence"])
    assert take(gateway.ports, SUPPORT, skip=frozenset({head.pause})) == [], "not to the one who could not use it"
    (again,) = take(gateway.ports, SUPPORT)
    assert again["fence"] == 2
    with pytest.raises(Conflict) as lost:
        release(gateway.ports, SUPPORT, head.pause, taken["fence"])
    assert lost.value.code == "lease_lost"
    with pytest.raises(Conflict):
        renew(gateway.ports, SUPPORT, head.pause, taken["fence"])
    assert take(gateway.ports, SUPPORT) == [], "the lease of the other holds"


def test_giving_back_twice_is_giving_back_and_strangers_give_nothing_back(gateway: Gateway) -> None:
    head = decided(gateway)
    take(gateway.ports, SUPPORT)
    with pytest.raises(NotFound):
        release(gateway.ports, BILLING, head.pause, 1)
    assert take(gateway.ports, SUPPORT) == []
    release(gateway.ports, SUPPORT, head.pause, 1)
    release(gateway.ports, SUPPORT, head.pause, 1)
    assert len(take(gateway.ports, SUPPORT)) == 1
    resumed(gateway.ports, SUPPORT, head.pause, 2)
    with pytest.raises(Conflict):
        release(gateway.ports, SUPPORT, head.pause, 2)


def test_the_dead_threads_of_one_worker_starve_nobody(gateway: Gateway) -> None:
    dead = [decided(gateway, f"cp-{number}").pause for number in range(30)]
    good = decided(gateway, "cp-good").pause
    seen: set[str] = set()
    for _ in range(30):
        (taken,) = take(gateway.ports, SUPPORT, skip=frozenset(seen))
        release(gateway.ports, SUPPORT, taken["pause"], taken["fence"])
        seen.add(taken["pause"])
    assert seen == set(dead)
    assert [one["pause"] for one in take(gateway.ports, SUPPORT, limit=25, skip=frozenset(seen))] == [good]
    assert len(take(gateway.ports, SUPPORT, limit=25)) == 25, "a worker that has their threads gets them at once"
