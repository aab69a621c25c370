"""What is typed before a call that cannot be undone is accepted: whatever the policy leaves open (decision 043)."""

from __future__ import annotations

from typing import Any

import pytest

from placet.model.canonical import parse
from placet.policy.rules import Always, Effect, Tool
from placet.service import review
from placet.service.typed import MOST_TYPED, TOOL_NAME, value_to_type
from tests.gateway import REFUND, Gateway

RULES = (Always("r", "Always."),)
MAIL = Tool("send_email", "x", rules=RULES)


def mail(**changed: Any) -> dict[str, Any]:
    return {"to": "a@example.com", "subject": "Your refund", "body": "first", **changed}


def test_the_policy_says_it_where_it_says_so() -> None:
    named = Tool("send_email", "x", rules=RULES, type_to_accept="subject")
    assert value_to_type(named, mail(), [mail()]) == ("subject", "Your refund")
    assert value_to_type(named, {"to": "a"}) == (TOOL_NAME, "send_email"), (
        "a call without it asks for something all the same"
    )


def test_of_alike_calls_it_is_what_tells_them_apart() -> None:
    assert value_to_type(MAIL, mail(), [mail(to="b@example.com")]) == ("to", "a@example.com")
    assert value_to_type(MAIL, mail(), [mail(body="second")]) == ("body", "first")
    assert value_to_type(MAIL, mail(), [mail(to="b"), mail(body="second")]) == (TOOL_NAME, "send_email")
    assert value_to_type(MAIL, mail(), [mail()]) == (TOOL_NAME, "send_email")
    assert value_to_type(MAIL, parse('{"n":1.50}'), [parse('{"n":1.5}')]) == ("n", "1.50")


@pytest.mark.parametrize("value", ["", " a", "a\nb", "a\u200bb", "x" * (MOST_TYPED + 1), True, None, ["a"], {"a": 1}])
def test_what_cannot_be_typed_is_not_asked_for(value: Any) -> None:
    assert value_to_type(MAIL, {"a": value}, [{"a": "other"}]) == (TOOL_NAME, "send_email")


@pytest.mark.parametrize("effect", [Effect.HARD, Effect.CAN])
def test_what_can_be_undone_asks_for_nothing(effect: Effect) -> None:
    assert value_to_type(Tool("send_email", "x", rules=RULES, effect=effect, type_to_accept="to"), mail()) is None


def test_a_tool_that_the_policy_does_not_know_asks_for_its_name_and_alike_ones_for_what_differs() -> None:
    gateway = Gateway()
    alone = gateway.shown(("send_email", mail()), checkpoint="one")
    (call,) = review.detail(gateway.ports, gateway.maria, alone.pause).calls
    assert call.type_to_accept == (TOOL_NAME, "send_email")
    head = gateway.shown(("send_email", mail()), REFUND, ("send_email", mail(to="b@example.com")), checkpoint="two")
    first, refund, second = review.detail(gateway.ports, gateway.maria, head.pause).calls
    assert (first.type_to_accept, second.type_to_accept) == (("to", "a@example.com"), ("to", "b@example.com"))
    assert refund.type_to_accept == ("amount", "240.5")
    edit = review.preview(gateway.ports, gateway.maria, head.pause, 3, '{"to":"c@example.com"}', "")
    assert edit.type_to_accept == ("to", "c@example.com")
