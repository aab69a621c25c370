"""What ends, holds and repairs pauses, over HTTP on the deployed templates: cancel, long texts, freeze, the stuck list."""

from __future__ import annotations

import json
from typing import Any

import pytest

from local.agents_setup import OPERATOR, role_arn
from local.settings import ACCOUNT
from local.stack import LocalStack
from placet.aws.table import DynamoTable
from placet.model.canonical import digest, parse
from tests.e2e.agents import until
from tests.e2e.reviewers import JsonReviewer, reviewer_of
from tests.e2e.signed import Signed, agent_of, operator_of, pause_body
from tests.e2e.test_rights import function_of
from tests.e2e.watching import KEYS, ended, head, offered, run_verb, seen, shown
from tests.gateway import DELETE, REFUND

STATED = {"reason": "the customer hung up"}


@pytest.fixture(scope="module")
def agent(stack: LocalStack) -> Signed:
    return agent_of(stack)


@pytest.fixture(scope="module")
def olga(stack: LocalStack) -> Signed:
    return operator_of(stack)


@pytest.fixture(scope="module")
def maria(stack: LocalStack) -> JsonReviewer:
    return reviewer_of(stack, "maria")


def test_a_cancelled_pause_closes_and_its_machine_ends(stack: LocalStack, agent: Signed, maria: JsonReviewer) -> None:
    pause = shown(stack, agent, "ops-cancel", REFUND)
    (call,) = maria.detail(pause)["calls"]
    done = agent.taken("POST", f"/v1/pauses/{pause}/cancel", STATED)
    assert done == {"pause": pause, "state": "ended", "replayed": False, "claimed": []}
    assert agent.taken("POST", f"/v1/pauses/{pause}/cancel", STATED)["replayed"] is True
    ended(stack, f"{pause}-1")
    status, problem = maria.try_decide(call, "accept")
    assert (status, problem["code"]) == (409, "call_cancelled")
    found = agent.taken("GET", f"/v1/pauses/{pause}")
    assert (found["state"], found["calls"][0]["state"]) == ("ended", "cancelled")
    assert pause not in [one["pause"] for one in agent.taken("GET", "/v1/resumes")["resumes"]]
    assert pause not in [one["pause"] for one in maria.call("GET", "/v1/reviews")[1]["reviews"]]


def test_a_run_that_asks_again_replaces_its_question(stack: LocalStack, agent: Signed, maria: JsonReviewer) -> None:
    first = shown(stack, agent, "ops-again", REFUND)
    (call,) = maria.detail(first)["calls"]
    second = shown(stack, agent, "ops-again", REFUND, checkpoint="cp-2", supersedes=True)
    ended(stack, f"{first}-1")
    status, problem = maria.try_decide(call, "accept")
    assert (status, problem["code"], problem["successor"]) == (409, "call_superseded", second)
    agent.taken("POST", f"/v1/pauses/{second}/cancel", STATED)


LONG: dict[str, Any] = {
    "table": "contacts",
    "where": "näme <> 'x' and 😀\u202e " * 900 + "the last words",
    "limit": 1.5,
}
SHORTER = LONG | {"where": LONG["where"][40:]}
EDITED = json.dumps(SHORTER, ensure_ascii=False, separators=(",", ":")).replace("1.5", "1.50")


@pytest.mark.parametrize("edit", ["", EDITED], ids=["accepted", "edited"])
def test_a_long_text_lies_in_the_bucket_and_comes_back_exactly(
    stack: LocalStack, agent: Signed, maria: JsonReviewer, edit: str
) -> None:
    pause = shown(stack, agent, f"ops-long-{len(edit)}", ("delete_records", LONG))
    items = DynamoTable(stack.table_name, stack.client("dynamodb")).query(KEYS.pause(pause), "BODY#")
    assert [("content" in item, item["place"].split("/")[:2]) for item in items] == [(False, ["main", pause])]
    bucket = function_of(stack, "capture")["Environment"]["Variables"]["PLACET_BUCKET"]
    stored = stack.client("s3").get_object(Bucket=bucket, Key=items[0]["place"])["Body"].read()
    assert len(stored) > 20_000
    (call,) = maria.detail(pause)["calls"]
    assert "the last words" in stack.sign_in("maria").get(f"{stack.api_url}/reviews/{pause}").text
    if edit:
        maria.decide(call, "edit", arguments=edit, reason="fewer")
    else:
        maria.decide(call, "accept")
    (decided,) = offered(agent, pause)["calls"]
    wanted = {"digest": decided["digest"], "worker": "w1"}
    permit = agent.taken("POST", f"/v1/calls/{decided['call']}/claim", wanted)
    assert permit["arguments"] == decided["arguments"] == (edit or call["arguments"])
    assert json.loads(permit["arguments"])["where"] == LONG["where"][40 if edit else 0 :]
    assert digest(parse(permit["arguments"])) == permit["digest"]
    agent.taken("POST", f"/v1/calls/{decided['call']}/outcome", {"worker": "w1", "permit": "done"})
    agent.taken("POST", f"/v1/resumes/{pause}/outcome", {"state": "resumed"})


def test_one_worker_at_a_time_resumes_a_run(stack: LocalStack, agent: Signed, maria: JsonReviewer) -> None:
    pause = shown(stack, agent, "ops-lease", DELETE)
    maria.decide(maria.detail(pause)["calls"][0], "accept")
    until(lambda: head(stack, pause)["state"] == "closed", "the decision")
    (taken,) = agent.taken("POST", "/v1/resumes", {"pause": pause})["resumes"]
    assert agent.taken("POST", "/v1/resumes", {"pause": pause})["resumes"] == []
    kept = agent.taken("POST", f"/v1/resumes/{pause}/lease", {"fence": taken["fence"]})
    assert kept["lease_until"] >= taken["lease_until"]
    (call,) = taken["calls"]
    wanted = {"digest": call["digest"], "worker": "w1", "fence": taken["fence"] + 1}
    late = [
        agent.call("POST", f"/v1/resumes/{pause}/lease", {"fence": taken["fence"] + 1}),
        agent.call("POST", f"/v1/calls/{call['call']}/claim", wanted),
        agent.call("POST", f"/v1/resumes/{pause}/outcome", {"state": "resumed", "fence": taken["fence"] + 1}),
    ]
    assert [(status, problem["code"]) for status, problem in late] == [(409, "lease_lost")] * 3
    agent.taken("POST", f"/v1/calls/{call['call']}/claim", wanted | {"fence": taken["fence"]})
    agent.taken("POST", f"/v1/calls/{call['call']}/outcome", {"worker": "w1", "permit": "done"})
    agent.taken("POST", f"/v1/resumes/{pause}/outcome", {"state": "resumed", "fence": taken["fence"]})


def test_freeze_holds_captures_decisions_and_claims(
    stack: LocalStack, agent: Signed, maria: JsonReviewer, olga: Signed
) -> None:
    waiting = shown(stack, agent, "ops-frozen-1", REFUND)
    (open_call,) = maria.detail(waiting)["calls"]
    decided = shown(stack, agent, "ops-frozen-2", DELETE)
    maria.decide(maria.detail(decided)["calls"][0], "accept")
    (ready,) = offered(agent, decided)["calls"]
    claim = f"/v1/calls/{ready['call']}/claim", {"digest": ready["digest"], "worker": "w1"}
    capture = "/v1/pauses", pause_body("ops-frozen-3", DELETE)
    assert olga.taken("POST", "/v1/operations/freeze", {"reason": "drill"}) == {"frozen": True}
    try:
        tried = [maria.try_decide(open_call, "accept"), agent.call("POST", *claim), agent.call("POST", *capture)]
        assert [(status, problem["code"]) for status, problem in tried] == [(503, "frozen")] * 3
        assert head(stack, waiting)["calls"]["1"]["state"] == "pending"
        assert agent.taken("GET", f"/v1/pauses/{waiting}")["state"] == "waiting"
    finally:
        assert olga.taken("POST", "/v1/operations/thaw", {})["frozen"] is False
    assert maria.decide(open_call, "accept")["state"] == "accepted"
    assert agent.taken("POST", *claim)["permit"] == "claimed"
    agent.taken("POST", f"/v1/calls/{ready['call']}/outcome", {"worker": "w1", "permit": "done"})
    late = agent.taken("POST", *capture)["pause"]
    agent.taken("POST", f"/v1/pauses/{late}/cancel", STATED)
    for pause in (waiting, decided):
        offered(agent, pause)
        agent.taken("POST", f"/v1/resumes/{pause}/outcome", {"state": "resumed"})


def stuck(olga: Signed, pause: str) -> dict[str, Any]:
    """The pause's line on the stuck list, empty when it is not there."""
    found = olga.taken("GET", "/v1/operations/stuck")["stuck"]
    return next((one for one in found if one["pause"] == pause), {})


def test_a_pause_that_reviewers_see_stays_with_them_when_its_wait_fails(
    stack: LocalStack, agent: Signed, olga: Signed, maria: JsonReviewer
) -> None:
    pause = shown(stack, agent, "ops-wait-lost", REFUND)
    run_verb(stack, "resume", tenant="main", pause=pause, gen=1, list="wait_failed")
    assert stuck(olga, pause) == {}
    run_verb(stack, "sweep")
    assert maria.decide(maria.detail(pause)["calls"][0], "reject", reason="no")["state"] == "rejected"
    offered(agent, pause)
    agent.taken("POST", f"/v1/resumes/{pause}/outcome", {"state": "resumed"})


def test_a_pause_whose_wait_failed_waits_again(
    stack: LocalStack, agent: Signed, olga: Signed, maria: JsonReviewer
) -> None:
    pause = shown(stack, agent, "ops-stuck", REFUND)
    never_shown(stack, pause)
    run_verb(stack, "resume", tenant="main", pause=pause, gen=1, list="wait_failed")
    line = stuck(olga, pause)
    assert (line["reason"], line["repair"], line["unknown"]) == ("wait_failed", f"placet repair {pause}", [])
    assert pause in [one["pause"] for one in olga.taken("GET", "/v1/operations/find?of=ops-stuck")["pauses"]]
    assert olga.taken("POST", f"/v1/operations/pauses/{pause}/repair", {}) == {"pause": pause, "did": "waits again"}
    again = olga.taken("POST", f"/v1/operations/pauses/{pause}/repair", {})  # as after a lost answer
    assert again == {"pause": pause, "did": "waits again"}
    run_verb(stack, "sweep")
    seen(stack, pause)
    maria.decide(maria.detail(pause)["calls"][0], "reject", reason="no")
    ended(stack, f"{pause}-2")
    offered(agent, pause)
    agent.taken("POST", f"/v1/resumes/{pause}/outcome", {"state": "resumed"})
    events = DynamoTable(stack.table_name, stack.client("dynamodb")).query(KEYS.pause(pause), "E#repaired#")
    assert [one["by"] for one in events] == [f"{OPERATOR}/olga"]


def test_an_unreported_call_is_settled_with_evidence(
    stack: LocalStack, agent: Signed, olga: Signed, maria: JsonReviewer
) -> None:
    pause = shown(stack, agent, "ops-unknown", REFUND)
    maria.decide(maria.detail(pause)["calls"][0], "accept")
    (call,) = offered(agent, pause)["calls"]
    agent.taken("POST", f"/v1/calls/{call['call']}/claim", {"digest": call["digest"], "worker": "w1"})
    status, problem = olga.call("POST", f"/v1/operations/calls/{call['call']}/reconcile", SETTLED)
    assert (status, problem["code"], problem["permit"]) == (409, "permit_not_unknown", "claimed")
    claimed_long_ago(stack, pause)
    run_verb(stack, "sweep")
    line = stuck(olga, pause)
    assert (line["reason"], line["unknown"]) == ("permit_unknown", [call["call"]])
    status, problem = olga.call("POST", f"/v1/operations/pauses/{pause}/repair", {})
    assert (status, problem["code"], problem["calls"]) == (409, "needs_reconcile", [call["call"]])
    empty = {"permit": "done", "evidence": " "}
    status, problem = olga.call("POST", f"/v1/operations/calls/{call['call']}/reconcile", empty)
    assert (status, problem["code"]) == (422, "evidence_missing")
    olga.taken("POST", f"/v1/operations/calls/{call['call']}/reconcile", SETTLED)
    olga.taken("POST", f"/v1/operations/pauses/{pause}/repair", {})
    assert stuck(olga, pause) == {}
    assert offered(agent, pause)["calls"][0]["permit"] == "done"
    agent.taken("POST", f"/v1/resumes/{pause}/outcome", {"state": "resumed"})


SETTLED = {"permit": "done", "evidence": "Refund r-1 is in the ledger."}


def never_shown(stack: LocalStack, pause: str) -> None:
    """As if its wait had failed before notify came to the queue."""
    stack.client("dynamodb").update_item(
        TableName=stack.table_name,
        Key={name: {"S": value} for name, value in KEYS.head(pause)._asdict().items()},
        UpdateExpression="SET calls.#n.deadline_ms = :none REMOVE notified_ms, mails_missed",
        ExpressionAttributeNames={"#n": "1"},
        ExpressionAttributeValues={":none": {"N": "0"}},
    )


def claimed_long_ago(stack: LocalStack, pause: str) -> None:
    """As if the claim was of a day ago, and its pause stood where such a claim puts it."""
    permit, day = head(stack, pause)["calls"]["1"]["permit"], 86_400_000
    stack.client("dynamodb").update_item(
        TableName=stack.table_name,
        Key={name: {"S": value} for name, value in KEYS.head(pause)._asdict().items()},
        UpdateExpression="SET calls.#n.permit.at_ms = :at, calls.#n.permit.over_ms = :over, wsk = :over",
        ExpressionAttributeNames={"#n": "1"},
        ExpressionAttributeValues={
            ":at": {"N": str(permit["at_ms"] - day)},
            ":over": {"N": str(permit["over_ms"] - day)},
        },
    )


ROUTES = (
    ("GET", "/v1/operations/stuck", None),
    ("GET", "/v1/operations/find?of=x", None),
    ("GET", "/v1/operations/samples", None),
    ("POST", "/v1/operations/freeze", {"reason": "mine"}),
    ("POST", "/v1/operations/thaw", {}),
    ("POST", "/v1/operations/pauses/x/repair", {}),
    ("POST", "/v1/operations/calls/x-1/reconcile", SETTLED),
)


def test_an_agent_cannot_operate_and_an_operator_is_no_agent(agent: Signed, olga: Signed) -> None:
    """IAM says no before any function of ours is asked: its answer is no problem document."""
    refused = [agent.call(*route) for route in ROUTES]
    refused += [olga.call("GET", path) for path in ("/v1/gates", "/v1/resumes", "/v1/pauses/x")]
    refused += [olga.call("POST", "/v1/pauses", pause_body("ops-not", REFUND))]
    assert [(status, "code" in body) for status, body in refused] == [(403, False)] * len(refused)


def test_a_role_with_the_policy_that_is_not_in_the_settings_is_refused_too(stack: LocalStack) -> None:
    """The second lock: whoever attaches OperatorAccess to a role has not made its people operators."""
    iam = stack.client("iam")
    root = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}}
    trust = json.dumps({"Version": "2012-10-17", "Statement": [root]})
    iam.create_role(RoleName="placet-operator-2", AssumeRolePolicyDocument=trust)
    iam.attach_role_policy(RoleName="placet-operator-2", PolicyArn=stack.outputs["OperatorAccessPolicyArn"])
    other = Signed(stack.api_url, stack.aws.assume(role_arn("placet-operator-2"), "olga"))
    answers = [other.call(*route) for route in ROUTES]
    assert [(status, body["code"]) for status, body in answers] == [(403, "operator_unknown")] * len(ROUTES)
    iam.detach_role_policy(RoleName="placet-operator-2", PolicyArn=stack.outputs["OperatorAccessPolicyArn"])
    iam.delete_role(RoleName="placet-operator-2")
