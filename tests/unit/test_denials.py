"""What the policy denies by its arguments runs for nobody: not as proposed, not as edited, not what a person accepted before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import pytest

from placet.model.canonical import digest, parse
from placet.model.errors import Conflict, NotAllowed
from placet.model.pauses import call_id
from placet.model.states import CallState, Verdict
from placet.policy import Budget, Facts, FirstTime, FromUntrusted, NotOneOf, Threshold, Unjudged
from placet.service.execute import claim
from placet.service.loading import body_of
from tests.gateway import DELETE, REFUND, SUPPORT, Gateway, approved

NEVER = Threshold("money-out/never", "Nobody refunds more than 1,000.", "amount", Decimal(1000))
OVER = '{"order_id":"1182","amount":1000.01}'


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


@dataclass(frozen=True)
class NotFor:
    """A denial that looks at what is known of the call, and not at its arguments."""

    id: str = "test/not-for"
    sentence: str = "Nothing for this customer."

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        return facts.entity == "order:1182"


@dataclass(frozen=True)
class Unsure:
    """A denial that cannot tell of one amount."""

    id: str = "test/unsure"
    sentence: str = "Never."

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        if arguments["amount"] == 7:
            raise Unjudged("nobody knows")
        return False


def refusal(gateway: Gateway, call: str, named: str) -> str:
    """Why the claim is refused; empty when it is not."""
    try:
        claim(gateway.ports, SUPPORT, call, named, "w")
    except Conflict as refused:
        return refused.code
    return ""


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        (NotFor(), "policy_denies"),
        (FromUntrusted("test/from", "Somebody else's words.", "order_id"), "policy_denies"),
        (FirstTime("test/first", "A new order.", "order_id"), "policy_denies"),
        (Budget("test/budget", "Too much.", 300, argument="amount"), ""),
        (Budget("test/budget", "Too much.", 100, argument="amount"), "policy_denies"),
        (Threshold("test/other", "Too much.", "total", 10), "policy_denies"),
    ],
    ids=["entity", "evidence that is missing", "the past", "a budget", "a budget it exceeds alone", "cannot tell"],
)
def test_a_denial_deployed_while_it_waits_is_judged_on_what_is_on_record(
    gateway: Gateway, rule: Any, code: str
) -> None:
    head, call = approved(gateway)
    denying(gateway, "issue_refund", rule)
    assert refusal(gateway, call, head.calls[0].digest) == code


def test_what_a_person_accepted_although_the_denial_could_not_tell_runs(gateway: Gateway) -> None:
    denying(gateway, "issue_refund", Threshold("test/other", "Too much.", "total", 10))
    head, call = approved(gateway)
    assert refusal(gateway, call, head.calls[0].digest) == ""


def test_an_edit_into_what_a_denial_cannot_read_is_refused(gateway: Gateway) -> None:
    denying(gateway, "issue_refund", Unsure())
    head = gateway.shown(REFUND)
    text = '{"order_id":"1182","amount":7}'
    with pytest.raises(NotAllowed) as refused:
        gateway.decide(head, 1, Verdict.EDIT, arguments=text, new_digest=digest(parse(text)))
    assert refused.value.code == "edit_denied"


def test_what_an_observing_class_let_through_is_refused_when_a_denial_cannot_tell(gateway: Gateway) -> None:
    changed = replace(gateway.policy.classes["money-out"], observe=True)
    gateway.policy = replace(gateway.policy, classes={**gateway.policy.classes, "money-out": changed})
    head = gateway.capture(REFUND).head
    assert head.calls[0].observed
    denying(gateway, "issue_refund", Threshold("test/other", "Too much.", "total", 10))
    assert refusal(gateway, call_id(head.pause, 1), head.calls[0].digest) == "policy_denies"
