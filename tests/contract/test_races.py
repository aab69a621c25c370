"""The races that the clauses close, on DynamoDB's own transactions: one winner, and with the clause taken out more than one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from placet.model.errors import PlacetError
from placet.model.pauses import call_id
from placet.model.states import CallState, Verdict
from placet.records.ops import Update
from placet.service.execute import claim
from tests.gateway import DELETE, REFUND, SUPPORT, Gateway

DECIDERS, ROUNDS = 12, 6


class Recording:
    """The DynamoDB table with a stream kept by hand, as the in-memory one has; `drop` takes clauses out (the planted bug)."""

    def __init__(self, inner: Any, drop: tuple[str, ...] = ()) -> None:
        self._inner, self._drop, self.changes = inner, drop, []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def write(self, ops: list[Any]) -> None:
        kept = [self._without(op) for op in ops]
        before = [self._inner.get(op.key) for op in ops] if len(ops) == 1 else []
        self._inner.write(kept)
        for op, old in zip(ops, before, strict=False):
            self.changes.append((old, self._inner.get(op.key)))

    def _without(self, op: Any) -> Any:
        left = tuple(one for one in op.clauses if one.name not in self._drop)
        return replace(op, clauses=left) if isinstance(op, Update) or "first" in self._drop else op


def at_once(jobs: list[Callable[[], Any]]) -> list[Any]:
    """Run all at the same moment; results or deliberate errors."""
    barrier = threading.Barrier(len(jobs))

    def run(job: Callable[[], Any]) -> Any:
        barrier.wait()
        try:
            return job()
        except PlacetError as error:
            return error

    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(run, jobs))


def decisions(gateway: Gateway) -> list[int]:
    """How many mixed decisions of distinct people on one call were told that they decided, per round."""
    people = [gateway.person(f"p{number}", f"P{number}", "finance") for number in range(DECIDERS)]
    won = []
    for number in range(ROUNDS):
        head = gateway.shown(REFUND, checkpoint=f"cp-{number}")
        verdicts = [Verdict.ACCEPT, Verdict.REJECT]
        jobs = [
            lambda who=who, verdict=verdicts[index % 2], head=head: gateway.decide(head, 1, verdict, who)
            for index, who in enumerate(people)
        ]
        answers = at_once(jobs)
        won.append(sum(not isinstance(answer, PlacetError) for answer in answers))
        after = gateway.table.get(gateway.keys.head(head.pause))
        assert after["open_calls"] == 1 - won[-1]
    return won


def test_of_many_deciders_one_decides(dynamo_table: Any) -> None:
    assert decisions(Gateway(table=Recording(dynamo_table))) == [1] * ROUNDS


def test_without_the_clause_that_closes_it_the_race_is_seen(dynamo_table: Any) -> None:
    gateway = Gateway(table=Recording(dynamo_table, drop=("call_pending", "first")))
    assert max(decisions(gateway)) > 1


def test_of_many_workers_one_gets_the_permit(dynamo_table: Any) -> None:
    gateway = Gateway(table=Recording(dynamo_table))
    assert claims(gateway) == 1


def test_without_permit_free_two_workers_would_run_the_call(dynamo_table: Any) -> None:
    gateway = Gateway(table=Recording(dynamo_table, drop=("permit_free",)))
    assert claims(gateway) > 1


def claims(gateway: Gateway) -> int:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    call, digest = call_id(head.pause, 1), head.calls[0].digest
    jobs = [
        lambda worker=f"w{number}": claim(gateway.ports, SUPPORT, call, digest, worker) for number in range(DECIDERS)
    ]
    return sum(not isinstance(answer, PlacetError) for answer in at_once(jobs))


def test_the_two_last_calls_of_a_pause_close_it_together(dynamo_table: Any) -> None:
    gateway = Gateway(table=Recording(dynamo_table))
    for number in range(ROUNDS):
        head = gateway.shown(REFUND, DELETE, checkpoint=f"cp-{number}")
        answers = at_once(
            [
                lambda head=head: gateway.decide(head, 1, Verdict.ACCEPT),
                lambda head=head: gateway.decide(head, 2, Verdict.REJECT, gateway.jonas),
            ]
        )
        assert [answer.state for answer in answers] == [CallState.ACCEPTED, CallState.REJECTED]
        assert gateway.head(head.pause).open_calls == 0


def test_ten_equal_decisions_are_one_effect_and_ten_equal_answers(dynamo_table: Any) -> None:
    gateway = Gateway(table=Recording(dynamo_table))
    head = gateway.shown(REFUND)
    answers = at_once([lambda: gateway.decide(head, 1, Verdict.ACCEPT)] * 10)
    assert len({(answer.call, answer.state, answer.digest, answer.by, answer.at_ms) for answer in answers}) == 1
    assert sum(not answer.replayed for answer in answers) == 1


def test_two_last_votes_at_once_count_once_each(dynamo_table: Any) -> None:
    gateway = Gateway(table=Recording(dynamo_table))
    gateway.with_policy(quorum=2)
    for number in range(ROUNDS):
        head = gateway.shown(REFUND, checkpoint=f"cp-{number}")
        answers = at_once(
            [
                lambda head=head: gateway.decide(head, 1, Verdict.ACCEPT),
                lambda head=head: gateway.decide(head, 1, Verdict.ACCEPT, gateway.jonas),
            ]
        )
        assert sorted(answer.state for answer in answers) == [CallState.ACCEPTED, CallState.PENDING]
        assert set(gateway.head(head.pause).calls[0].votes) == {"maria", "jonas"}


@pytest.mark.parametrize("who", ["decides", "expires"])
def test_deciding_and_expiring_at_the_deadline_are_one_or_the_other(dynamo_table: Any, who: str) -> None:
    from placet.service.escalate import escalate

    gateway = Gateway(table=Recording(dynamo_table))
    for number in range(ROUNDS):
        head = gateway.shown(REFUND, checkpoint=f"cp-{number}")
        gateway.clock.at_ms = head.deadline_ms - (1 if who == "decides" else 0)
        answers = at_once(
            [
                lambda head=head: gateway.decide(head, 1, Verdict.ACCEPT),
                lambda head=head: escalate(gateway.ports, head.pause),
            ]
        )
        state = gateway.head(head.pause).calls[0].state
        assert state is (CallState.ACCEPTED if who == "decides" else CallState.EXPIRED)
        assert isinstance(answers[0], PlacetError) == (who == "expires")
