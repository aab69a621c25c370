"""Each step of the smoke test finds what it is there for."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from infra import smoke_flow, smoke_rights
from infra.rights import ASKED, TABLE_RIGHTS, TOKEN
from tests.infra.deployed_double import Deployed, nothing_is_left, played, said


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("AccessDeniedException", "502 table_refused"),
        ({}, "was answered as written"),
        ("ResourceNotFoundException", "was answered ResourceNotFoundException"),
    ],
)
def test_a_decision_that_iam_would_not_let_through_is_found(gateway: Deployed, answer: Any, says: str) -> None:
    gateway.answers["dynamodb.TransactWriteItems"] = answer
    result, sentence = said(played(gateway), "decide rights")
    assert result == "FAIL"
    assert says in sentence


@pytest.mark.parametrize(("letter", "what"), [("K", "a task token"), ("U", "a membership")])
def test_open_fences_are_found(gateway: Deployed, letter: str, what: str) -> None:
    """Inside transactions AWS might not name the keys: then everything is allowed."""
    usual = gateway.answers["dynamodb.TransactWriteItems"]

    def open_fence(asked: dict[str, Any]) -> Any:
        put = asked["TransactItems"][1].get("Put", {}).get("Item", {"pk": {"S": "###"}})
        if put["pk"]["S"].split("#")[2] == letter:
            return gateway.refuse("TransactionCanceledException", "TransactWriteItems")
        return usual(asked)

    gateway.answers["dynamodb.TransactWriteItems"] = open_fence
    result, sentence = said(played(gateway), "decide rights")
    assert (result, f"writes {what} was answered TransactionCanceledException" in sentence) == ("FAIL", True)


def test_the_probe_has_every_part_of_a_decision() -> None:
    """The kinds of partitions that decide may check or write in a transaction, and none of them in earnest."""
    parts = {(verb, _letter(one)) for item in smoke_rights.deciding("t", "x") for verb, one in item.items()}
    grants = [(grant.actions, [key.split("#")[2] for key in grant.keys]) for grant in TABLE_RIGHTS["decide"]]
    checked = {letter for actions, letters in grants if "ConditionCheckItem" in actions for letter in letters}
    assert {letter for verb, letter in parts if verb == "ConditionCheck"} == checked
    for verb, action in (("Put", "PutItem"), ("Update", "UpdateItem")):
        allowed = {letter for actions, letters in grants if action in actions for letter in letters}
        assert {letter for part, letter in parts if part == verb} == {"P"} <= allowed
    assert {part for part, _ in parts} == {"ConditionCheck", "Put", "Update"}


def _letter(part: dict[str, Any]) -> str:
    assert part["ConditionExpression"] == "attribute_exists(pk)"
    return str(part.get("Key", part.get("Item"))["pk"]["S"].split("#")[2])


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("AccessDeniedException", "502 table_refused"),
        ({"Responses": {"table": []}}, "its fences are open"),
        ({"Responses": {"table": [{"pk": {"S": "x"}}]}}, "nobody made were found"),
    ],
)
def test_a_batch_that_iam_judges_otherwise_is_found(gateway: Deployed, answer: Any, says: str) -> None:
    gateway.answers["dynamodb.BatchGetItem"] = answer
    result, sentence = said(played(gateway), "batch rights")
    assert (result, says in sentence) == ("FAIL", True), sentence


def test_the_batch_has_each_kind_that_rules_ask(gateway: Deployed) -> None:
    """Kinds of partitions in the first request, against what the rights say is asked in one."""
    asked: list[set[str]] = []
    usual = gateway.answers["dynamodb.BatchGetItem"]

    def noted(given: dict[str, Any]) -> Any:
        ((_, wanted),) = given["RequestItems"].items()
        asked.append({f"T#*#{key['pk']['S'].split('#')[2]}#*" for key in wanted["Keys"]})
        return usual(given)

    gateway.answers["dynamodb.BatchGetItem"] = noted
    assert said(played(gateway), "batch rights")[0] == "ok"
    assert asked == [set(ASKED), {*ASKED, TOKEN}]


@pytest.mark.parametrize("right", ["dynamodb:GetItem", "dynamodb:Query"])
def test_a_role_that_reads_tokens_is_found(gateway: Deployed, right: str) -> None:
    gateway.answers["iam.SimulatePrincipalPolicy"] = lambda asked: {
        "EvaluationResults": [
            {"EvalActionName": name, "EvalDecision": "allowed" if name == right else "implicitDeny"}
            for name in asked["ActionNames"]
        ]
    }
    assert said(played(gateway), "token rights")[0] == "FAIL"


@pytest.mark.parametrize(
    ("step", "answers", "result", "says"),
    [
        ("delivery", {"lambda.Invoke": "AccessDeniedException"}, "FAIL", "cannot reach billing-function"),
        ("delivery", {"lambda.Invoke": "ResourceNotFoundException"}, "FAIL", "cannot reach billing-function"),
        ("delivery", {"lambda.Invoke": {"StatusCode": 204}}, "FAIL", "which no entry of the registry names"),
        ("delivery", {"sqs.GetQueueUrl": "AccessDenied"}, "FAIL", "cannot reach decided.fifo"),
        ("mail", {"sesv2.SendEmail": "AccessDeniedException"}, "FAIL", "cannot send from"),
        ("mail", {"sesv2.SendEmail": "MessageRejected"}, "skip", "works without mail"),
        (
            "alarm",
            {"cloudwatch.DescribeAlarmHistory": {"AlarmHistoryItems": []}},
            "FAIL",
            "history has no new action within 60 s",
        ),
        ("alarm", {"sns.ListSubscriptionsByTopic": {"Subscriptions": []}}, "ok", "nobody hears it: set alarm_mail"),
        (
            "alarm",
            {
                "sns.ListSubscriptionsByTopic": {
                    "Subscriptions": [{"Endpoint": "o@example.com", "SubscriptionArn": "PendingConfirmation"}]
                }
            },
            "FAIL",
            "o@example.com has not confirmed",
        ),
    ],
)
def test_what_is_wrong_is_said(gateway: Deployed, step: str, answers: dict[str, Any], result: str, says: str) -> None:
    gateway.answers.update(answers)
    found = played(gateway)
    assert said(found, step)[0] == result
    assert says in said(found, step)[1]
    nothing_is_left(gateway)


def test_an_alarm_that_could_not_tell_its_topic_is_found(gateway: Deployed) -> None:
    failed = {"Timestamp": "2026-11-30", "HistorySummary": "Failed to execute action arn"}
    gateway.answers["cloudwatch.DescribeAlarmHistory"] = lambda asked: {
        "AlarmHistoryItems": [failed] * gateway.alarm.count("ALARM")
    }
    assert said(played(gateway), "alarm")[0] == "FAIL"
    assert gateway.alarm == ["OK", "ALARM", "OK"], "it is quiet again all the same"


def test_an_alarm_that_rings_is_left_alone(gateway: Deployed) -> None:
    gateway.alarm = ["ALARM"]
    assert said(played(gateway), "alarm")[0] == "skip"
    assert gateway.alarm == ["ALARM"]


@pytest.mark.parametrize(
    ("page", "says"),
    [
        ((200, "Login pages unavailable", "https://x.auth.amazoncognito.com/login"), "have no style"),
        ((403, "", "https://x.auth.amazoncognito.com/login"), "answers 403"),
        (
            (200, "", "https://x.auth.amazoncognito.com/error?error=redirect_mismatch"),
            "at x.auth.amazoncognito.com/error",
        ),
        ((200, "<form>", "https://api.example.com/sign-in"), "sign-in stayed at"),
    ],
)
def test_a_login_page_that_nobody_can_use_is_found(gateway: Deployed, page: Any, says: str) -> None:
    gateway.pages["/sign-in/start"] = page
    result, sentence = said(played(gateway), "login page")
    assert (result, says in sentence) == ("FAIL", True), sentence


def test_with_a_token_a_person_decides(gateway: Deployed, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[str, str, Any]] = []

    def reviewer(url: str, token: str, method: str, path: str, body: Any = None) -> tuple[int, dict[str, Any]]:
        assert token == "a-token"
        sent.append((method, path, body))
        if method == "GET":
            shown = {"call": "p1-1", "may_decide": True, "revision": 1, "digest": "d1"}
            return (200, {"calls": [shown]}) if len(sent) > 2 else (404, {"code": "not_found"})
        gateway.execution = "SUCCEEDED"
        return 200, {}

    accepted = {"call": "p1-1", "tool": smoke_flow.TOOL, "state": "accepted", "permit": "free", "digest": "d1"}
    monkeypatch.setattr(smoke_flow, "as_reviewer", reviewer)
    monkeypatch.setattr(gateway, "offered", lambda: [accepted])
    monkeypatch.setattr(gateway, "_claim", lambda call, body: (
        (200, {}) if body["worker"] == gateway.claims.setdefault(call, body["worker"]) else (409, {"code": "permit_claimed"})
    ))  # fmt: skip
    found = played(gateway, token="a-token")
    assert {one["result"] for one in found["steps"]} == {"ok"}, found["steps"]
    assert sent[-1] == (
        "POST",
        "/v1/reviews/p1-1/decision",
        {"decision": "accept", "revision": 1, "digest": "d1"},
    )
    assert "accepted" in said(found, "pick-up")[1]


def test_an_execution_that_the_sweep_started_is_no_proof_of_the_stream(gateway: Deployed) -> None:
    """The planted fault: filters that let no new head through; the pause goes on all the same, a minute later."""
    gateway.started = datetime.now(UTC) + timedelta(seconds=70)
    result, sentence = said(found := played(gateway), "wait")
    assert (result, " s after the capture, as the sweep does it" in sentence) == ("FAIL", True), sentence
    assert said(found, "timer")[0] == "ok"
    nothing_is_left(gateway)


def test_a_permit_that_is_had_twice_is_found(gateway: Deployed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "_claim", lambda call, body: (
        (409, {"code": "call_not_approved"}) if call == "p1-1" else (200, {})
    ))  # fmt: skip
    assert said(played(gateway), "claim")[0] == "FAIL"


def test_what_it_captures_is_what_the_gateway_takes() -> None:
    """The gateway itself takes the body: one call waits for a person, one passes."""
    from infra.policy_file import deployed_policy
    from tests.gateway import Gateway

    free = smoke_flow.free_tool()
    assert deployed_policy().tools[free].free
    gateway = Gateway(policy=deployed_policy())
    body = smoke_flow.pause("smoke-1", free)
    assert json.loads(json.dumps(body)) == body
    captured = gateway.hand_in(body.pop("native"), wait_at_most_s=body["wait_at_most_s"])
    calls = gateway.head(captured.head.pause).calls
    assert sorted((call.tool, call.state.value) for call in calls) == [(free, "passed"), (smoke_flow.TOOL, "pending")]
