"""capture → decide → resume → execute with a real LangChain agent."""

from __future__ import annotations

import pytest
from langchain_core.messages import ToolMessage

from placet.client import Gateway, GatewayRefused, NotCapturable, RunIsPaused, RunNotFound
from placet.client.langchain import Finished, Waiting
from placet.client.records import Pause
from tests.frameworks.langchain.scene import call, config, refund


def results(outcome):
    return [message for message in outcome.values["messages"] if isinstance(message, ToolMessage)]


def test_a_pause_is_captured_and_nothing_runs(scene):
    one = scene([refund(1, 240.0)])
    outcome = one.run(entity="order:1182", requester="eve@example.com")
    assert isinstance(outcome, Waiting)
    assert outcome.pause.state == "waiting"
    assert one.ran == []
    body = one.fake.pauses[outcome.pause.pause]["body"]
    assert body["entity"] == "order:1182"
    assert body["requester"] == "eve@example.com"
    assert body["says"] == "I would do this."
    assert body["evidence"][0]["text"] == "Please refund me."
    assert body["evidence"][0]["trusted"] is False
    native = body["native"]
    assert native["tools"]["issue_refund"]["schema"]["properties"].keys() == {"order_id", "amount"}
    assert native["interrupts"][0]["response_schema"]["discriminator"]["mapping"].keys() == {
        "approve",
        "edit",
        "reject",
    }
    assert str(native["interrupts"][0]["value"]["args"]["amount"]) == "240.0"


def test_accepted_runs_as_proposed(scene):
    one = scene([refund(1, 240.0)])
    one.run()
    one.fake.decide(*one.fake.pending(), "accepted")
    (pause,) = one.decided()
    outcome = one.approvals.resume(one.agent, pause)
    assert isinstance(outcome, Finished)
    assert one.ran == [("issue_refund", "1182", 240.0)]
    assert outcome.values["messages"][-1].text == "done"
    assert one.decided() == []
    assert one.fake.permits[pause.calls[0].call]["state"] == "done"
    assert one.fake.permits[pause.calls[0].call]["result"] == "refunded 240.0"


def test_edited_runs_the_edit_and_the_model_is_told(scene):
    one = scene([refund(1, 240.0)])
    one.run()
    one.fake.decide(*one.fake.pending(), "edited", '{"order_id":"1182","amount":200.00}')
    outcome = one.approvals.resume(one.agent, one.decided()[0])
    assert one.ran == [("issue_refund", "1182", 200.0)]
    assert "reviewer replaced this tool call" in results(outcome)[0].text


@pytest.mark.parametrize(
    ("state", "reason", "told"), [("rejected", "Not our order.", "Not our order."), ("expired", "", "Nobody")]
)
def test_rejected_and_expired_run_nothing_and_are_told_apart(scene, state, reason, told):
    one = scene([refund(1, 240.0)])
    one.run()
    one.fake.decide(*one.fake.pending(), state, reason=reason)
    outcome = one.approvals.resume(one.agent, one.decided()[0])
    assert one.ran == []
    assert results(outcome)[0].status == "error"
    assert told in results(outcome)[0].text
    assert one.fake.permits == {}


def test_a_passed_call_is_resumed_at_once(scene):
    one = scene([refund(1, 40.0)])
    outcome = one.run()
    assert isinstance(outcome, Finished)
    assert one.ran == [("issue_refund", "1182", 40.0)]
    assert one.decided() == []
    assert [pause["state"] for pause in one.fake.pauses.values()] == ["ended"]


def test_free_tools_run_and_unknown_tools_pause(scene):
    one = scene([call("get_order", 1, order_id="7"), call("send_email", 2, to="a@example.com", subject="Hi")])
    outcome = one.run()
    assert isinstance(outcome, Waiting)
    assert [made.tool for made in outcome.pause.calls] == ["send_email"]
    assert one.ran == [("get_order", "7")]


def test_two_calls_of_one_turn_with_different_decisions(scene):
    one = scene([refund(1, 240.0), refund(2, 300.0, "1183")])
    outcome = one.run()
    assert [made.framework_call_id for made in outcome.pause.calls] == ["call_001", "call_002"]
    first, second = one.fake.pending()
    one.fake.decide(first, "rejected", reason="no")
    one.fake.decide(second, "accepted")
    outcome = one.approvals.resume(one.agent, one.decided()[0])
    assert one.ran == [("issue_refund", "1183", 300.0)]
    assert [message.status for message in results(outcome)] == ["error", "success"]


def test_a_chained_pause_is_captured_before_the_first_ends(scene):
    one = scene([refund(1, 240.0)], [refund(2, 500.0)])
    one.run(entity="order:1182")
    one.fake.decide(*one.fake.pending(), "accepted")
    outcome = one.approvals.resume(one.agent, one.decided()[0])
    assert isinstance(outcome, Waiting)
    posts = [path for method, path in one.fake.seen if method == "POST" and "/calls/" not in path]
    assert posts[-2:] == ["/v1/pauses", posts[-1]]
    assert posts[-1].startswith("/v1/resumes/")
    assert [pause["state"] for pause in one.fake.pauses.values()] == ["ended", "waiting"]
    assert [pause["body"]["entity"] for pause in one.fake.pauses.values()] == ["order:1182", "order:1182"]
    one.fake.decide(*one.fake.pending(), "accepted")
    one.approvals.resume(one.agent, one.decided()[0])
    assert [amount for _, _, amount in one.ran] == [240.0, 500.0]


def test_waiting_here_goes_on_when_somebody_decides(scene):
    one = scene([refund(1, 240.0)])
    seen = one.fake.send

    def decide_on_the_first_look(method, path, body=None):
        if method == "GET" and path.startswith("/v1/pauses/") and one.fake.pending():
            one.fake.decide(*one.fake.pending(), "accepted")
        return seen(method, path, body)

    one.fake.send = decide_on_the_first_look
    outcome = one.run(wait=5.0)
    assert isinstance(outcome, Finished)
    assert one.ran == [("issue_refund", "1182", 240.0)]


def test_new_input_for_a_paused_run_is_refused(scene):
    one = scene([refund(1, 240.0)])
    one.run()
    with pytest.raises(RunIsPaused):
        one.run()
    assert len(one.fake.pending()) == 1
    assert one.agent.get_state({"configurable": {"thread_id": "t1"}}).interrupts


def test_a_resume_that_comes_again_runs_nothing_again(scene):
    one = scene([refund(1, 240.0)])
    one.run()
    one.fake.decide(*one.fake.pending(), "accepted")
    (pause,) = one.decided()
    one.approvals.resume(one.agent, pause)
    assert isinstance(one.approvals.resume(one.agent, pause), Finished)
    assert len(one.ran) == 1


def test_an_unknown_thread_stays_on_the_list(scene):
    one = scene([refund(1, 240.0)])
    with pytest.raises(RunNotFound):
        one.approvals.resume(one.agent, Pause("p", "decided", (), run="elsewhere"))


def test_big_numbers_are_written_as_they_are(scene):
    one = scene([call("send_email", 1, to="a@example.com", subject=f"{2**63 - 1}", count=2**63 - 1, small=1e-7)])
    outcome = one.run()
    args = one.fake.call(outcome.pause.calls[0].call)["arguments"]
    assert args["count"] == 2**63 - 1
    assert str(args["small"]) == "1e-07"


def test_the_gateway_is_the_only_thing_that_is_asked(scene):
    one = scene("hello")
    assert isinstance(one.run(), Finished)
    assert isinstance(one.approvals.gateway, Gateway)
    assert one.fake.pauses == {}


def test_calls_that_the_gateway_does_not_take_are_told_to_the_model(scene):
    """Otherwise the run would be paused for ever: LangGraph asks, and there is nothing to answer it with."""
    one = scene([refund(1, 240.0)], [refund(2, 250.0)])
    send = one.fake.send

    def refuses(method, path, body=None):
        if path == "/v1/pauses" and "240.0" in body:
            problems = {"problems": [{"at": "amount", "problem": "not today"}]}
            raise GatewayRefused(422, "arguments_break_schema", "They do not fit.", problems)
        return send(method, path, body)

    one.fake.send = refuses
    outcome = one.run()
    assert isinstance(outcome, Waiting)
    assert one.ran == []
    told = [item for item in one.agent.get_state(config("t1")).values["messages"] if isinstance(item, ToolMessage)]
    assert told[0].status == "error"
    assert told[0].text.startswith("No person was asked and the call was not run")
    assert "not today" in told[0].text


def test_numbers_that_json_cannot_say_are_told_to_the_model(scene):
    one = scene([refund(1, float("inf"))])
    outcome = one.run()
    assert isinstance(outcome, Finished)
    assert one.ran == []
    assert "NaN and Infinity" in results(outcome)[0].text


def test_a_model_that_insists_is_stopped(scene):
    one = scene(*[[refund(number, float("nan"))] for number in range(9)])
    with pytest.raises(NotCapturable):
        one.run()
    assert one.ran == []


def test_a_call_in_other_hands_does_not_hold_up_its_sibling(scene):
    one = scene([refund(1, 240.0), refund(2, 300.0, "1183")])
    one.run()
    for name in one.fake.pending():
        one.fake.decide(name, "accepted")
    (pause,) = one.decided()
    one.approvals.gateway.claim(pause.calls[0].call, pause.calls[0].digest, "the one that died")
    with pytest.raises(GatewayRefused, match="permit_claimed"):
        one.approvals.resume(one.agent, pause)
    assert one.ran == [("issue_refund", "1183", 300.0)]
    assert one.decided() == [pause]
    with pytest.raises(GatewayRefused, match="permit_claimed"):
        one.approvals.resume(one.agent, pause)
    assert one.ran == [("issue_refund", "1183", 300.0)]
