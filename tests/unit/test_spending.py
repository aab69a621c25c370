"""Budgets: what passes without a person adds up, exactly, and to no more than the limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from placet.model.errors import Busy
from placet.model.states import CallState, Verdict
from placet.records.bodies import read_body
from placet.records.ops import Op, Update
from placet.service.judging import MOST_CHARGES, UNCOUNTED
from tests.asking import SPENT, Careless, Within, policy_of
from tests.gateway import DELETE, Gateway


@pytest.fixture
def spending(gateway: Gateway) -> Gateway:
    """A gateway that lets 500 a day pass for one entity."""
    gateway.policy = policy_of(Within(Decimal(500)))
    return gateway


def refunds(*amounts: Any) -> list[tuple[str, dict[str, Any]]]:
    return [("issue_refund", {"order_id": f"{number}", "amount": amount}) for number, amount in enumerate(amounts)]


def states(gateway: Gateway, *amounts: Any, **facts: Any) -> list[CallState]:
    """What became of refunds of so much, in one pause of its own."""
    facts.setdefault("checkpoint", f"cp-{len(gateway.table.items)}")
    return [call.state for call in gateway.capture(*refunds(*amounts), **facts).head.calls]


def counters(gateway: Gateway) -> list[int]:
    return [item["spent"] for key, item in gateway.table.items.items() if item["kind"] == "BUDGET"]


def test_nine_times_99_meets_the_budget(spending: Gateway) -> None:
    found = [states(spending, 99)[0] for _ in range(9)]
    assert found == [CallState.PASSED] * 5 + [CallState.PENDING] * 4
    assert counters(spending) == [495 * 10**9]


def test_calls_of_one_pause_add_up_too(spending: Gateway) -> None:
    assert states(spending, 300, 300, 200, 1) == [
        CallState.PASSED,
        CallState.PENDING,
        CallState.PASSED,
        CallState.PENDING,
    ]
    assert counters(spending) == [500 * 10**9]


def test_exactly_the_limit_passes_and_a_cent_more_does_not(spending: Gateway) -> None:
    assert states(spending, 499.99, 0.01) == [CallState.PASSED] * 2
    assert states(spending, 0.01) == [CallState.PENDING]
    assert states(spending, 0) == [CallState.PASSED]


def test_what_is_smaller_than_a_unit_is_counted_as_one(spending: Gateway) -> None:
    assert states(spending, 1e-12) == [CallState.PASSED]
    assert counters(spending) == [1]
    assert states(spending, 500) == [CallState.PENDING]


def test_the_same_pause_again_is_charged_once(spending: Gateway) -> None:
    for _ in range(3):
        assert states(spending, 300, checkpoint="cp") == [CallState.PASSED]
    assert counters(spending) == [300 * 10**9]


def test_what_a_person_accepts_is_not_counted(spending: Gateway) -> None:
    head = spending.shown(*refunds(501))
    spending.decide(head, 1, Verdict.ACCEPT)
    assert counters(spending) == []
    assert states(spending, 500) == [CallState.PASSED]


def test_another_entity_and_another_day_have_budgets_of_their_own(spending: Gateway) -> None:
    assert states(spending, 500) == [CallState.PASSED]
    assert states(spending, 500, entity="order:2") == [CallState.PASSED]
    assert states(spending, 1) == [CallState.PENDING]
    spending.clock.move(86_400)
    assert states(spending, 500) == [CallState.PASSED]
    ttls = [
        item["ttl"] - spending.clock.now_ms() // 1000
        for item in spending.table.items.values()
        if item["kind"] == "BUDGET"
    ]
    assert all(ttl > 86_400 for ttl in ttls)


def test_a_budget_of_a_run_does_not_begin_anew(gateway: Gateway) -> None:
    gateway.policy = policy_of(Within(Decimal(10), day=False))
    assert states(gateway, 10, run="r1") == [CallState.PASSED]
    gateway.clock.move(86_400)
    assert states(gateway, 1, run="r1") == [CallState.PENDING]
    assert states(gateway, 1, run="r2") == [CallState.PASSED]


def test_what_was_known_is_on_record(spending: Gateway) -> None:
    states(spending, 300)
    head = spending.capture(*refunds(300), checkpoint="second").head
    body = read_body(spending.table.items[spending.keys.body(head.pause, head.body)], None, head.body)
    assert body.known == {1: ("300 of 500 were let pass without a person today before this call.",)}
    assert body.fired[1][0][0] == SPENT


class Meanwhile:
    """A table on which something happens before the next write of a head."""

    def __init__(self, gateway: Gateway, *happens: Callable[[], Any]) -> None:
        self._inner, self._happens = gateway.table, list(happens)
        gateway.table = self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def write(self, ops: list[Op]) -> None:
        if any(getattr(op, "item", {}).get("kind") == "HEAD" for op in ops) and self._happens:
            happens = self._happens.pop(0)
            happens()
        self._inner.write(ops)


def spend(gateway: Gateway, amount: int) -> Callable[[], None]:
    """Somebody else spends so much meanwhile."""

    def other() -> None:
        crowded, gateway.table = gateway.table, gateway.table._inner
        states(gateway, amount, run="another")
        gateway.table = crowded

    return other


def test_who_loses_the_race_is_judged_by_the_new_sum(spending: Gateway) -> None:
    Meanwhile(spending, spend(spending, 300))
    assert states(spending, 300) == [CallState.PENDING]
    assert counters(spending) == [300 * 10**9]


def test_who_fits_beside_what_came_between_passes_at_once(spending: Gateway) -> None:
    Meanwhile(spending, spend(spending, 200))
    assert states(spending, 300) == [CallState.PASSED]
    assert counters(spending) == [500 * 10**9]


def test_a_counter_that_is_too_busy_sends_the_call_to_a_person_and_loses_nothing(spending: Gateway) -> None:
    def busy() -> None:
        raise Busy

    Meanwhile(spending, busy)
    head = spending.capture(*refunds(300)).head
    assert [call.state for call in head.calls] == [CallState.PENDING]
    assert counters(spending) == []
    (why,) = spending.head(head.pause).card.why
    assert why.startswith("The budget is used up. This could not be judged")


def test_a_table_that_does_not_answer_is_busy(spending: Gateway) -> None:
    def busy() -> None:
        raise Busy

    Meanwhile(spending, busy, busy)
    with pytest.raises(Busy):
        states(spending, 300)


def test_beside_what_spends_the_rest_of_the_pause_is_judged_as_ever(spending: Gateway) -> None:
    head = spending.capture(*refunds(300), DELETE).head
    assert [call.state for call in head.calls] == [CallState.PASSED, CallState.PENDING]


def test_what_no_counter_holds_goes_to_a_person(gateway: Gateway) -> None:
    gateway.policy = policy_of(Within(Decimal("1e40")))
    assert states(gateway, 5) == [CallState.PENDING]
    assert counters(gateway) == []


def test_a_rule_that_does_not_look_at_its_budget_passes_nothing_uncounted(gateway: Gateway) -> None:
    gateway.policy = policy_of(Careless())
    assert states(gateway, 60) == [CallState.PASSED]
    head = gateway.capture(*refunds(60), checkpoint="over").head
    assert [call.state for call in head.calls] == [CallState.PENDING]
    body = read_body(gateway.table.items[gateway.keys.body(head.pause, head.body)], None, head.body)
    assert body.fired[1] == (UNCOUNTED,)
    assert counters(gateway) == [60 * 10**9]


def test_a_counter_that_cannot_be_read_goes_to_a_person_and_is_left_alone(spending: Gateway) -> None:
    states(spending, 100)
    (key,) = [key for key, item in spending.table.items.items() if item["kind"] == "BUDGET"]
    for hurt in ("a lot", -5, True, None):
        spending.table.items[key]["spent"] = hurt
        assert states(spending, 100) == [CallState.PENDING]
        assert spending.table.items[key]["spent"] is hurt
    assert any(name == "unreadable" for name, _ in spending.log)


def test_a_pause_writes_no_more_counters_than_a_transaction_takes(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("placet.service.judging.MOST_CHARGES", 2)
    rules = tuple(Within(Decimal(500), id=f"test/{number}") for number in range(3))
    gateway.policy = policy_of(*rules)
    assert states(gateway, 1) == [CallState.PENDING]
    gateway.policy = policy_of(*rules[:2])
    assert states(gateway, 1, 1) == [CallState.PASSED] * 2
    assert MOST_CHARGES + 1 < 100


def test_a_counter_without_its_clause_is_overrun(spending: Gateway) -> None:
    """The planted bug."""

    class Dropped:
        def __init__(self, inner: Any) -> None:
            self._inner = inner

        def __getattr__(self, name: str) -> Any:
            return getattr(self._inner, name)

        def write(self, ops: list[Op]) -> None:
            self._inner.write([replace(op, clauses=()) if isinstance(op, Update) else op for op in ops])

    spending.table = Dropped(spending.table)
    Meanwhile(spending, spend(spending, 300))
    assert states(spending, 300) == [CallState.PASSED]
    assert counters(spending) == [600 * 10**9]


def test_a_capture_without_a_budget_is_one_write_of_one_item(gateway: Gateway) -> None:
    sizes: list[int] = []
    real = gateway.table.write
    gateway.table.write = lambda ops: (sizes.append(len(ops)), real(ops))[1]
    gateway.capture(*refunds(240.5))
    assert set(sizes) == {1}
