"""The smoke test against an account made of AWS's own models: what it asks for, and that it leaves nothing."""

from __future__ import annotations

import json
import re
import signal
from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from infra import smoke, smoke_agent, smoke_flow, smoke_ground, smoke_rights
from infra.rights import TABLE_RIGHTS
from tests.infra.deployed_double import OUTPUTS, SETTINGS, Deployed, ground

STEPS = [
    *("strangers", "login page", "token rights", "decide rights", "delivery", "mail", "alarm"),
    *("capture", "wait", "timer", "decision", "end", "pick-up", "claim", "resumed"),
]


@pytest.fixture
def gateway(monkeypatch: pytest.MonkeyPatch) -> Deployed:
    """The deployed gateway, its HTTP answers canned too."""
    account = Deployed()
    pages = {
        "/v1/gates": (403, "", "https://api.example.com/v1/gates"),
        "/v1/reviews": (401, "", "https://api.example.com/v1/reviews"),
        "/sign-in/start": (200, "<script>", "https://placet-1.auth.eu-central-1.amazoncognito.com/login?x"),
    }
    account.pages = pages  # type: ignore[attr-defined]
    monkeypatch.setattr(smoke, "page", lambda url: pages[url.removeprefix(OUTPUTS["ApiUrl"])])
    monkeypatch.setattr(smoke_agent.Gateway, "call", lambda _self, *asked: account.call(*asked))
    return account


def played(account: Deployed, **named: Any) -> dict[str, Any]:
    return smoke.run(ground(account, **named), lambda line: None)


def said(found: dict[str, Any], step: str) -> tuple[str, str]:
    return next((one["result"], one["sentence"]) for one in found["steps"] if one["step"] == step)


def nothing_is_left(account: Deployed) -> None:
    assert account.roles == {}
    assert account.schedules == set()
    assert account.alarm[-1] == "OK"


def test_everything_passes_and_nothing_is_left(gateway: Deployed) -> None:
    found = played(gateway)
    assert [one["step"] for one in found["steps"]] == STEPS
    assert {one["step"]: one["sentence"] for one in found["steps"] if one["result"] == "FAIL"} == {}
    assert [one["step"] for one in found["steps"] if one["result"] == "skip"] == ["decision"]
    assert "PLACET_TOKEN" in said(found, "decision")[1]
    assert (found["passed"], found["left_behind"]) == (True, [])
    nothing_is_left(gateway)
    assert "stepfunctions.StopExecution" not in gateway.asked


def test_a_step_that_fails_leaves_nothing_either(gateway: Deployed) -> None:
    found = played(gateway, fire=False)
    assert said(found, "end")[0] == "FAIL"
    assert [said(found, name) for name in ("pick-up", "claim")] == [
        ("skip", "needs end"),
        ("skip", "needs pick-up"),
    ]
    nothing_is_left(gateway)
    assert gateway.execution == "ABORTED"
    assert gateway.cancelled


@pytest.mark.parametrize("step", [name for name in STEPS if name not in ("decision", "end", "resumed")])
def test_every_later_step_is_said_although_one_failed(
    gateway: Deployed, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails() -> str:
        raise smoke_ground.SmokeFailed("planted")

    made = smoke.steps
    monkeypatch.setattr(
        smoke, "steps", lambda on: tuple(replace(one, play=fails) if one.name == step else one for one in made(on))
    )
    found = played(gateway)
    assert [one["step"] for one in found["steps"]] == STEPS
    assert [one["step"] for one in found["steps"] if one["result"] == "FAIL"] == [step]
    assert not found["passed"]
    assert gateway.roles == {}
    assert gateway.alarm[-1] == "OK"


def test_an_interruption_leaves_nothing(gateway: Deployed) -> None:
    """Ctrl-C in the middle of making a role: it was noted before it was made."""

    def interrupted(asked: dict[str, Any]) -> dict[str, Any]:
        raise KeyboardInterrupt

    gateway.answers["iam.AttachRolePolicy"] = interrupted
    lines: list[str] = []
    found = smoke.run(ground(gateway), lines.append)
    assert (found["interrupted"], found["passed"], found["left_behind"]) == (True, False, [])
    assert gateway.roles == {}
    assert "interrupted" in lines[-1]


def test_a_second_interruption_does_not_cut_the_taking_back() -> None:
    undo, done = smoke_ground.Undo(), []
    undo.note("first", done.append, 1)
    undo.note("second", lambda: signal.raise_signal(signal.SIGINT))
    undo.run()
    assert done == [1]


def test_what_could_not_be_taken_back_is_said(gateway: Deployed) -> None:
    gateway.answers["iam.DeleteRole"] = "DeleteConflict"
    found = played(gateway)
    assert not found["passed"]
    assert any(one.startswith("role placet-support-agent:") for one in found["left_behind"])
    assert said(found, "resumed")[0] == "ok"


def test_the_roles_are_made_under_a_path_for_the_caller_only(gateway: Deployed) -> None:
    played(gateway)
    assert len(gateway.made) == 4
    for role in gateway.made.values():
        (statement,) = role["trust"]["Statement"]
        assert statement["Condition"] == {
            "ArnLike": {
                "aws:PrincipalArn": ["arn:aws:iam::123456789012:role/Admin", "arn:aws:iam::123456789012:role/*/Admin"]
            }
        }


def test_every_role_carries_the_boundary(gateway: Deployed) -> None:
    played(gateway, settings=SETTINGS.model_copy(update={"permissions_boundary": "CompanyBoundary"}))
    boundary = "arn:aws:iam::123456789012:policy/CompanyBoundary"
    assert {name: role["boundary"] for name, role in gateway.made.items()} == dict.fromkeys(gateway.made, boundary)


def test_a_role_that_is_there_is_assumed_and_not_touched(gateway: Deployed) -> None:
    gateway.roles["placet-support-agent"] = {"inline": ["own"], "attached": ["own"], "tags": []}
    found = played(gateway)
    assert said(found, "resumed")[0] == "ok"
    assert gateway.roles == {"placet-support-agent": {"inline": ["own"], "attached": ["own"], "tags": []}}


def test_a_role_that_may_not_be_assumed_says_what_to_do(gateway: Deployed) -> None:
    gateway.roles["placet-support-agent"] = {"tags": []}
    usual = gateway.answers["sts.AssumeRole"]
    gateway.answers["sts.AssumeRole"] = lambda asked: (
        gateway.refuse("AccessDenied", "AssumeRole") if asked["RoleArn"].endswith("support-agent") else usual(asked)
    )
    result, sentence = said(played(gateway), "capture")
    assert result == "FAIL"
    assert "--role" in sentence
    assert gateway.asked.count("sts.AssumeRole") == 4, "a role of somebody else's that refuses goes on refusing"


def test_iam_takes_its_time(gateway: Deployed, monkeypatch: pytest.MonkeyPatch) -> None:
    """A 403 of the API and a denial of DynamoDB within the first minute are the delay of IAM."""
    late = {"api": 3, "table": 2}
    call, transact = gateway.call, gateway.answers["dynamodb.TransactWriteItems"]

    def slow_api(_self: Any, *asked: Any) -> tuple[int, dict[str, Any]]:
        if late["api"]:
            late["api"] -= 1
            return 403, {"message": "Forbidden"}
        return call(*asked)

    def slow_table(asked: dict[str, Any]) -> Any:
        if late["table"]:
            late["table"] -= 1
            return gateway.refuse("AccessDeniedException", "TransactWriteItems")
        return transact(asked)

    monkeypatch.setattr(smoke_agent.Gateway, "call", slow_api)
    gateway.answers["dynamodb.TransactWriteItems"] = slow_table
    found = played(gateway)
    assert (said(found, "capture")[0], said(found, "decide rights")[0]) == ("ok", "ok")
    assert late == {"api": 0, "table": 0}


def test_after_a_minute_it_is_no_delay_any_more(gateway: Deployed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smoke_agent.Gateway, "call", lambda *_: (403, {"message": "Forbidden"}))
    assert said(played(gateway), "capture") == ("FAIL", "capture was answered 403: {'message': 'Forbidden'}")


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
    gateway.pages["/sign-in/start"] = page  # type: ignore[attr-defined]
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


def test_calls_are_signed_for_the_api() -> None:
    from botocore.credentials import Credentials

    seen: dict[str, Any] = {}

    def opened(url: str, method: str, data: bytes | None, headers: dict[str, str]) -> tuple[int, str, str]:
        seen.update(headers)
        return 200, "{}", url

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(smoke_agent, "_open", opened)
        smoke_agent.Gateway("https://x.example.com/", Credentials("AKID", "s", "t"), "eu-central-1").call(
            "GET", "/v1/gates"
        )
    assert "/eu-central-1/execute-api/aws4_request" in seen["Authorization"]
    assert seen["X-Amz-Security-Token"] == "t"


@pytest.mark.parametrize(
    "url", ["http://api.example.com", "http://10.0.0.1", "http://localhost.example.com", "ftp://localhost"]
)
def test_only_https_but_on_this_machine(url: str) -> None:
    with pytest.raises(smoke_agent.SmokeFailed, match="https"):
        smoke_agent.page(url)


def test_json_is_all_that_is_printed(
    gateway: Deployed, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(smoke, "Ground", lambda *_, **__: ground(gateway))
    monkeypatch.setattr(smoke, "deployed_settings", lambda: SETTINGS)
    monkeypatch.setattr(smoke, "session_in", lambda region: gateway)
    monkeypatch.setattr(smoke.signal, "signal", lambda *_: None)
    for arguments, read in ((["--json"], json.loads), ([], str)):
        monkeypatch.setattr("sys.argv", ["smoke", *arguments])
        gateway.schedules, gateway.execution, gateway.calls = {"p1"}, "RUNNING", []
        gateway.claims.clear()
        assert smoke.main() == 0
        printed = capsys.readouterr().out
        assert read(printed)
    assert json.loads(json.dumps(printed.splitlines()[-1])) == "smoke: passed ok=14 skipped=1 failed=0 left_behind=0"
    assert re.match(r"ok    strangers     unsigned", printed)


def test_errors_of_aws_end_no_run(gateway: Deployed) -> None:
    error = ClientError({"Error": {"Code": "Throttling", "Message": "slow"}}, "ListStackResources")
    assert smoke._sentence(error) == str(error)
    gateway.answers["cloudformation.ListStackResources"] = "Throttling"
    found = played(gateway)
    assert [one["step"] for one in found["steps"]] == STEPS
    assert {one["step"] for one in found["steps"] if one["result"] == "FAIL"} == {
        "token rights", "decide rights", "delivery", "mail", "alarm",
    }  # fmt: skip
