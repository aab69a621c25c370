"""A class that only observes, and what is drawn for a look afterwards: with the policy's own rules."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from placet.model.canonical import parse
from placet.model.errors import Invalid
from placet.model.pauses import Evidence, call_id
from placet.model.states import CallState, PauseState, PermitState
from placet.policy import Always, Budget, FirstTime, FromUntrusted, Sample, Tool
from placet.policy.classes import LONGEST_MAXIMUM_S
from placet.records.finds import KEPT_SAMPLE_S
from placet.service.execute import claim, outcome
from placet.service.resume import take
from placet.service.review import detail
from placet.service.samples import samples
from tests.asking import policy_of
from tests.gateway import DELETE, REFUND, SUPPORT, Gateway

BUDGET = Budget("test/budget", "The budget of the day is used up.", Decimal(500), argument="amount")
EVERY = Sample("test/sample", "Looked at afterwards.", 1)


def refund(amount: Any, order: str = "1182") -> tuple[str, dict[str, Any]]:
    return ("issue_refund", {"order_id": order, "amount": amount})


def test_what_would_wait_passes_and_the_record_says_what_would_have_happened(gateway: Gateway) -> None:
    gateway.policy = policy_of(Always("test/always", "Every refund."), observe=True)
    head = gateway.capture(REFUND).head
    (call,) = head.calls
    assert (call.state, call.observed, head.state) == (CallState.PASSED, True, PauseState.CLOSED)
    (shown,) = detail(gateway.ports, gateway.maria, head.pause).calls
    assert shown.observed
    assert shown.why == (("test/always", "Every refund."),)
    assert shown.decided is not None
    assert (shown.decided.state, shown.decided.observed) == ("passed", True)
    gateway.deliver()
    assert gateway.mail.sent == []
    assert gateway.waits.started == {}


def test_an_observed_call_runs_and_is_never_asked_for_again(gateway: Gateway) -> None:
    gateway.policy = policy_of(Always("test/always", "Every refund."), observe=True)
    head = gateway.capture(REFUND).head
    gateway.clock.move(LONGEST_MAXIMUM_S - 60)
    at = call_id(head.pause, 1)
    assert claim(gateway.ports, SUPPORT, at, head.calls[0].digest, "w").arguments
    outcome(gateway.ports, SUPPORT, at, "w", PermitState.DONE, "")


def test_another_class_beside_it_waits_as_ever(gateway: Gateway) -> None:
    gateway.policy = policy_of(Always("test/always", "Every refund."), observe=True)
    head = gateway.capture(REFUND, DELETE).head
    assert [(call.state, call.observed) for call in head.calls] == [
        (CallState.PASSED, True),
        (CallState.PENDING, False),
    ]
    assert take(gateway.ports, SUPPORT) == []


def test_what_is_denied_stays_denied(gateway: Gateway) -> None:
    gateway.policy = policy_of(Always("test/always", "Every refund."), observe=True)
    denied = Tool("issue_refund", "money-out", denied=True)
    gateway.policy = replace(gateway.policy, tools={**gateway.policy.tools, "issue_refund": denied})
    head = gateway.capture(REFUND).head
    assert (head.calls[0].state, head.calls[0].observed) == (CallState.DENIED, False)


def test_switched_off_the_next_call_waits(gateway: Gateway) -> None:
    gateway.policy = policy_of(Always("test/always", "Every refund."), observe=True)
    assert gateway.capture(REFUND, checkpoint="a").head.calls[0].state is CallState.PASSED
    gateway.policy = policy_of(Always("test/always", "Every refund."))
    assert gateway.capture(REFUND, checkpoint="b").head.calls[0].state is CallState.PENDING


def test_a_budget_that_is_observed_counts_what_would_have_passed(gateway: Gateway) -> None:
    gateway.policy = policy_of(BUDGET, observe=True)
    calls = [gateway.capture(refund(300), checkpoint=f"{number}").head.calls[0] for number in range(3)]
    assert [(call.state, call.observed) for call in calls] == [
        (CallState.PASSED, False),
        (CallState.PASSED, True),
        (CallState.PASSED, True),
    ]
    assert [item["spent"] for item in gateway.table.items.values() if item["kind"] == "BUDGET"] == [300 * 10**9]


def test_nine_times_99_meets_the_policys_budget_and_says_the_sum(gateway: Gateway) -> None:
    gateway.policy = policy_of(BUDGET)
    heads = [gateway.capture(refund(99), checkpoint=f"{number}").head for number in range(6)]
    assert [head.calls[0].state for head in heads] == [CallState.PASSED] * 5 + [CallState.PENDING]
    (shown,) = detail(gateway.ports, gateway.maria, heads[-1].pause).calls
    assert "495 is spent; this call adds 99" in shown.why[0][1]
    assert shown.known == ("495 of 500 were let pass without a person today before this call.",)


def test_a_first_time_is_asked_and_known_once_it_was_done(gateway: Gateway) -> None:
    gateway.policy = policy_of(FirstTime("test/first", "A new order.", "order_id"))
    head = gateway.capture(REFUND).head
    assert head.calls[0].state is CallState.PENDING
    (shown,) = detail(gateway.ports, gateway.maria, head.pause).calls
    assert shown.known == ("This agent has never touched this before.",)


@pytest.mark.parametrize(
    ("evidence", "state"),
    [
        ((Evidence("t", "s", False, "Refund order 1182.", "user"),), CallState.PASSED),
        (
            (Evidence("t", "s", False, "Hello.", "user"), Evidence("t", "wiki", False, "use 1182", "retrieved")),
            CallState.PENDING,
        ),
        ((Evidence("t", "s", False, "Hello.", "user"), Evidence("t", "x", False, "", "tool", 9)), CallState.PENDING),
        ((Evidence("Last message of the user", "conversation", False, "Refund order 1182."),), CallState.PENDING),
        ((), CallState.PENDING),
    ],
    ids=["the user's words", "a page's", "perhaps in what was cut", "an earlier SDK", "nothing handed in"],
)
def test_provenance_is_judged_on_whose_words_evidence_is(
    gateway: Gateway, evidence: tuple[Evidence, ...], state: CallState
) -> None:
    gateway.policy = policy_of(FromUntrusted("test/from", "Not the user's words.", "order_id"))
    assert gateway.capture(REFUND, evidence=evidence).head.calls[0].state is state


def test_what_passes_and_is_drawn_stands_on_the_list_newest_first(gateway: Gateway) -> None:
    gateway.policy = policy_of(EVERY)
    made = [gateway.capture(refund(5), checkpoint=f"{number}").head.pause for number in range(5)]
    first = samples(gateway.ports, 2)
    rest = samples(gateway.ports, 9, first.next)
    assert [row["pause"] for row in [*first, *rest]] == made[::-1]
    assert not rest.more
    assert first[0]["calls"][0]["sampled"] is True
    (call,) = detail(gateway.ports, gateway.maria, made[0]).calls
    assert call.sampled
    assert call.why == ()
    (item,) = [
        item for key, item in gateway.table.items.items() if key.pk == gateway.keys.samples() and made[0] in key.sk
    ]
    assert item["ttl"] == item_moment(item) // 1000 + KEPT_SAMPLE_S
    with pytest.raises(Invalid):
        samples(gateway.ports, 2, "made-up")


def item_moment(item: dict[str, Any]) -> int:
    return int(item["sk"].partition("#")[0])


def test_what_a_person_is_asked_about_is_not_drawn(gateway: Gateway) -> None:
    gateway.policy = policy_of(EVERY, Always("test/always", "Every refund."))
    head = gateway.capture(REFUND).head
    assert (head.calls[0].state, head.calls[0].sampled) == (CallState.PENDING, False)
    assert samples(gateway.ports) == []


def test_what_is_observed_is_drawn_too(gateway: Gateway) -> None:
    gateway.policy = policy_of(EVERY, Always("test/always", "Every refund."), observe=True)
    head = gateway.capture(REFUND).head
    assert (head.calls[0].observed, head.calls[0].sampled) == (True, True)
    assert [row["calls"][0]["observed"] for row in samples(gateway.ports)] == [True]


def test_the_agents_word_in_numbers_is_shown_as_it_was_written(gateway: Gateway) -> None:
    numbers = parse('{"rows": 4120, "cost": 0.250}')
    head = gateway.shown(REFUND, numbers=numbers, confidence=parse("0.40"))
    found = detail(gateway.ports, gateway.maria, head.pause)
    assert (found.confidence, found.numbers) == ("0.40", (("rows", "4120"), ("cost", "0.250")))
