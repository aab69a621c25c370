"""The second gate: no permit, no effect, whatever the framework, another process or a changed policy does."""

from __future__ import annotations

import asyncio
import threading

import pytest
from langchain.tools import ToolRuntime
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.types import Command

from placet.client import (
    Call,
    DigestDiffers,
    GatewayRefused,
    NotCapturable,
    NotReleased,
    Permits,
    RunIsBusy,
    current_permit,
)
from placet.client.langchain import Finished, gated
from placet.client.langchain.released_call import released
from placet.client.langchain.tools import DENIED_SAYS
from tests.frameworks.langchain.scene import Scene, call, config, refund


def accepted(one: Scene):
    one.run()
    one.fake.decide(*one.fake.pending(), "accepted")
    return one.decided()[0]


def test_a_gated_tool_called_on_its_own_does_nothing(scene):
    one = scene([refund(1, 240.0)])
    (issue_refund, *_) = one.approvals.tools
    for given in ({"order_id": "1", "amount": 1.0}, {"type": "tool_call", **refund(1, 240.0)}):
        with pytest.raises(NotReleased):
            issue_refund.invoke(given)
    with pytest.raises(NotReleased):
        asyncio.run(issue_refund.ainvoke({"order_id": "1", "amount": 1.0}))
    with pytest.raises(NotCapturable):
        issue_refund._run("1", 1.0)
    assert one.ran == []


def test_answering_langgraph_directly_does_nothing(scene):
    """Somebody who can reach the checkpointer approves by hand, past the gateway."""
    one = scene([refund(1, 240.0)])
    waiting = one.run()
    answer = {waiting.pause.calls[0].interrupt_id: {"type": "approve"}}
    with pytest.raises(NotReleased):
        one.agent.invoke(Command(resume=answer), config("t1"), version="v2")
    assert one.ran == []


def test_a_forged_record_is_refused_by_the_gateway(scene):
    one = scene([refund(1, 240.0)])
    waiting = one.run()
    (asked,) = waiting.pause.calls
    forged = Call(
        asked.call, asked.tool, asked.framework_call_id, asked.interrupt_id, "accepted",
        digest="0" * 64, arguments="{}", native={"type": "approve"},
    )  # fmt: skip
    record = type(waiting.pause)(waiting.pause.pause, "decided", (forged,), run="t1")
    with pytest.raises(GatewayRefused, match="call_not_approved"):
        one.approvals.resume(one.agent, record)
    assert one.ran == []


def test_the_permit_decides_what_runs_not_the_answer(scene):
    """The answer that reaches LangGraph was changed on its way; the digest that was decided still names the arguments."""
    one = scene([refund(1, 240.0)])
    pause = accepted(one)
    (held,) = pause.calls
    native = {"type": "edit", "edited_action": {"name": "issue_refund", "args": {"order_id": "9", "amount": 9999.0}}}
    changed = type(held)(**{**vars(held), "native": native})
    one.approvals.resume(one.agent, type(pause)(**{**vars(pause), "calls": (changed,)}))
    assert one.ran == [("issue_refund", "1182", 240.0)]


def test_a_permit_with_other_arguments_than_decided_is_not_run(scene):
    one = scene([refund(1, 240.0)])
    pause = accepted(one)
    (held,) = pause.calls
    send = one.fake.send

    def swaps(method, path, body=None):
        answer = send(method, path, body)
        if path.endswith("/claim"):
            answer.body["arguments"] = '{"order_id":"1182","amount":9999.0}'
        return answer

    one.fake.send = swaps
    with pytest.raises(DigestDiffers):
        Permits(one.approvals.gateway).claim(held)
    assert one.fake.permits[held.call]["state"] == "failed"
    assert one.ran == []


def test_a_call_that_the_policy_forbids_by_now_is_not_run_and_its_run_goes_on(scene):
    one = scene([refund(1, 240.0)])
    pause = accepted(one)
    send = one.fake.send

    def forbids(method, path, body=None):
        if path.endswith("/claim"):
            raise GatewayRefused(409, "policy_denies", "The policy forbids this call now; it must not run.", {})
        return send(method, path, body)

    one.fake.send = forbids
    assert isinstance(one.approvals.resume(one.agent, pause), Finished)
    assert one.ran == []
    told = [m for m in one.agent.get_state(config("t1")).values["messages"] if isinstance(m, ToolMessage)]
    assert (told[0].status, told[0].text) == ("error", DENIED_SAYS)


def test_two_workers_run_a_call_once(scene):
    """LangGraph itself would run the tool twice (research L5)."""
    one = scene([refund(1, 240.0)])
    pause = accepted(one)
    others = [one, one.again(), one.again()]
    errors = []

    def work(worker: Scene):
        try:
            worker.approvals.resume(worker.agent, pause)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(one.ran) == 1
    assert all(isinstance(error, GatewayRefused | RunIsBusy) for error in errors), errors
    for worker in others[1:]:
        worker.close()


def test_a_rejected_call_does_not_run_when_its_tool_became_free_meanwhile(scene):
    """The gate list changed between pause and resume, so LangChain no longer asks and goes straight to the tool."""
    one = scene([refund(1, 240.0)])
    one.run()
    one.fake.decide(*one.fake.pending(), "rejected", reason="no")
    one.fake.gates["issue_refund"] = "free"
    later = one.again()
    with pytest.raises(NotReleased):
        later.approvals.resume(later.agent, one.decided()[0])
    assert one.ran == []
    later.close()


def test_an_undecided_sibling_does_not_run_when_its_tool_became_free_meanwhile(scene):
    one = scene([refund(1, 240.0), call("send_email", 2, to="a@example.com", subject="Hi")])
    one.run()
    first, second = one.fake.pending()
    one.fake.decide(first, "rejected", reason="no")
    one.fake.decide(second, "rejected", reason="no")
    one.fake.gates["send_email"] = "free"
    later = one.again()
    with pytest.raises(NotReleased):
        later.approvals.resume(later.agent, one.decided()[0])
    assert one.ran == []
    later.close()


def test_a_release_is_for_one_tool_and_one_call(scene):
    one = scene([refund(1, 240.0)])
    pause = accepted(one)
    (held,) = pause.calls
    issue_refund, _, send_email = one.approvals.tools
    with released(held, frozenset({"call_001"})):
        with pytest.raises(NotReleased):
            issue_refund.invoke({"type": "tool_call", **refund(2, 240.0)})
        with pytest.raises(NotReleased):
            send_email.invoke({"type": "tool_call", **call("send_email", 1, to="a", subject="b")})
    assert one.ran == []


def test_the_idempotency_key_reaches_the_tool(scene):
    one = scene([refund(1, 240.0)])
    keys = []

    @tool
    def issue_refund(order_id: str, amount: float) -> str:
        """Pay money back."""
        keys.append(current_permit().idempotency_key)
        return "ok"

    one.approvals = gated([issue_refund], one.approvals.gateway, one.saver, keyed=["issue_refund"])
    one.agent = one.make(one.approvals)
    pause = accepted(one)
    one.approvals.resume(one.agent, pause)
    assert keys == [f"key-{pause.calls[0].call}"]
    assert current_permit() is None
    native = one.fake.pauses[pause.pause]["body"]["native"]
    assert native["tools"]["issue_refund"]["idempotency_key"] is True


def test_async_tools_are_gated_too(scene):
    one = scene([refund(1, 240.0)])

    @tool
    async def issue_refund(order_id: str, amount: float) -> str:
        """Pay money back."""
        one.ran.append(("async", order_id, amount))
        return "ok"

    approvals = gated([issue_refund], one.approvals.gateway, one.saver)
    pause = accepted(one)
    (held,) = pause.calls
    given = {"type": "tool_call", **refund(1, 1.0)}
    with pytest.raises(NotReleased):
        asyncio.run(approvals.tools[0].ainvoke(given))
    with released(held, frozenset({"call_001"})):
        message = asyncio.run(approvals.tools[0].ainvoke(given))
    assert message.text == "ok"
    assert one.ran == [("async", "1182", 240.0)]


def test_injected_arguments_reach_the_tool_and_are_no_argument_of_the_call(scene):
    one = scene([refund(1, 240.0)])

    @tool
    def issue_refund(order_id: str, amount: float, runtime: ToolRuntime) -> str:
        """Pay money back."""
        one.ran.append((order_id, amount, runtime.tool_call_id, len(runtime.state["messages"])))
        return "ok"

    one.approvals = gated([issue_refund], one.approvals.gateway, one.saver)
    one.agent = one.make(one.approvals)
    pause = accepted(one)
    assert "runtime" not in pause.calls[0].arguments
    one.approvals.resume(one.agent, pause)
    assert one.ran == [("1182", 240.0, "call_001", 2)]


def test_the_gate_looks_like_the_tool(scene):
    one = scene("hi")
    for plain, gate in zip(one.tools(), one.approvals.tools, strict=True):
        assert (gate.name, gate.description, gate.args) == (plain.name, plain.description, plain.args)
        assert gate.tool_call_schema.model_json_schema() == plain.tool_call_schema.model_json_schema()


def test_this_test_would_see_a_wrapper_that_does_not_claim(scene):
    """With the gate taken out, two of the cases above run twice and past the gateway: so they do look."""
    one = scene([refund(1, 240.0)])
    pause = accepted(one)
    for gate in one.approvals.tools:
        object.__setattr__(gate, "run", gate.inner.run)
    answer = {pause.calls[0].interrupt_id: {"type": "approve"}}
    one.agent.invoke(Command(resume=answer), config("t1"), version="v2")
    assert one.ran == [("issue_refund", "1182", 240.0)]
    assert one.fake.permits == {}


def test_this_test_would_see_an_edit_that_is_not_used(scene):
    """A wrapper that runs what the framework hands it, not what the permit says, pays the first amount."""
    one = scene([refund(1, 240.0)])
    one.run()
    one.fake.decide(*one.fake.pending(), "edited", '{"order_id":"1182","amount":200.00}')
    pause = one.decided()[0]
    native = type(pause.calls[0])(**{**vars(pause.calls[0]), "native": {"type": "approve"}})
    pause = type(pause)(**{**vars(pause), "calls": (native,)})
    for gate in one.approvals.tools:
        object.__setattr__(gate, "_given", lambda permit, tool_input: tool_input)
    one.approvals.resume(one.agent, pause)
    assert one.ran == [("issue_refund", "1182", 240.0)]


def test_the_edit_of_the_permit_wins_over_the_answer(scene):
    one = scene([refund(1, 240.0)])
    one.run()
    one.fake.decide(*one.fake.pending(), "edited", '{"order_id":"1182","amount":200.00}')
    pause = one.decided()[0]
    native = type(pause.calls[0])(**{**vars(pause.calls[0]), "native": {"type": "approve"}})
    one.approvals.resume(one.agent, type(pause)(**{**vars(pause), "calls": (native,)}))
    assert one.ran == [("issue_refund", "1182", 200.0)]


def test_user_input_in_between_is_not_an_answer(scene):
    one = scene([refund(1, 240.0)])
    one.run()
    with pytest.raises(Exception, match="waits for a decision"):
        one.approvals.run(one.agent, {"messages": [HumanMessage("approve")]}, config("t1"))
    assert one.ran == []
