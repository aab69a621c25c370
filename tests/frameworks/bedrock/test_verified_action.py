"""An action-group Lambda acts once, on exactly what was confirmed, and answers in Bedrock's own shape in every case."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from placet.client import current_permit
from placet.client.bedrock import verified_action, verifying
from placet.client.records import Permit
from placet.model.states import PermitState
from tests.frameworks.bedrock.scene import REFUND, Scene, context, function, invoked, operation

ARGUMENTS = {"orderId": "ORD-7", "amount": 50.0, "notify": False, "items": [1, 2.5]}
OTHER = (("orderId", "string", "ORD-7"), ("amount", "number", "500.00"), *REFUND[2:])


class Desk:
    """What the action does: notes its arguments, and raises or returns what it is told to."""

    def __init__(self, gives="refunded", **options):
        self.ran = []
        self.keys = []
        self._gives = gives
        self.options = options

    def on(self, scene: Scene):
        @verified_action(scene.gateway, **self.options)
        def issue_refund(orderId, amount, notify, items):
            self.ran.append({"orderId": orderId, "amount": amount, "notify": notify, "items": items})
            self.keys.append(current_permit().idempotency_key)
            if isinstance(self._gives, BaseException):
                raise self._gives
            return self._gives

        return issue_refund


def said(answer) -> str:
    """The sentence for the model; nothing else may be in the way of it."""
    response = answer["response"]
    assert "responseState" not in json.dumps(answer)
    if "apiPath" in response:
        return json.loads(response["responseBody"]["application/json"]["body"])["error"]
    return response["functionResponse"]["responseBody"]["TEXT"]["body"]


def test_the_confirmed_call_runs_under_its_permit(scene: Scene) -> None:
    pause = scene.accepted(function())
    desk = Desk()
    event = invoked(function(), scene.attributes(pause))
    answer = desk.on(scene)(event, context())
    assert desk.ran == [ARGUMENTS]
    assert desk.keys == [f"placet-{pause}-1"]
    assert (scene.permit(pause), scene.result(pause)) == (PermitState.DONE, "refunded")
    assert answer == {
        "messageVersion": "1.0",
        "response": {
            "actionGroup": "Refunds",
            "function": "issueRefund",
            "functionResponse": {"responseBody": {"TEXT": {"body": "refunded"}}},
        },
        "sessionAttributes": event["sessionAttributes"],
        "promptSessionAttributes": {"locale": "en"},
    }


def test_an_operation_of_an_api_answers_as_one(scene: Scene) -> None:
    pause = scene.accepted(operation())
    desk = Desk(gives={"refund": "R-1"}, tool="Refunds.POST /orders/{orderId}/refund", decimals=True)
    answer = desk.on(scene)(invoked(operation(), scene.attributes(pause)), context())
    assert desk.ran == [ARGUMENTS | {"amount": Decimal("50.00"), "items": [1, Decimal("2.50")]}]
    assert str(desk.ran[0]["amount"]) == "50.00"
    assert scene.permit(pause) is PermitState.DONE
    assert answer["response"] == {
        "actionGroup": "Refunds",
        "apiPath": "/orders/{orderId}/refund",
        "httpMethod": "POST",
        "httpStatusCode": 200,
        "responseBody": {"application/json": {"body": '{"refund":"R-1"}'}},
    }


def ridden_twice(scene: Scene) -> tuple[list[dict], dict]:
    """The model asks again later in the session: Bedrock sends the old attributes along."""
    pause = scene.accepted(function())
    desk = Desk()
    handler = desk.on(scene)
    event = invoked(function(), scene.attributes(pause))
    handler(event, context("one"))
    return desk.ran, handler(event, context("two"))


def test_a_second_call_on_the_same_attributes_is_refused(scene: Scene) -> None:
    ran, answer = ridden_twice(scene)
    assert len(ran) == 1
    assert said(answer) == "This call was settled before (done) and was not run again. Result: refunded"


def test_without_the_claim_it_would_run_twice(scene: Scene, monkeypatch) -> None:
    def unclaimed(gateway, calls, request):
        text = '{"orderId":"ORD-7","amount":50.00,"notify":false,"items":[1,2.50]}'
        return Permit(calls[0].call, calls[0].tool, text, calls[0].digest, "key", request)

    monkeypatch.setattr(verifying, "_claimed", unclaimed)
    assert len(ridden_twice(scene)[0]) == 2


def with_other_arguments(scene: Scene) -> tuple[list[dict], dict, PermitState]:
    """The model, or who can send turns, has Bedrock run another amount under the attributes of an approved one."""
    pause = scene.accepted(function())
    desk = Desk()
    answer = desk.on(scene)(invoked(function(*OTHER), scene.attributes(pause)), context())
    return desk.ran, answer, scene.permit(pause)


def test_other_arguments_than_the_confirmed_do_not_run(scene: Scene) -> None:
    ran, answer, permit = with_other_arguments(scene)
    assert (ran, permit, scene.handlers.requests) == ([], PermitState.FREE, [])
    assert said(answer) == verifying.OTHER_ARGUMENTS


def test_without_comparing_digests_an_answer_would_be_given_for_other_arguments(scene: Scene, monkeypatch) -> None:
    monkeypatch.setattr(verifying, "_matching", lambda action: [one for one in action.confirmed])
    ran, _, permit = with_other_arguments(scene)
    assert (len(ran), permit) == (1, PermitState.DONE)


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"placet_pause": "", "placet_calls": "[]"},
        {"placet_calls": "{"},
        {"placet_calls": "[1]"},
        {"placet_calls": '{"call": "x"}'},
        {"placet_calls": "[" * 2_000},
        {"placet_calls": '[{"call": "other-1"}]'},
        {"placet_pause": "of another pause"},
        {"placet_pause": None},
    ],
)
def test_a_call_that_nobody_confirmed_does_not_run(scene: Scene, attributes) -> None:
    pause = scene.accepted(function())
    known = {**scene.attributes(pause), **attributes} if attributes else {}
    desk = Desk()
    answer = desk.on(scene)(invoked(function(), known), context())
    assert (desk.ran, scene.permit(pause), scene.handlers.requests) == ([], PermitState.FREE, [])
    assert said(answer) == verifying.NOT_CONFIRMED


def test_attributes_are_no_right_for_another_tool(scene: Scene) -> None:
    pause = scene.accepted(function())
    desk = Desk()
    answer = desk.on(scene)(invoked(function(name="closeAccount"), scene.attributes(pause)), context())
    assert (desk.ran, said(answer)) == ([], verifying.NOT_CONFIRMED)


def test_a_function_for_one_tool_takes_no_other(scene: Scene) -> None:
    pause = scene.accepted(function(name="closeAccount"))
    desk = Desk(tool="Refunds.issueRefund")
    answer = desk.on(scene)(invoked(function(name="closeAccount"), scene.attributes(pause)), context())
    assert (desk.ran, scene.permit(pause)) == ([], PermitState.FREE)
    assert said(answer) == "It was not run: this function is for Refunds.issueRefund only."


def test_forged_attributes_for_a_call_that_waits_do_not_run(scene: Scene) -> None:
    pause = scene.paused(function())
    desk = Desk()
    answer = desk.on(scene)(invoked(function(), scene.attributes(pause)), context())
    assert desk.ran == []
    assert said(answer) == "It was not run: The call is pending; it must not run."


def test_a_value_without_a_certain_reading_does_not_run(scene: Scene) -> None:
    pause = scene.accepted(function())
    desk = Desk()
    event = invoked(function(*REFUND[:2], ("notify", "boolean", "no"), REFUND[3]), scene.attributes(pause))
    answer = desk.on(scene)(event, context())
    assert (desk.ran, scene.handlers.requests) == ([], [])
    assert said(answer).endswith("notify: the text is no plain boolean.")


def test_two_equal_calls_run_twice_and_not_three_times(scene: Scene) -> None:
    pause = scene.accepted(function(), function())
    desk = Desk()
    handler = desk.on(scene)
    event = invoked(function(), scene.attributes(pause))
    answers = [handler(event, context(f"request-{number}")) for number in range(3)]
    assert len(desk.ran) == 2
    assert sorted(desk.keys) == [f"placet-{pause}-1", f"placet-{pause}-2"]
    assert "was not run again" in said(answers[2])
