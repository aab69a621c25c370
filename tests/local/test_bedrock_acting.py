"""Confirmed actions that Bedrock runs itself: the Lambda's event, its answer, and inline agents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from local.bedrock import BedrockRuntime, BedrockServer, Mode, refund_agent
from local.bedrock.acting import done
from tests.local.bedrock_talk import INLINE_INSTRUCTION, Talk, Turn, refund, reverse


@pytest.fixture
def serve() -> Iterator[Callable[..., tuple[BedrockRuntime, Talk]]]:
    """Serve an agent whose confirmed actions are run by `act`."""
    servers = []

    def start(act: Any = done, mode: Mode = Mode.CONFIRM) -> tuple[BedrockRuntime, Talk]:
        runtime = BedrockRuntime([refund_agent(mode)], act)
        servers.append(BedrockServer(runtime).start())
        return runtime, Talk(servers[-1].url)

    yield start
    for server in servers:
        server.stop()


def confirmed(talk: Talk, session: str = "s1", **state: Any) -> Turn:
    invocation = talk.say(session, "refund ORD-7 5000", {"sessionAttributes": {"customer": "kim"}}).invocation
    return talk.answer(session, invocation, refund("CONFIRM"), **state)


def test_a_confirmed_function_gets_the_real_event(serve) -> None:
    runtime, talk = serve()
    turn = confirmed(talk, sessionAttributes={"placet_pause": "p-1"}, promptSessionAttributes={"tone": "kind"})
    assert turn.text == "ORD-7: done"
    (ran,) = runtime.executed
    assert ran.tool == "Refunds.issueRefund"
    assert ran.event == {
        "messageVersion": "1.0",
        "agent": {"name": "refund-desk", "id": "AGENT12345", "alias": "TSTALIASID", "version": "1"},
        "inputText": "refund ORD-7 5000",
        "sessionId": "s1",
        "actionGroup": "Refunds",
        "function": "issueRefund",
        "parameters": [
            {"name": "orderId", "type": "string", "value": "ORD-7"},
            {"name": "amountCents", "type": "integer", "value": "5000"},
            {"name": "notify", "type": "boolean", "value": "true"},
            {"name": "items", "type": "array", "value": "[1, 2]"},
        ],
        "sessionAttributes": {"customer": "kim", "placet_pause": "p-1"},
        "promptSessionAttributes": {"tone": "kind"},
    }


def test_a_confirmed_operation_gets_the_real_event(serve) -> None:
    runtime, talk = serve()
    invocation = talk.say("s1", "reverse ORD-7 5000").invocation
    assert talk.answer("s1", invocation, reverse("CONFIRM")).text == 'ORD-7: "done"'
    (ran,) = runtime.executed
    assert ran.tool == "Orders.POST /orders/{orderId}/refund"
    assert {name: ran.event[name] for name in ("apiPath", "httpMethod", "parameters")} == {
        "apiPath": "/orders/{orderId}/refund",
        "httpMethod": "POST",
        "parameters": [{"name": "orderId", "type": "string", "value": "ORD-7"}],
    }
    properties = ran.event["requestBody"]["content"]["application/json"]["properties"]
    assert properties[0] == {"name": "amountCents", "type": "integer", "value": "5000"}
    assert "function" not in ran.event


def test_attributes_of_the_session_stay_and_those_of_a_prompt_do_not(serve) -> None:
    runtime, talk = serve()
    confirmed(talk, sessionAttributes={"placet_pause": "p-1"}, promptSessionAttributes={"tone": "kind"})
    confirmed(talk)
    second = runtime.executed[1].event
    assert second["sessionAttributes"] == {"customer": "kim", "placet_pause": "p-1"}
    assert second["promptSessionAttributes"] == {}


def test_a_body_that_is_sent_with_a_confirmation_changes_nothing(serve) -> None:
    runtime, talk = serve()
    invocation = talk.say("s1", "refund ORD-7 900").invocation
    assert talk.answer("s1", invocation, refund("CONFIRM", '{"amountCents": 1}')).text == "ORD-7: done"
    assert runtime.executed[0].arguments["amountCents"] == "900"


def raises(_: dict[str, Any]) -> dict[str, Any]:
    raise RuntimeError("no such order")


def reports_failure(event: dict[str, Any]) -> dict[str, Any]:
    answer = done(event)
    answer["response"]["functionResponse"]["responseState"] = "FAILURE"
    return answer


def answers_for_another(event: dict[str, Any]) -> dict[str, Any]:
    return done({**event, "function": "other"})


def in_no_shape(_: dict[str, Any]) -> dict[str, Any]:
    return {"statusCode": 200, "body": "done"}


@pytest.mark.parametrize("act", [raises, reports_failure, answers_for_another, in_no_shape])
def test_a_lambda_that_fails_fails_the_request_and_its_answer_is_spent(serve, act) -> None:
    runtime, talk = serve(act)
    assert confirmed(talk).error == "DependencyFailedException"
    assert len(runtime.executed) == 1
    assert runtime.unanswered() == []
    assert talk.say("s1", "hello").text == "How can I help?"


def test_what_needs_no_confirmation_runs_at_once(serve) -> None:
    runtime, talk = serve(mode=Mode.AT_ONCE)
    assert talk.say("s1", "refund ORD-1 100 ORD-2 200").text == "ORD-1: done; ORD-2: done"
    assert [one.arguments["orderId"] for one in runtime.executed] == ["ORD-1", "ORD-2"]


FUNCTIONS = {
    "functions": [
        {
            "name": "issueRefund",
            "requireConfirmation": "ENABLED",
            "parameters": {
                "orderId": {"type": "string", "required": True},
                "amountCents": {"type": "integer", "required": True},
                "note": {"type": "string"},
            },
        }
    ]
}
OPENAPI = {
    "openapi": "3.0.0",
    "paths": {
        "/orders/{id}/cancel": {
            "post": {
                "x-requireConfirmation": "ENABLED",
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {"properties": {"why": {"type": "string"}}, "required": ["why"]},
                        }
                    }
                },
            }
        }
    },
}
BACK, OWN = {"customControl": "RETURN_CONTROL"}, {"lambda": "arn:aws:lambda:us-east-1:000000000000:function:f"}


def inline(talk: Talk, executor: dict[str, str], text: str = "", **more: Any) -> Any:
    """One turn of an inline agent; its last event, or the error's code."""
    groups = [
        {"actionGroupName": "Refunds", "actionGroupExecutor": executor, "functionSchema": FUNCTIONS},
        {"actionGroupName": "Orders", "actionGroupExecutor": executor, "apiSchema": {"payload": json.dumps(OPENAPI)}},
    ]
    given = {"foundationModel": "m", "instruction": INLINE_INSTRUCTION, "actionGroups": groups, **more}
    answer = talk.client.invoke_inline_agent(sessionId="in-1", inputText=text, **given)
    return list(answer["completion"])[-1]


@pytest.mark.parametrize(
    ("executor", "mode"), [(BACK, "USER_CONFIRMATION_AND_RESULT"), (OWN, "USER_CONFIRMATION")], ids=["back", "own"]
)
def test_an_inline_agent_has_the_actions_of_its_request(serve, executor: dict[str, str], mode: str) -> None:
    runtime, talk = serve()
    control = inline(talk, executor, "refund ORD-1 100 and cancel ORD-2 late")["returnControl"]
    function, operation = (next(iter(one.values())) for one in control["invocationInputs"])
    assert {function["actionInvocationType"], operation["actionInvocationType"]} == {mode}
    assert {function["agentId"], operation["agentId"]} == {"INLINE_AGENT"}
    assert [one["name"] for one in function["parameters"]] == ["orderId", "amountCents"]
    assert (operation["httpMethod"], operation["apiPath"]) == ("POST", "/orders/{id}/cancel")
    assert operation["requestBody"]["content"]["application/json"]["properties"][0]["value"] == "late"
    cancelled = {"actionGroup": "Orders", "httpMethod": "POST", "apiPath": "/orders/{id}/cancel"}
    body = {"responseBody": {"TEXT": {"body": "ok"}}, "confirmationState": "CONFIRM"}
    results = [refund("CONFIRM", "ok"), {"apiResult": cancelled | body}]
    state = {"invocationId": control["invocationId"], "returnControlInvocationResults": results}
    said = inline(talk, executor, inlineSessionState=state)["chunk"]["bytes"].decode()
    assert said == ("ORD-1: ok; ORD-2: ok" if executor is BACK else 'ORD-1: done; ORD-2: "done"')
    assert len(runtime.executed) == (0 if executor is BACK else 2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"idleSessionTTLInSeconds": 5400},
        {"actionGroups": [{"actionGroupName": "Refunds"}]},
        {"actionGroups": [{"actionGroupName": "O", "actionGroupExecutor": BACK, "apiSchema": {"payload": "a: b"}}]},
    ],
)
def test_an_inline_agent_that_the_service_would_not_take_is_refused(serve, wrong: dict[str, Any]) -> None:
    _, talk = serve()
    with pytest.raises(talk.client.exceptions.ValidationException):
        inline(talk, BACK, "hello", **wrong)


def test_the_time_to_live_of_an_inline_agent_comes_with_the_request(serve) -> None:
    runtime, talk = serve()
    inline(talk, BACK, "refund ORD-1 100", idleSessionTTLInSeconds=60)
    runtime.forward(61)
    assert inline(talk, BACK, "hello", idleSessionTTLInSeconds=60)["chunk"]["bytes"] == b"Noted: hello"
