"""What a gated tool came to: a failure, a lost report, a result that is told and not repeated."""

from __future__ import annotations

import threading

import pytest
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool

from placet.client import (
    OutcomeUnknown,
    Permits,
)
from placet.client.langchain import Finished, gated
from tests.frameworks.langchain.scene import Scene, refund
from tests.frameworks.langchain.test_gate_in_tool import accepted


def failing(one: Scene, error: Exception):
    @tool
    def issue_refund(order_id: str, amount: float) -> str:
        """Pay money back."""
        one.ran.append((order_id, amount))
        raise error

    one.approvals = gated([issue_refund], one.approvals.gateway, one.saver)
    one.agent = one.make(one.approvals)


@pytest.mark.parametrize(
    ("error", "state", "told"),
    [
        (RuntimeError("card closed"), "failed", "The call failed. RuntimeError: card closed"),
        (OutcomeUnknown("no answer"), "unknown", "It is not known whether this call was executed."),
        (TimeoutError("slow"), "unknown", "It is not known whether this call was executed."),
    ],
)
def test_a_failure_uses_the_permit_up_and_the_run_goes_on(scene, error, state, told):
    one = scene([refund(1, 240.0)])
    failing(one, error)
    pause = accepted(one)
    outcome = one.approvals.resume(one.agent, pause)
    assert isinstance(outcome, Finished)
    (message,) = [item for item in outcome.values["messages"] if isinstance(item, ToolMessage)]
    assert message.status == "error"
    assert told in message.text
    assert one.fake.permits[pause.calls[0].call]["state"] == state
    assert len(one.ran) == 1


def test_a_lost_report_loses_no_result_and_repeats_nothing(scene):
    one = scene([refund(1, 240.0)])
    pause = accepted(one)
    one.fake.lose_outcomes = True
    send = one.fake.send
    one.fake.send = lambda method, path, body=None: send(method, path, body)
    with pytest.raises(Exception, match="lost"):
        Permits(one.approvals.gateway)._gateway.outcome(pause.calls[0].call, "w", "done")
    outcome = one.approvals.resume(one.agent, pause)
    assert isinstance(outcome, Finished)
    assert len(one.ran) == 1
    assert one.fake.permits[pause.calls[0].call]["state"] == "claimed"


def test_a_result_that_was_reported_but_never_stored_is_told_not_repeated(scene):
    """The process died between the report and LangGraph's write."""
    one = scene([refund(1, 240.0)])
    pause = accepted(one)
    Permits(one.approvals.gateway).execute(pause.calls[0], lambda given: f"refunded {given['amount']}")
    outcome = one.approvals.resume(one.agent, pause)
    assert one.ran == []
    (message,) = [item for item in outcome.values["messages"] if isinstance(item, ToolMessage)]
    assert message.status == "success"
    assert "refunded 240.0" in message.text


def test_the_claim_is_renewed_while_the_tool_works(scene):
    one = scene([refund(1, 240.0)])
    pause = accepted(one)
    tools = {tool.name: tool for tool in one.approvals.tools}
    renewed, inner = [], tools["issue_refund"].inner.func

    def slow(order_id, amount):
        renewed.append([thread.name for thread in threading.enumerate() if thread.name.startswith("claim of")])
        return inner(order_id, amount)

    tools["issue_refund"].inner.func = slow
    one.approvals.resume(one.agent, pause)
    assert renewed == [[f"claim of {pause.calls[0].call}"]]
