"""A write that is judged by the clock is made anew for each try: conflicts that last carry nothing over its end."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from local.memory import MemoryTable
from placet.aws.table import DynamoTable
from placet.model.errors import Busy, Conflict, Contended, Gone
from placet.model.pauses import call_id
from placet.model.states import CallState, PermitState, Verdict
from placet.records import clauses
from placet.records.keys import Key
from placet.records.ops import Op, expires, update
from placet.service.execute import claim
from placet.service.timely import MOST_LOST, TRIES
from tests.gateway import REFUND, SUPPORT, Gateway, approved

KEY = Key("a", "b")


class Contested(MemoryTable):
    """A table on which a write that expires meets `conflicts` others first, each of which takes `seconds`."""

    def __init__(self) -> None:
        super().__init__()
        self.conflicts, self.waited = 0, []
        self.gateway: Gateway | None = None
        self.lost = self.done = False
        self.seconds = 0.001

    def write(self, ops: list[Op]) -> None:
        if not (expires(ops) and self.conflicts and self.gateway):
            return super().write(ops)
        self.conflicts -= 1
        self.gateway.clock.move(self.seconds)
        if self.done:
            super().write(ops)
        raise Contended(self.waited.append, lost=self.lost)


@pytest.fixture
def contested() -> Gateway:
    gateway = Gateway(table=Contested())
    gateway.table.gateway = gateway
    return gateway


@pytest.mark.parametrize("verdict", [Verdict.ACCEPT, Verdict.REJECT])
def test_a_deadline_that_passes_while_a_decision_meets_others_has_passed(contested: Gateway, verdict: Verdict) -> None:
    head = contested.shown(REFUND)
    contested.clock.at_ms = head.deadline_ms - 3
    contested.table.conflicts = 3
    with pytest.raises(Gone) as caught:
        contested.decide(head, 1, verdict)
    assert (caught.value.code, contested.table.waited) == ("deadline_passed", [0, 1, 2])
    assert contested.head(head.pause).calls[0].state is CallState.PENDING


def test_a_vote_is_of_the_moment_of_its_last_try(contested: Gateway) -> None:
    contested.with_policy(quorum=2)
    head = contested.shown(REFUND)
    contested.clock.at_ms, contested.table.conflicts = head.deadline_ms - 3, 2
    assert contested.decide(head, 1, Verdict.ACCEPT).at_ms == head.deadline_ms - 1
    contested.table.conflicts = 1
    with pytest.raises(Gone):
        contested.decide(contested.head(head.pause), 1, Verdict.ACCEPT, contested.jonas)


def test_an_approval_that_gets_too_old_while_a_claim_meets_others_is_too_old(contested: Gateway) -> None:
    head, call = approved(contested)
    contested.clock.at_ms = head.calls[0].until_ms - 2
    contested.table.conflicts = 2
    with pytest.raises(Conflict) as caught:
        claim(contested.ports, SUPPORT, call, head.calls[0].digest, "w")
    assert caught.value.code == "permit_stale"
    assert contested.head(head.pause).calls[0].permit is PermitState.NONE  # it has been asked for again


def test_conflicts_without_end_are_busy(contested: Gateway) -> None:
    head = contested.shown(REFUND)
    contested.table.conflicts = 99
    with pytest.raises(Busy) as caught:
        contested.decide(head, 1, Verdict.ACCEPT)
    assert (caught.value.code, contested.table.waited) == ("busy", list(range(TRIES)))


def test_nobody_who_answers_is_busy_sooner(contested: Gateway) -> None:
    head = contested.shown(REFUND)
    contested.table.conflicts, contested.table.lost = 99, True
    with pytest.raises(Busy):
        contested.decide(head, 1, Verdict.ACCEPT)
    assert 99 - contested.table.conflicts == MOST_LOST


def test_a_decision_whose_answer_was_lost_meets_its_own_success(contested: Gateway) -> None:
    head = contested.shown(REFUND)
    contested.table.conflicts, contested.table.lost, contested.table.done = 1, True, True
    assert contested.decide(head, 1, Verdict.ACCEPT).replayed
    contested.table.conflicts = 1
    permit = claim(contested.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w")
    assert permit.replayed


def test_only_what_may_stop_to_hold_expires() -> None:
    made = {name: getattr(clauses, name) for name in dir(clauses) if name in ("in_time", "still_fresh")}
    assert len(made) == 2
    assert all(made[name](1, 5).expires for name in made)
    for lasting in (clauses.deadline_passed(1, 5), clauses.too_old(1, 5), clauses.sending_free(5)):
        assert not lasting.expires


class Refusing:
    """A DynamoDB client that fails each request."""

    def __init__(self, error: Exception) -> None:
        self.error, self.asked = error, 0

    def update_item(self, **request: Any) -> Any:
        self.asked += 1
        raise self.error

    transact_write_items = update_item


CONFLICT = ClientError({"Error": {"Code": "TransactionConflictException"}}, "UpdateItem")


@pytest.mark.parametrize("error", [CONFLICT, ReadTimeoutError(endpoint_url="https://dynamodb")])
def test_the_table_sends_what_expires_once(error: Exception) -> None:
    slept: list[float] = []
    client = Refusing(error)
    table = DynamoTable("t", client, slept.append)
    with pytest.raises(Contended) as caught:
        table.write([update(KEY, [clauses.in_time(1, 5)], set={"a": 1})])
    assert (client.asked, slept, caught.value.lost) == (1, [], error is not CONFLICT)
    caught.value.wait(3)
    assert len(slept) == 1
    with pytest.raises(Busy) as busy:
        table.write([update(KEY, [clauses.deadline_passed(1, 5)], set={"a": 1})])
    assert client.asked > 2
    assert not isinstance(busy.value, Contended)
