"""One name among the parameters of an operation and in its body: equal values are one argument, others are two."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from local.bedrock import Mode, refund_agent
from placet.frameworks.bedrock.decoding import decode, schema_of
from placet.model.canonical import exact_text
from placet.model.errors import Invalid
from placet.policy import Always, Tool
from placet.service.review import detail
from tests.bedrock.desk import TTL_S, Desk
from tests.bedrock.test_controls import REVERSED, Rewritten

REVERSE = "Orders.POST /orders/{orderId}/refund"


def one(value: str | None, declared: str = "string", name: str = "id") -> dict[str, str]:
    """A parameter or property."""
    return {"name": name, "type": declared} | ({} if value is None else {"value": value})


@pytest.mark.parametrize(
    ("path", "body", "arguments"),
    [
        ([one("x")], [one("x")], {"id": "x"}),
        ([one("x")], [one("y")], {"parameters.id": "x", "requestBody.id": "y"}),
        ([one("1")], [one("1", "integer")], {"parameters.id": "1", "requestBody.id": 1}),
        ([one("x")], [one(None)], {"parameters.id": "x"}),
        ([one("x"), one("y", name="n")], [one("z", name="m")], {"id": "x", "n": "y", "m": "z"}),
    ],
)
def test_values_of_one_name_are_kept_apart_unless_they_are_equal(path: Any, body: Any, arguments: Any) -> None:
    found = decode(path, body)
    assert (found.arguments, found.unreadable) == (arguments, ())
    schema = schema_of(found)
    assert schema is not None
    assert schema["required"] == sorted(arguments)


@pytest.mark.parametrize(
    ("path", "body", "named"),
    [
        ([one("x"), one("x")], [], "id"),
        ([one("x"), one("x")], [one("x")], "parameters.id"),
        ([one("x")], [one("x"), one("x")], "requestBody.id"),
        ([one("x"), one("z", name="parameters.id")], [one("y")], "parameters.id"),
    ],
)
def test_what_stands_twice_in_one_place_can_still_only_be_rejected(path: Any, body: Any, named: str) -> None:
    assert decode(path, body).unreadable == ((named, "It is given twice."),)


class OrderInBody:
    """Put the order's number into the body too."""

    def __init__(self, value: str) -> None:
        self._value = value

    def __call__(self, call: dict[str, Any]) -> None:
        content = call.setdefault("requestBody", {}).setdefault("content", {}).setdefault("application/json", {})
        call["httpMethod"] = "Post"
        content.setdefault("properties", []).append(one(self._value, name="orderId"))


def paused(value: str) -> tuple[Desk, Any]:
    """A desk of which an operation waits that names its order twice."""
    made = Desk(script=refund_agent(Mode.RESULT, idle_ttl_s=TTL_S))
    made._runtime = Rewritten(made, OrderInBody(value))  # type: ignore[assignment]
    tool = Tool(REVERSE, "money-out", (Always("a/b", "Always."),), fixed=frozenset({"orderId"}))
    made.policy = replace(made.policy, tools=made.policy.tools | {REVERSE: tool})
    return made, made.asks(REVERSED)


@pytest.mark.parametrize("value", ["ORD-7", "ORD-8"])
def test_the_executor_gets_each_value_where_the_operation_takes_it(value: str) -> None:
    made, head = paused(value)
    try:
        (call,) = detail(made.ports, made.maria, head.pause).calls
        assert not call.unreadable
        made.ends(head, 1, "accept")
        assert made.resumes(head.pause) == "delivered"
        (order,) = made.executors.effects
        operation = order["operation"]
        assert (operation["httpMethod"], operation["apiPath"]) == ("Post", "/orders/{orderId}/refund")
        assert operation["contentType"] == "application/json"
        assert operation["parameters"]["orderId"] == "ORD-7"
        assert operation["requestBody"]["orderId"] == value
        named = (
            {"orderId": "ORD-7"} if value == "ORD-7" else {"parameters.orderId": "ORD-7", "requestBody.orderId": value}
        )
        assert {name: given for name, given in order["arguments"].items() if "orderId" in name} == named
        assert made.status().status == "finished"
    finally:
        made.server.stop()


def test_an_edit_of_what_stands_in_both_changes_both_and_what_is_fixed_stays_in_both() -> None:
    made, head = paused("ORD-8")
    try:
        (call,) = detail(made.ports, made.maria, head.pause).calls
        assert {"parameters.orderId", "requestBody.orderId"} <= set(call.fixed)
        for name in ("parameters.orderId", "requestBody.orderId"):
            with pytest.raises(Invalid) as refused:
                made.edits(head, 1, **{name: "ORD-9"})
            assert (refused.value.code, refused.value.members["argument"]) == ("argument_fixed", name)
    finally:
        made.server.stop()
    made, head = paused("ORD-7")
    try:
        free = replace(made.policy.tools[REVERSE], fixed=frozenset())
        made.policy = replace(made.policy, tools=made.policy.tools | {REVERSE: free})
        made.edits(head, 1, orderId="ORD-9")
        made.deliver()
        assert made.resumes(head.pause) == "delivered"
        operation = made.executors.effects[0]["operation"]
        assert (operation["parameters"]["orderId"], operation["requestBody"]["orderId"]) == ("ORD-9", "ORD-9")
    finally:
        made.server.stop()


def test_a_function_has_no_places() -> None:
    made = Desk()
    try:
        head = made.asks()
        made.ends(head, 1, "accept")
        made.resumes(head.pause)
        assert "operation" not in exact_text(made.executors.effects[0])
    finally:
        made.server.stop()
