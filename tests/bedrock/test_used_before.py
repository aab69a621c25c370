"""An invocation id that its session used before names no new pause: the run fails at once and says so."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from placet.model.pauses import Agent
from placet.service.ports import Turn
from tests.bedrock.desk import Desk, desk

FIRST = {
    "invocationId": "i-1",
    "invocationInputs": [
        {
            "functionInvocationInput": {
                "actionGroup": "Refunds",
                "function": "issueRefund",
                "actionInvocationType": "RESULT",
                "agentId": "AGENT12345",
                "parameters": [
                    {"name": "orderId", "type": "string", "value": "ORD-1"},
                    {"name": "amountCents", "type": "integer", "value": "50000"},
                ],
            }
        }
    ],
}


def control(order: str) -> dict[str, Any]:
    """The same invocation id, with another order."""
    made = copy.deepcopy(FIRST)
    made["invocationInputs"][0]["functionInvocationInput"]["parameters"][0]["value"] = order  # type: ignore[index]
    return made


class Told:
    """A runtime that comes to what it was told, turn by turn, and keeps what it was sent."""

    def __init__(self, *turns: dict[str, Any] | str) -> None:
        self._turns, self.sent = list(turns), []  # type: ignore[var-annotated]

    def definition(self, agent: Agent) -> str:
        return ""

    def turn(self, agent: Agent, session: str, text: str, state: dict[str, Any], definition: str) -> Turn:
        self.sent.append((session, json.dumps(state)))
        come = self._turns.pop(0)
        return Turn(come, None) if isinstance(come, str) else Turn("", come)


def failed(made: Desk, runtime: Told) -> None:
    """The run is over, says why, and the agent hears of it in a new session."""
    found = made.status()
    assert (found.status, found.code, found.pause) == ("failed", "native_invalid", "")
    assert found.why == "The invocationId was used before in this session; every request needs one of its own."
    assert ("failed", {"agent": "refund-desk", "code": "native_invalid", "field": "invocationId"}) in made.log
    assert made.paid() == [("ORD-1", 50000)]
    assert len(made.heads()) == 1
    assert made.say("hello").status == "finished"
    session, state = runtime.sent[-1]
    assert session == f"{made.run}-r1"
    assert "invocationId was used before" in state


@pytest.mark.parametrize("order", ["ORD-1", "ORD-2"])
def test_a_later_turn_that_uses_it_again(order: str) -> None:
    with desk() as made:
        runtime = Told(control("ORD-1"), "paid", control(order), "bye")
        made._runtime = runtime  # type: ignore[assignment]
        head = made.asks("hi")
        made.ends(head, 1, "accept")
        assert made.resumes(head.pause) == "delivered"
        assert made.say("more").status == "failed"
        failed(made, runtime)


@pytest.mark.parametrize("order", ["ORD-1", "ORD-2"])
def test_an_answer_that_leads_to_it_again_ends_its_pause(order: str) -> None:
    with desk() as made:
        runtime = Told(control("ORD-1"), control(order), "bye")
        made._runtime = runtime  # type: ignore[assignment]
        head = made.asks("hi")
        made.ends(head, 1, "accept")
        assert made.resumes(head.pause) == "delivered"
        assert made.resumes(head.pause) == "done"
        failed(made, runtime)


def test_another_run_may_use_the_same() -> None:
    with desk() as made:
        made._runtime = Told(control("ORD-1"), control("ORD-2"))  # type: ignore[assignment]
        assert [made.say("hi", run=name).status for name in ("run-a", "run-b")] == ["waiting", "waiting"]
