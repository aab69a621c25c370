"""What the policy denies by its arguments runs for nobody: not as proposed, not as edited, not what a person accepted before."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from placet.model.canonical import digest, parse
from placet.model.errors import Conflict, NotAllowed
from placet.model.states import CallState, Verdict
from placet.policy import FromUntrusted, NotOneOf, Threshold
from placet.service.execute import claim
from placet.service.loading import body_of
from tests.gateway import DELETE, REFUND, SUPPORT, Gateway, approved

NEVER = Threshold("money-out/never", "Nobody refunds more than 1,000.", "amount", Decimal(1000))
OVER = '{"order_id":"1182","amount":1000.01}'


@pytest.fixture
def gateway() -> Gateway:
    return Gateway()


def denying(gateway: Gateway, tool: str = "issue_refund", *rules: object) -> None:
    changed = replace(gateway.policy.tools[tool], denies=rules or (NEVER,))
    gateway.policy = replace(gateway.policy, tools={**gateway.policy.tools, tool: changed})


def test_a_denied_call_waits_for_nobody(gateway: Gateway) -> None:
    denying(gateway)
    head = gateway.capture(("issue_refund", {"order_id": "1182", "amount": 1000.01}), REFUND).head
    assert [call.state for call in head.calls] == [CallState.DENIED, CallState.PENDING]


def test_an_edit_into_what_is_denied_is_refused_and_the_call_still_waits(gateway: Gateway) -> None:
    denying(gateway)
    head = gateway.shown(REFUND)
    with pytest.raises(NotAllowed) as refused:
        gateway.decide(head, 1, Verdict.EDIT, arguments=OVER, new_digest=digest(parse(OVER)))
    assert refused.value.code == "edit_denied"
    assert refused.value.detail == "The policy forbids the edited call. Nobody refunds more than 1,000."
    assert gateway.head(head.pause).calls[0].state is CallState.PENDING


def test_what_was_accepted_before_is_denied_when_it_is_claimed(gateway: Gateway) -> None:
    head, call = approved(gateway)
    denying(gateway, "issue_refund", replace(NEVER, above=Decimal(100)))
    with pytest.raises(Conflict) as refused:
        claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w")
    assert refused.value.code == "policy_denies"


def test_a_denial_that_cannot_tell_asks_a_person(gateway: Gateway) -> None:
    denying(gateway, "delete_records", FromUntrusted("general/foreign", "Somebody else's words.", "table"))
    head = gateway.shown(DELETE)
    assert head.calls[0].state is CallState.PENDING


def test_the_reviewer_reads_why_it_could_not_be_judged(gateway: Gateway) -> None:
    head = gateway.capture(("delete_records", {"where": "age > 90"})).head
    body = body_of(gateway.ports, head)
    assert body.policy_version == gateway.policy.version
    assert body.fired[1][0] == (
        "general/kept",
        "These records are never deleted. This could not be judged: there is no table.",
    )


@pytest.mark.parametrize("table", ["Audit-Log", "audit\u3164_log", "audit\u115f_log", "\uffa0invoices"], ids=ascii)
def test_the_deployed_policy_keeps_its_tables(gateway: Gateway, table: str) -> None:
    assert any(isinstance(rule, NotOneOf) for rule in gateway.policy.tools["delete_records"].denies)
    head = gateway.capture(("delete_records", {"table": table, "where": "1=1"})).head
    assert head.calls[0].state is CallState.DENIED
