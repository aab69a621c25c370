"""The action-group Lambda behind a Bedrock runtime that speaks the real event stream, with an unmodified boto3 client."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from local.bedrock import BedrockRuntime, BedrockServer, Mode, refund_agent
from placet.client.bedrock import verified_action, verifying
from placet.model.states import PermitState
from tests.frameworks.bedrock.scene import Scene, context
from tests.local.bedrock_talk import Talk, refund, reverse

RAN: list[dict] = []


@pytest.fixture
def talk(scene: Scene) -> Iterator[Talk]:
    RAN.clear()
    handler = verified_action(scene.gateway)(lambda **given: RAN.append(given) or "refunded")
    runtime = BedrockRuntime([refund_agent(Mode.CONFIRM)], lambda event: handler(event, context()))
    with BedrockServer(runtime) as server:
        yield Talk(server.url)


@pytest.mark.parametrize(("verb", "result"), [("refund", refund), ("reverse", reverse)])
def test_what_was_confirmed_runs_once_and_later_calls_do_not_ride_on_it(scene: Scene, talk: Talk, verb, result) -> None:
    asked = talk.say("run-1", f"{verb} ORD-7 5000")
    pause = scene.accepted(*asked.control["invocationInputs"])
    said = talk.answer("run-1", asked.invocation, result("CONFIRM"), sessionAttributes=scene.attributes(pause))
    assert "refunded" in said.text
    assert (len(RAN), scene.permit(pause)) == (1, PermitState.DONE)

    again = talk.say("run-1", f"{verb} ORD-7 5000")
    assert "was not run again" in talk.answer("run-1", again.invocation, result("CONFIRM")).text
    other = talk.say("run-1", f"{verb} ORD-7 9000")
    assert verifying.OTHER_ARGUMENTS in talk.answer("run-1", other.invocation, result("CONFIRM")).text
    assert len(RAN) == 1


def test_who_answers_bedrock_without_placet_runs_nothing(talk: Talk) -> None:
    asked = talk.say("run-1", "refund ORD-7 5000")
    said = talk.answer("run-1", asked.invocation, refund("CONFIRM"))
    assert verifying.NOT_CONFIRMED in said.text
    assert RAN == []
