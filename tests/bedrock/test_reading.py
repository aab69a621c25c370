"""What a control says, read once and strictly: every type of the captured payloads, and the traps."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from placet.frameworks.bedrock import answers
from placet.frameworks.bedrock import reading as bedrock
from placet.frameworks.bedrock.decoding import decode, schema_of
from placet.model.canonical import Lexeme, exact_text
from placet.model.errors import Invalid

CONTROLS: dict[str, Any] = json.loads(Path(__file__).with_name("data").joinpath("controls.json").read_text())


def native(control: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"session": "s1", "return_control": control, "parent": "", **more}


@pytest.mark.parametrize("name", CONTROLS)
def test_every_captured_control_is_read(name: str) -> None:
    control = CONTROLS[name]
    found = bedrock.read("s1", native(control))
    assert len(found.calls) == len(control["invocationInputs"])
    assert found.natural_key == f"s1|{control['invocationId']}"
    for call, given in zip(found.calls, control["invocationInputs"], strict=True):
        source = given["functionInvocationInput"]
        texts = {one["name"]: one["value"] for one in source["parameters"]}
        assert call.tool == "Refunds.issueRefund"
        assert call.unreadable == ()
        assert call.arguments == {
            "orderId": texts["orderId"],
            "amountCents": int(texts["amountCents"]),
            "notify": True,
            "items": [1, 2],
        }


@pytest.mark.parametrize(
    ("declared", "text", "exact"),
    [
        ("string", "007", '"007"'),
        ("string", "true", '"true"'),
        ("string", "", '""'),
        ("integer", "5000", "5000"),
        ("integer", "-5", "-5"),
        ("integer", "9007199254740993", "9007199254740993"),
        ("number", "12.50", "12.50"),
        ("number", "0.100000000000000005", "0.100000000000000005"),
        ("number", "7", "7"),
        ("boolean", "true", "true"),
        ("boolean", "false", "false"),
        ("array", "[1, 2]", "[1,2]"),
        ("array", '[{"itemName": "item1", "quantity": 2.50}]', '[{"itemName":"item1","quantity":2.50}]'),
        ("object", '{"a": {"b": [true, null]}}', '{"a":{"b":[true,null]}}'),
    ],
)
def test_a_value_with_one_reading_is_read_exactly(declared: str, text: str, exact: str) -> None:
    found = decode([{"name": "x", "type": declared, "value": text}])
    assert found.unreadable == ()
    assert exact_text(found.arguments["x"]) == exact


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        ("integer", "5e3"),
        ("integer", "05000"),
        ("integer", "5,000"),
        ("integer", "5000.0"),
        ("integer", " 5000"),
        ("integer", "5000\n"),
        ("integer", "\u0665"),
        ("integer", "+5"),
        ("integer", ""),
        ("number", "1e309"),
        ("number", "NaN"),
        ("number", "Infinity"),
        ("number", "five hundred"),
        ("number", ".5"),
        ("boolean", "True"),
        ("boolean", "yes"),
        ("boolean", "1"),
        ("array", "['a', 'b']"),
        ("array", "[{itemName=item1, quantity=2}]"),
        ("array", '{"a": 1}'),
        ("array", '[{"a": 1, "a": 2}]'),
        ("array", "[NaN]"),
        ("object", "{a=1}"),
        ("object", "[1]"),
        ("", "5"),
        ("date", "2026-11-29"),
    ],
)
def test_a_value_without_a_certain_reading_is_kept_as_it_came(declared: str, text: str) -> None:
    found = decode([{"name": "x", "type": declared, "value": text}])
    assert [name for name, _ in found.unreadable] == ["x"]
    assert found.arguments == {"x": text}
    assert schema_of(found) is None


def test_a_name_given_twice_is_unreadable() -> None:
    found = decode([{"name": "x", "type": "string", "value": one} for one in ("1", "2")])
    assert found.unreadable == (("x", "It is given twice."),)


def test_an_edit_has_to_keep_names_and_types() -> None:
    found = decode([{"name": "x", "type": "integer", "value": "1"}])
    assert schema_of(found) == {
        "type": "object",
        "properties": {"x": {"type": "integer"}},
        "required": ["x"],
        "additionalProperties": False,
    }


API = {
    "invocationId": "i-1",
    "invocationInputs": [
        {
            "apiInvocationInput": {
                "actionGroup": "Orders",
                "apiPath": "/orders/{orderId}/refund",
                "httpMethod": "post",
                "actionInvocationType": "RESULT",
                "agentId": "AGENT12345",
                "collaboratorName": "refunds",
                "parameters": [{"name": "orderId", "type": "string", "value": "ORD-7"}],
                "requestBody": {
                    "content": {
                        "application/json": {"properties": [{"name": "amount", "type": "number", "value": "2.50"}]}
                    }
                },
            }
        }
    ],
}


def test_an_api_call_is_read_with_its_body() -> None:
    (call,) = bedrock.read("s1", native(API)).calls
    assert (call.tool, exact_text(call.arguments)) == (
        "Orders.POST /orders/{orderId}/refund",
        '{"orderId":"ORD-7","amount":2.50}',
    )
    assert answers.notes(native(API), 1) == ("Proposed by the collaborator refunds.",)


def changed(path: tuple[Any, ...], value: Any = None) -> dict[str, Any]:
    """The captured control with one member changed, or gone."""
    control = copy.deepcopy(CONTROLS["01_return_control_user_confirmation"])
    at: Any = control
    for part in path[:-1]:
        at = at[part]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return dict(control)


def without_api(field: str) -> dict[str, Any]:
    """The control of an API call without one of its fields."""
    control = copy.deepcopy(API)
    del control["invocationInputs"][0]["apiInvocationInput"][field]  # type: ignore[index]
    return control


CALL = ("invocationInputs", 0, "functionInvocationInput")


@pytest.mark.parametrize(
    "control",
    [
        changed(("invocationId",)),
        changed((*CALL, "actionInvocationType")),
        changed((*CALL, "actionInvocationType"), "CONFIRM"),
        changed((*CALL, "function")),
        changed((*CALL, "actionGroup")),
        changed((*CALL, "parameters"), {"orderId": "ORD-7"}),
        changed((*CALL, "parameters"), [{"type": "string", "value": "x"}]),
        changed((*CALL, "parameters"), [{"name": "x", "type": "integer", "value": 5}]),
        *[
            changed((*CALL, field), Lexeme("1.5"))
            for field in ("actionGroup", "function", "agentId", "collaboratorName")
        ],
        *[
            changed((*CALL, "parameters"), [{"name": "x", "type": "string", "value": "x"} | {field: Lexeme("1.5")}])
            for field in ("name", "type", "value")
        ],
        changed(("invocationId",), Lexeme("1.5")),
        changed(("invocationInputs",), []),
        changed(("invocationInputs",), CONTROLS["01_return_control_user_confirmation"]["invocationInputs"] * 6),
        changed(("invocationInputs", 0), {"otherInput": {}}),
        changed(("invocationInputs", 0), {}),
    ],
)
def test_a_control_that_lacks_what_a_decision_hangs_on_is_refused(control: dict[str, Any]) -> None:
    with pytest.raises(Invalid) as caught:
        bedrock.read("s1", native(control))
    assert caught.value.code == "native_invalid"


@pytest.mark.parametrize(
    ("control", "field"),
    [
        (changed(("invocationId",)), "invocationId"),
        (changed(("invocationId",), ""), "invocationId"),
        (changed((*CALL, "actionInvocationType")), "actionInvocationType"),
        (changed((*CALL, "function")), "function"),
        (changed((*CALL, "actionGroup")), "actionGroup"),
        (without_api("httpMethod"), "httpMethod"),
        (without_api("apiPath"), "apiPath"),
    ],
)
def test_what_is_missing_is_said_to_be_missing(control: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as caught:
        bedrock.read("s1", native(control))
    assert (caught.value.detail, caught.value.members["field"]) == (f"{field} is missing.", field)


@pytest.mark.parametrize("value", [5, "x" * 257])
def test_what_is_there_and_no_short_text_is_said_to_be_so(value: Any) -> None:
    with pytest.raises(Invalid, match="function must be text of at most 256 characters"):
        bedrock.read("s1", native(changed((*CALL, "function"), value)))


def test_an_invocation_id_is_opaque() -> None:
    control = changed(("invocationId",), "anything at all ÷ 7")
    assert bedrock.read("s1", native(control)).ref["invocation_id"] == "anything at all ÷ 7"
