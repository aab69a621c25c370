"""Controls as Bedrock may write them: methods in any letters, parameters without a value, and what nobody can read."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from local.bedrock import Mode, refund_agent
from placet.frameworks.bedrock.answers import notes
from placet.frameworks.bedrock.decoding import decode, schema_of
from placet.frameworks.bedrock.reading import read
from placet.model.errors import NotAllowed
from placet.model.pauses import Agent
from placet.model.states import Verdict
from placet.service.ports import Turn
from placet.service.review import detail
from tests.bedrock.desk import TTL_S, Desk, desk

MODES = [Mode.RESULT, Mode.CONFIRM, Mode.CONFIRM_AND_RESULT]
REVERSED = "reverse ORD-7 50000"


@dataclass
class ApiDesk(Desk):
    """A desk whose action group is described by an API."""

    def act(self, event: dict[str, Any]) -> dict[str, Any]:
        """The action group's own Lambda."""
        self.acted.append(event)
        echoed = {name: event[name] for name in ("actionGroup", "apiPath", "httpMethod")}
        body = {"application/json": {"body": '"paid"'}}
        return {"messageVersion": "1.0", "response": {**echoed, "httpStatusCode": 200, "responseBody": body}}


class Rewritten:
    """A runtime whose controls are changed on their way: `change` gets each call of a control."""

    def __init__(self, made: Desk, change: Callable[[dict[str, Any]], None]) -> None:
        self._real, self._change = made._runtime, change

    def definition(self, agent: Agent) -> str:
        return self._real.definition(agent)

    def turn(self, *given: Any) -> Turn:
        turn = self._real.turn(*given)
        control = copy.deepcopy(turn.control)
        for one in control["invocationInputs"] if control else []:
            self._change(*one.values())
        return Turn(turn.text, control)


def without_value(call: dict[str, Any]) -> None:
    """The last parameter has no value."""
    del call["parameters"][-1]["value"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("method", ["post", "Post", "POST"])
@pytest.mark.parametrize("how", ["accept", "reject"])
def test_a_method_is_answered_in_the_letters_it_came_in(mode: Mode, method: str, how: str) -> None:
    script = refund_agent(mode, idle_ttl_s=TTL_S)
    actions = tuple(replace(one, method=method) if one.path else one for one in script.actions)
    made = ApiDesk(script=replace(script, actions=actions))
    try:
        head = made.asks(REVERSED)
        assert head.calls[0].tool == "Orders.POST /orders/{orderId}/refund", "the policy knows one name"
        made.ends(head, 1, how)
        assert made.resumes(head.pause) == "delivered"
        assert len(made.executors.effects) + len(made.acted) == (how == "accept")
        assert (made.status().status, made.session) == ("finished", made.run)
        assert made.permit(head.pause) == ("done" if how == "accept" else "none")
        assert made.runtime.unanswered() == []
    finally:
        made.server.stop()


@pytest.mark.parametrize("mode", [Mode.RESULT, Mode.CONFIRM_AND_RESULT])
def test_a_parameter_without_a_value_is_not_given_and_its_call_is_decided(mode: Mode) -> None:
    with desk(mode) as made:
        made._runtime = Rewritten(made, without_value)  # type: ignore[assignment]
        head = made.asks()
        (call,) = detail(made.ports, made.maria, head.pause).calls
        assert not call.unreadable
        assert "items" not in made.arguments(head, 1)
        made.ends(head, 1, "accept")
        assert made.resumes(head.pause) == "delivered"
        (order,) = made.executors.effects
        assert sorted(order["arguments"]) == ["amountCents", "notify", "orderId"]
        assert made.status().status == "finished"


def test_what_was_not_given_may_be_given_by_an_edit_and_a_reviewer_is_told() -> None:
    given = [{"name": "orderId", "type": "string", "value": "ORD-7"}, {"name": "amountCents", "type": "integer"}]
    found = decode(given)
    assert (found.arguments, found.absent, found.unreadable) == ({"orderId": "ORD-7"}, {"amountCents": "integer"}, ())
    schema = schema_of(found)
    assert schema is not None
    assert (schema["required"], schema["properties"]["amountCents"]) == (["orderId"], {"type": "integer"})
    call = {"actionGroup": "Refunds", "function": "issueRefund", "actionInvocationType": "RESULT", "parameters": given}
    control = {"invocationId": "i-1", "invocationInputs": [{"functionInvocationInput": call}]}
    native = {"session": "s", "return_control": control}
    assert read("s", native).calls[0].arguments == {"orderId": "ORD-7"}
    assert notes(native, 1) == ("Named without a value, so not given: amountCents.",)


@pytest.mark.parametrize("second", [{"value": "2"}, {}])
def test_a_name_that_comes_twice_can_only_be_rejected_with_a_value_or_without(second: dict[str, str]) -> None:
    found = decode([{"name": "x", "type": "integer"}, {"name": "x", "type": "integer", **second}])
    assert found.unreadable == (("x", "It is given twice."),)


def test_an_answer_that_leads_to_an_unreadable_control_ends_its_pause_and_says_what_was_wrong() -> None:
    def untyped(call: dict[str, Any]) -> None:
        if call["parameters"][0]["value"] == "ORD-2":
            call["actionInvocationType"] = "LATER"

    with desk() as made:
        made._runtime = Rewritten(made, untyped)  # type: ignore[assignment]
        head = made.asks("refund ORD-1 50000 then refund ORD-2 60000")
        made.ends(head, 1, "accept")
        assert made.resumes(head.pause) == "delivered"
        found = made.status()
        assert (found.status, found.code) == ("failed", "native_invalid")
        assert "actionInvocationType 'LATER' is not one of RESULT" in found.why
        assert made.paid() == [("ORD-1", 50000)]
        assert made.say("hello").status == "finished"
        state = made.runtime.log[-1].request.body["sessionState"]
        assert "LATER" in json.dumps(state["promptSessionAttributes"])


@pytest.mark.parametrize("lacks", ["type", "function", "invocation"])
def test_a_control_that_lacks_something_asks_nobody_and_runs_nothing(lacks: str) -> None:
    with desk() as made:
        found = made.say(f"untyped {lacks}")
        assert (found.status, found.code) == ("failed", "native_invalid")
        assert made.heads() == []
        field = {"type": "actionInvocationType", "function": "function", "invocation": "invocationId"}[lacks]
        assert ("failed", {"agent": "refund-desk", "code": "native_invalid", "field": field}) in made.log
        assert field in found.why
        assert (
            found.say == "The agent asked for something that could not be put before a person. Nothing of it was run."
        )
        assert made.say("hello").status == "finished"
        last = made.runtime.log[-1].request
        assert last.session == f"{made.run}-r1", "the old session still waits for an answer"
        told = last.body["sessionState"]["promptSessionAttributes"]["placet_outcome"]
        assert "nothing of it was run" in told
        assert field in told
        assert made.status().why == "", "what was wrong is over"


@pytest.mark.parametrize("kind", ["boolean", "integer", "number", "array"])
def test_what_cannot_be_decoded_may_only_be_rejected(kind: str) -> None:
    script = refund_agent(Mode.RESULT, idle_ttl_s=TTL_S)
    with desk(script=script) as made:
        head = made.asks(f"bad {kind}")
        (call,) = detail(made.ports, made.maria, head.pause).calls
        assert call.unreadable
        assert not call.may_edit
        for verdict in (Verdict.ACCEPT, Verdict.EDIT):
            with pytest.raises(NotAllowed, match="only be rejected"):
                made.decide(head, 1, verdict, arguments="{}", new_digest="0" * 64)
        made.ends(head, 1, "reject")
        assert made.resumes(head.pause) == "delivered"
        assert made.paid() == []


def test_what_would_pass_is_looked_at_when_it_cannot_be_decoded() -> None:
    with desk() as made:
        free = replace(made.policy.tools["Refunds.issueRefund"], rules=(), free=True)
        made.policy = replace(made.policy, tools={**made.policy.tools, "Refunds.issueRefund": free})
        assert made.say("bad boolean").status == "waiting"
