"""A Bedrock agent on the whole local stack: every decision in every mode, in time and late, and what is lost on the way."""

from __future__ import annotations

import json
import time
import uuid

import pytest

from local.agents.bedrock_scenes import ACCEPT, EXPIRY_PATIENCE_S, RefundDesk, Scene
from local.agents.desk import Desk, NotDecided
from local.agents.executions import executed
from local.agents.processes import gateway_as
from local.agents.refund_desk import ACTIONS, AGENT
from local.stack import LocalStack
from placet.client import Gateway, GatewayRefused
from placet.client.bedrock import Finished, Waiting, follow, invoke
from tests.e2e.bedrock import VERBS, proved, runtime, scenes_of


@pytest.fixture(scope="module")
def desk(stack: LocalStack) -> RefundDesk:
    return RefundDesk(stack, Desk(stack.api_url, stack.access_token("maria")))


def test_every_decision_in_every_mode_in_time_and_late(stack: LocalStack, desk: RefundDesk) -> None:
    began = time.time()
    parts = [scenes_of(mode, f"ORD-{number}") for number, mode in enumerate(VERBS, 4000)]
    nobody = desk.ask(tuple(scene for _, undecided in parts for scene in undecided))
    asked = desk.ask(tuple(scene for decided, _ in parts for scene in decided))
    desk.decide(asked)
    told = desk.finish(asked) + desk.finish(nobody, EXPIRY_PATIENCE_S)
    proof = proved(stack, told, began)
    assert proof.holds, proof.table()
    assert proof.line() == "demo: pauses=25 accepted=6 edited=6 rejected=6 expired=6 executed=12 double=0 lost=0"
    state = runtime(stack, "state")
    assert state["unanswered"] == []
    assert max(count["accepted"] for count in state["answers"].values()) == 1


@pytest.mark.parametrize("fault", ["lost", "truncated", "server_error", "trace_only", "stream_throttled_after"])
def test_an_answer_whose_response_is_lost_is_not_given_again(stack: LocalStack, desk: RefundDesk, fault: str) -> None:
    """Bedrock ran the confirmed action; its permit says so, and a new session is told."""
    began = time.time()
    asked = desk.ask((Scene("lost", "voucher ORD-5000 70000", ((ACCEPT,),)),))
    runtime(stack, "faults", {"kind": fault, "on": "answer", "session": asked[0].run})
    desk.decide(asked)
    standing = follow(gateway_as(stack, AGENT), asked[0].run, 120)
    assert isinstance(standing, Finished), standing
    assert standing.completion.startswith("Noted:")
    (ran,) = [one for one in executed(stack.client("dynamodb")) if float(one["at"]) >= began]
    assert ran["call"] == f"{asked[0].pause}-1"
    state = runtime(stack, "state")
    assert state["faults"]["fired"] == state["faults"]["armed"]
    answers = [one for one in state["log"] if one["request"]["session"] == asked[0].run]
    assert [one["fault"] for one in answers] == ["", fault]


def test_what_is_lost_before_it_is_taken_in_is_given_later(stack: LocalStack, desk: RefundDesk) -> None:
    began = time.time()
    asked = desk.ask((Scene("throttled", "refund ORD-5001 70000", ((ACCEPT,),)),))
    runtime(stack, "faults", {"kind": "throttled", "on": "answer", "session": asked[0].run})
    desk.decide(asked)
    told = desk.finish(asked, 120)
    proof = proved(stack, told, began)
    assert proof.holds, proof.table()


def test_the_run_is_its_agents_and_waits_for_one_pause_at_a_time(stack: LocalStack, desk: RefundDesk) -> None:
    own, other = gateway_as(stack, AGENT), gateway_as(stack, "support-agent")
    run = f"rights-{uuid.uuid4().hex[:8]}"
    waiting = invoke(own, AGENT, run, "refund ORD-5002 70000")
    assert isinstance(waiting, Waiting)
    for gateway, call in ((other, follow_of(run)), (other, invoke_of(run)), (own, invoke_of(run, "nobody-desk"))):
        with pytest.raises(GatewayRefused) as caught:
            call(gateway)
        assert caught.value.status == 404
    with pytest.raises(GatewayRefused, match="run_waits"):
        invoke(own, AGENT, run, "refund ORD-5003 70000")


def follow_of(run: str):
    return lambda gateway: follow(gateway, run)


def invoke_of(run: str, agent: str = AGENT):
    return lambda gateway: invoke(gateway, agent, run, "refund ORD-5003 70000")


def test_a_program_of_the_account_invokes_the_function_itself(stack: LocalStack) -> None:
    """IAM on the function is the right then; the same turn again is not said again."""
    functions = stack.client("lambda")
    pages = functions.get_paginator("list_functions").paginate()
    (name,) = [
        one["FunctionName"] for page in pages for one in page["Functions"] if "InvokeAgent" in one["FunctionName"]
    ]
    run = f"direct-{uuid.uuid4().hex[:8]}"
    turn = {"agent": AGENT, "run": run, "text": "refund ORD-5005 70000", "key": "turn-1"}
    answers = [functions.invoke(FunctionName=name, Payload=json.dumps(turn).encode()) for _ in range(2)]
    first, again = (json.load(one["Payload"]) for one in answers)
    assert (first["status"], again) == ("waiting", first)
    said = [
        one["request"]["body"]["inputText"]
        for one in runtime(stack, "state")["log"]
        if one["request"]["session"] == run
    ]
    assert said == [turn["text"]]
    unknown = functions.invoke(FunctionName=name, Payload=json.dumps({**turn, "agent": "nobody"}).encode())
    assert json.load(unknown["Payload"])["status"] == 404


def test_what_nobody_can_decode_can_only_be_rejected(stack: LocalStack, desk: RefundDesk) -> None:
    asked = desk.ask((Scene("undecodable", "bad integer", ((("reject", "Say the amount in digits."),),)),))
    with pytest.raises(NotDecided, match="arguments_unreadable"):
        Desk(stack.api_url, stack.access_token("maria")).accept(asked[0].pause, f"{asked[0].pause}-1")
    desk.decide(asked)
    (told,) = desk.finish(asked)
    assert not [one for one in executed(stack.client("dynamodb")) if one["call"].startswith(told.pause)]


def test_the_role_of_the_actions_claims_and_does_nothing_else(stack: LocalStack) -> None:
    credentials = stack.aws.assume(f"arn:aws:iam::000000000000:role/{ACTIONS}", "test")
    import boto3

    session = boto3.Session(credentials.id, credentials.secret, credentials.token)
    gateway = Gateway(stack.api_url, "us-east-1", session)
    with pytest.raises(GatewayRefused) as refused:
        invoke(gateway, AGENT, "run-of-an-action", "refund ORD-5004 70000")
    assert refused.value.status == 403
    with pytest.raises(GatewayRefused) as absent:
        gateway.claim(f"{uuid.uuid4().hex}-1", "0" * 64, "worker")
    assert absent.value.status == 404
