"""What an action-group Lambda came to: lost answers, exceptions, results of any shape."""

from __future__ import annotations

import json

import pytest

from placet.client import NotRun
from placet.client.bedrock import verified_action, verifying
from placet.client.bedrock.events import LONGEST
from placet.client.exact import digest_of
from placet.client.records import Permit
from placet.model.states import PermitState
from tests.frameworks.bedrock.scene import Scene, context, function, invoked, operation
from tests.frameworks.bedrock.test_verified_action import Desk, said


def test_a_lost_answer_of_the_claim_is_no_second_attempt(scene: Scene) -> None:
    pause = scene.accepted(function())
    scene.handlers.lost = True
    desk = Desk()
    desk.on(scene)(invoked(function(), scene.attributes(pause)), context())
    assert (len(desk.ran), scene.permit(pause)) == (1, PermitState.DONE)


def test_a_request_that_lambda_delivers_again_is_another_attempt(scene: Scene) -> None:
    """The first delivery died in the middle: nobody knows what it did, so the second must not act."""
    pause = scene.accepted(function())
    event = invoked(function(), scene.attributes(pause))
    dying = Desk(gives=SystemExit())
    with pytest.raises(SystemExit):
        dying.on(scene)(event, context("the same request"))
    assert scene.permit(pause) is PermitState.CLAIMED
    desk = Desk()
    answer = desk.on(scene)(event, context("the same request"))
    assert (len(dying.ran), desk.ran, said(answer)) == (1, [], verifying.IN_OTHER_HANDS)


def test_nothing_runs_while_the_gateway_does_not_answer(scene: Scene) -> None:
    pause = scene.accepted(function())
    scene.handlers.down = True
    desk = Desk()
    answer = desk.on(scene)(invoked(function(), scene.attributes(pause)), context())
    assert (desk.ran, scene.permit(pause), said(answer)) == ([], PermitState.FREE, verifying.NO_ANSWER)


@pytest.mark.parametrize("error", [ValueError("bad"), TimeoutError(), KeyError("\ud800")])
def test_an_exception_leaves_the_outcome_unknown(scene: Scene, error: Exception) -> None:
    pause = scene.accepted(function())
    desk = Desk(gives=error)
    handler = desk.on(scene)
    event = invoked(function(), scene.attributes(pause))
    answer = handler(event, context())
    assert said(answer) == verifying.NOBODY_KNOWS
    assert scene.permit(pause) is PermitState.UNKNOWN
    handler(event, context("again"))
    assert len(desk.ran) == 1


def test_an_action_that_certainly_did_not_act_has_failed(scene: Scene) -> None:
    pause = scene.accepted(operation())
    desk = Desk(gives=NotRun("The order is closed."))
    answer = desk.on(scene)(invoked(operation(), scene.attributes(pause)), context())
    assert answer["response"]["httpStatusCode"] == 409
    assert said(answer) == "It was not run: The order is closed."
    assert (scene.permit(pause), scene.result(pause)) == (PermitState.FAILED, "not run: The order is closed.")


def test_arguments_that_the_function_does_not_take_have_failed(scene: Scene) -> None:
    short = (("orderId", "string", "ORD-7"),)
    pause = scene.accepted(function(*short))
    desk = Desk()
    answer = desk.on(scene)(invoked(function(*short), scene.attributes(pause)), context())
    assert (desk.ran, scene.permit(pause)) == ([], PermitState.FAILED)
    assert "does not take these arguments" in said(answer)


def test_a_permit_of_another_call_runs_nothing(scene: Scene, monkeypatch) -> None:
    pause = scene.accepted(function())
    gateway = scene.gateway
    wrong = '{"orderId":"ORD-8"}'
    claim = gateway.claim

    def claimed(call, digest, worker, renews):
        got = claim(call, digest, worker, renews=renews)
        return Permit(got.call, got.tool, wrong, digest_of(wrong), got.idempotency_key, worker)

    monkeypatch.setattr(gateway, "claim", claimed)
    ran = []
    answer = verified_action(gateway)(lambda **given: ran.append(given))(
        invoked(function(), scene.attributes(pause)), context()
    )
    assert (ran, scene.permit(pause)) == ([], PermitState.FAILED)
    assert "does not name the confirmed call" in said(answer)


@pytest.mark.parametrize("proposed", [function(), operation()], ids=["function", "api"])
@pytest.mark.parametrize("gives", ["ä" * 50_000, "\ud800", {"a": "\U0001f600" * 20_000}, object(), None, {1: 2}])
def test_any_result_is_answered_and_fits(scene: Scene, gives, proposed) -> None:
    """The tool has acted by then: an answer that cannot be sent would make a success look like a failure."""
    pause = scene.accepted(proposed)
    answer = Desk(gives).on(scene)(invoked(proposed, scene.attributes(pause)), context())
    assert scene.permit(pause) is PermitState.DONE
    text = json.dumps(answer, ensure_ascii=False).encode()
    assert len(text) < len(json.dumps(answer)) + 1 < 3 * LONGEST
    if "apiPath" in answer["response"]:
        json.loads(answer["response"]["responseBody"]["application/json"]["body"])


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"actionGroup": "Refunds"},
        {"actionGroup": "Refunds", "apiPath": "/x"},
        {"actionGroup": "Refunds", "function": "f", "parameters": 5},
        {"actionGroup": "Refunds", "function": "f", "requestBody": {"content": {"a": {}, "b": {}}}},
        {"actionGroup": "Refunds", "function": "f", "requestBody": "x"},
    ],
)
def test_what_is_no_event_of_an_action_group_raises_and_runs_nothing(scene: Scene, event) -> None:
    desk = Desk()
    with pytest.raises(NotRun):
        desk.on(scene)(event, context())
    assert desk.ran == []


def test_an_async_function_is_refused_at_once(scene: Scene) -> None:
    with pytest.raises(TypeError):

        @verified_action(scene.gateway)
        async def action():
            pass
