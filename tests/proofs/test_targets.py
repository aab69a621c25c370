"""The proof of queues and webhooks at its quick size, and bugs that it has to see."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any
from unittest import mock

import pytest

from local.settings import LocalSettings
from local.stack import LocalStack
from placet.aws.delivery.https import Place, Posting
from placet.records import clauses, writes
from placet.records.conditions import clause
from placet.records.heads import Head
from placet.service import leases, resume
from tests.proofs import Size, targets

RUNS, ROUNDS = 40, 30


@pytest.fixture(scope="module")
def sqs() -> Iterator[Any]:
    """The local AWS's queues; nothing is deployed there."""
    stack = LocalStack(LocalSettings().on_free_ports())
    try:
        stack.start()
        yield stack.client("sqs")
    finally:
        stack.discard()


def test_no_run_goes_on_twice_none_is_lost_and_no_private_address_is_reached(sqs: Any) -> None:
    size = Size(quick=True)
    proof = targets.judged(targets.played_on(print, sqs, targets.QUICK_RUNS, size.seed), size)
    assert proof.violations == []
    assert proof.figures["deliveries"] > targets.QUICK_RUNS


def test_too_few_deliveries_prove_nothing(sqs: Any) -> None:
    play = targets.played_on(lambda line: None, sqs, 12, 1)
    told = targets.judged(play, Size()).violations
    assert f"only {play.course.deliveries} deliveries" in told
    assert any(one.startswith("never happened: ") for one in told)


def _dedup_dropped() -> AbstractContextManager[object]:
    def name_of(payload: Any) -> str:
        return uuid.uuid4().hex

    return mock.patch("placet.aws.delivery.queues.name_of", name_of)


def _sender_without_lease() -> AbstractContextManager[object]:
    real = resume.lease

    def lease(ports: Any, head: Head, length_ms: int, *, holder: str = "", sending: bool = False) -> Any:
        until = ports.clock.now_ms() + length_ms
        return leases.Lease(head.fence + 1, until) if sending else real(ports, head, length_ms, holder=holder)

    return mock.patch.object(resume, "lease", lease)


def _consumer_without_lease() -> AbstractContextManager[object]:
    return mock.patch.object(clauses, "lease_free", return_value=clause("lease_free", ("pk", "exists")))


def _judged_by_name() -> AbstractContextManager[object]:
    """The name looks like anybody's, so whatever it points to is called."""
    return mock.patch.object(Posting, "_addresses", lambda self, place: self._resolve(place.host, place.port))


def _resolved_twice() -> AbstractContextManager[object]:
    """Judged on one answer of the name server, called by another."""
    real = Posting._addresses

    def addresses(self: Posting, place: Place) -> list[str]:
        real(self, place)
        return self._resolve(place.host, place.port)

    return mock.patch.object(Posting, "_addresses", addresses)


def _not_marked() -> AbstractContextManager[object]:
    def delivered(keys: Any, head: Head, fence: int, now_ms: int) -> Any:
        return writes.release_lease(keys, head.pause, fence, now_ms)

    return mock.patch.object(writes, "delivered", delivered)


def _never_again() -> AbstractContextManager[object]:
    """What was handed over once counts as taken."""
    return mock.patch("placet.service.sweep.handed_over", lambda head, now_ms: head.delivered_ms > 0)


PLANTED: dict[str, tuple[Callable[[], AbstractContextManager[object]], str, int]] = {
    "the deduplication id is dropped": (_dedup_dropped, "came as 2 messages", ROUNDS),
    "decisions are sent without a lease": (_sender_without_lease, "sent twice at once", ROUNDS),
    "a consumer works without a lease": (_consumer_without_lease, "went on twice", ROUNDS),
    "addresses are judged by their name": (_judged_by_name, "connected to 127.0.0.2", 1),
    "names are resolved twice": (_resolved_twice, "connected to 127.0.0.2", 1),
    "a delivery is not marked": (_not_marked, "was sent again after", ROUNDS),
    "nothing is delivered again": (_never_again, "neither went on nor is listed", ROUNDS),
}


@pytest.mark.parametrize("bug", PLANTED)
def test_a_planted_bug_is_seen(bug: str, sqs: Any) -> None:
    planted, seen, rounds = PLANTED[bug]
    with planted():
        play = targets.played_on(lambda line: None, sqs, RUNS, 1, rounds)
    assert any(seen in one for one in targets.judged(play, Size(quick=True)).violations)
