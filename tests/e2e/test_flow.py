"""One pause with the finger: capture, wait, mail, page, decision, resume, permit, outcome; on the deployed templates."""

from __future__ import annotations

from typing import Any

import pytest

from local.endpoint import Endpoint
from local.stack import LocalStack
from placet.client import Gateway, GatewayRefused, questions
from placet.records.keys import Keys
from tests.e2e.agents import capture, gateway_of, mailed_long_ago, on_offer, until
from tests.e2e.reviewers import reviewer_of
from tests.e2e.watching import run_verb
from tests.gateway import DELETE, REFUND, SMALL

KEYS = Keys("main")


@pytest.fixture(scope="module")
def agent(stack: LocalStack) -> Gateway:
    return gateway_of(stack)


def head(stack: LocalStack, pause: str) -> dict[str, Any]:
    from placet.aws.table import DynamoTable

    return DynamoTable(stack.table_name, stack.client("dynamodb")).get(KEYS.head(pause)) or {}


def shown(stack: LocalStack, pause: str) -> dict[str, Any]:
    """The head once reviewers can see it."""
    return until(lambda: (found := head(stack, pause)).get("notified_ms") and found, f"pause {pause} in the queue")


def offered(agent: Gateway, pause: str) -> Any:
    """The pause on the pick-up list."""
    return until(lambda: on_offer(agent, pause), "the pick-up list")


def test_from_capture_to_outcome(stack: LocalStack, agent: Gateway) -> None:
    mailed_long_ago(stack)
    pause = capture(agent, REFUND, says="I recommend approving.")
    assert (pause.state, pause.calls[0].state) == ("waiting", "pending")
    shown(stack, pause.pause)
    mails = until(lambda: [one for one in stack.outbox() if pause.pause in one.text], "the mails")
    assert sorted(one.to[0] for one in mails) == sorted(stack.reviewer(name).email for name in ("jonas", "maria"))
    assert "240.5" not in mails[0].text + mails[0].html + mails[0].subject

    browser = stack.sign_in("maria")
    inbox = browser.get(f"{stack.api_url}/inbox")
    assert f"/reviews/{pause.pause}" in inbox.text
    page = browser.get(f"{stack.api_url}/reviews/{pause.pause}")
    accept = next(form for form in page.forms() if form.fields.get("decision") == "accept")
    wrong = browser.submit(page, accept, **{"typed-1": "1"})
    assert wrong.status == 422
    assert head(stack, pause.pause)["open_calls"] == 1
    done = browser.submit(page, accept, **{"typed-1": "240.5"})
    assert (done.status, head(stack, pause.pause)["calls"]["1"]["state"]) == (200, "accepted")
    assert "Maria Keller" in done.text

    decided = offered(agent, pause.pause)
    call = decided.calls[0]
    permit = agent.claim(call.call, call.digest, "w1")
    assert permit.arguments == '{"order_id":"1182","amount":240.5}'
    with pytest.raises(GatewayRefused) as refused:
        agent.claim(call.call, call.digest, "w2")
    assert refused.value.code == "permit_claimed"
    agent.outcome(call.call, "w1", "done", "refund r-1")
    agent.resumed(pause.pause)
    after = head(stack, pause.pause)
    assert (after["state"], after["calls"]["1"]["permit"]["state"]) == ("ended", "done")
    assert "wpk" not in after
    assert on_offer(agent, pause.pause) is None


def test_an_edit_is_seen_confirmed_and_released(stack: LocalStack, agent: Gateway) -> None:
    pause = capture(agent, REFUND)
    shown(stack, pause.pause)
    browser = stack.sign_in("jonas")
    form_page = browser.get(f"{stack.api_url}/reviews/{pause.calls[0].call}/edit")
    form = next(form for form in form_page.forms() if form.action.endswith("/edit"))
    broken = browser.submit(form_page, form, arguments='{"order_id":"1182","amount":"lots"}', reason="too much")
    assert broken.status == 422
    assert "lots" in broken.text
    confirm = browser.submit(form_page, form, arguments='{"order_id":"1182","amount":200.00}', reason="half is right")
    last = next(form for form in confirm.forms() if form.action.endswith("/decide") and "new_digest" in form.fields)
    done = browser.submit(confirm, last, **{"typed-1": "200.00"})
    assert done.status == 200
    call = offered(agent, pause.pause).calls[0]
    assert (call.state, call.arguments) == ("edited", '{"order_id":"1182","amount":200.00}')
    assert agent.claim(call.call, call.digest, "w1").arguments == '{"order_id":"1182","amount":200.00}'
    agent.outcome(call.call, "w1", "done", "")
    agent.resumed(pause.pause)


def test_two_calls_over_json_and_the_machine_ends(stack: LocalStack, agent: Gateway) -> None:
    pause = capture(agent, REFUND, DELETE)
    shown(stack, pause.pause)
    maria = reviewer_of(stack, "maria")
    detail = maria.detail(pause.pause)
    first, second = detail["calls"]
    assert maria.decide(first, "accept")["state"] == "accepted"
    assert maria.decide(second, "reject", reason="not these")["state"] == "rejected"
    assert maria.decide(second, "reject", reason="not these")["replayed"] is True
    status, problem = reviewer_of(stack, "jonas").try_decide(first, "reject", reason="no")
    assert (status, problem["code"], problem["decided_by"]) == (409, "already_decided", "Maria Keller")
    assert [call.state for call in offered(agent, pause.pause).calls] == ["accepted", "rejected"]
    states = Endpoint(stack.settings.steps_endpoint).client("stepfunctions")
    machine = stack.outputs["MachineArn"]
    until(
        lambda: [
            one
            for one in states.list_executions(stateMachineArn=machine, statusFilter="SUCCEEDED")["executions"]
            if one["name"] == f"{pause.pause}-1"
        ],
        "the execution to succeed",
    )
    agent.resumed(pause.pause)


def test_a_question_is_answered_by_the_agent_and_the_call_is_read_afresh(stack: LocalStack, agent: Gateway) -> None:
    pause = capture(agent, REFUND)
    shown(stack, pause.pause)
    maria = reviewer_of(stack, "maria")
    (before,) = maria.detail(pause.pause)["calls"]
    words = "Which order does the customer mean?"
    status, asked = maria.call(
        "POST", f"/v1/reviews/{before['call']}/ask", {"text": words, "revision": before["revision"]}
    )
    assert status == 200, asked
    mailed_long_ago(stack)
    (question,) = questions.open_questions(pause.pause, agent)
    assert (question.text, question.call) == (words, before["call"])
    receipt = {
        "title": "Order 1182",
        "source": "orders",
        "trusted": False,
        "text": "Shoes, returned.",
        "origin": "tool",
    }
    revision = questions.answer(question, "The one of March.", [receipt], agent)
    assert revision > before["revision"]
    assert questions.open_questions(pause.pause, agent) == ()
    run_verb(stack, "sweep")  # which sends what is owed
    mails = until(
        lambda: [one for one in stack.outbox() if "agent has answered" in one.text and pause.pause in one.text],
        "its mail",
    )
    assert {one.to[0] for one in mails} == {stack.reviewer("maria").email}

    status, problem = maria.try_decide(before, "accept")
    assert (status, problem["code"]) == (409, "revision_differs")
    detail = maria.detail(pause.pause)
    (after,) = detail["calls"]
    assert (after["revision"], after["arguments"]) == (revision, before["arguments"])
    assert [one["answer"]["text"] for one in detail["questions"]] == ["The one of March."]
    assert maria.decide(after, "accept")["state"] == "accepted"
    (call,) = offered(agent, pause.pause).calls
    assert agent.claim(call.call, call.digest, "w1").arguments == '{"order_id":"1182","amount":240.5}'
    agent.outcome(call.call, "w1", "done", "refund r-2")
    agent.resumed(pause.pause)


def test_what_needs_nobody_passes_at_once(stack: LocalStack, agent: Gateway) -> None:
    pause = capture(agent, SMALL)
    assert (pause.state, pause.calls[0].state) == ("decided", "passed")
    call = pause.calls[0]
    agent.claim(call.call, call.digest, "w1")
    agent.outcome(call.call, "w1", "done", "")
    agent.resumed(pause.pause)
    assert head(stack, pause.pause)["state"] == "ended"


def test_another_agent_sees_nothing_of_it(stack: LocalStack, agent: Gateway) -> None:
    pause = capture(agent, REFUND)
    other = gateway_of(stack, "billing-agent")
    for asked in (lambda: other.pause(pause.pause), lambda: other.claim(pause.calls[0].call, "0" * 64, "w")):
        with pytest.raises(GatewayRefused) as refused:
            asked()
        assert refused.value.status == 404


def test_every_stored_item_names_its_tenant_and_its_version(stack: LocalStack, agent: Gateway) -> None:
    capture(agent, REFUND)
    items = stack.client("dynamodb").scan(TableName=stack.table_name)["Items"]
    kinds = {item["kind"]["S"] for item in items}
    assert {"HEAD", "BODY", "TOKEN", "EVENT", "MEMBER", "GROUP_MEMBER", "SESSION", "REVISION"} <= kinds
    for item in items:
        assert item["pk"]["S"].startswith("T#main#")
        assert item["schema_version"]["N"] in ("1", "2")
        for index in ("wpk", "fpk"):
            assert item.get(index, {"S": "T#main#"})["S"].startswith("T#main#")
