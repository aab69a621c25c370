"""The smoke test against an account made of AWS's own models: what it asks for, and that it leaves nothing."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import Any

import pytest

from infra import smoke, smoke_agent
from infra.settings import Settings
from tests.infra.aws_double import Account
from tests.infra.conftest import example

ROLE = {
    "Arn": "arn:aws:iam::123456789012:role/placet-smoke/placet-support-agent", "Path": "/placet-smoke/",
    "RoleName": "placet-support-agent", "RoleId": "AROAEXAMPLEEXAMPLE", "CreateDate": "2026-11-29",
}  # fmt: skip
OUTPUTS = {
    "ApiUrl": "https://api.example.com", "MachineArn": "arn:aws:states:eu-central-1:123456789012:stateMachine:m",
    "AgentAccessPolicyArn": "arn:aws:iam::123456789012:policy/access", "ScheduleGroupName": "PlacetGateway-pauses",
    "TableName": "table",
}  # fmt: skip
EXECUTION = "arn:aws:states:eu-central-1:123456789012:execution:m:p1-1"


class Deployed(Account):
    """A gateway on which everything goes well: states and schedules are remembered, pages and calls are canned."""

    def __init__(self) -> None:
        self.roles, self.schedules, self.execution = set[str](), {"p1"}, "RUNNING"
        super().__init__(self._canned())

    def _canned(self) -> dict[str, Any]:
        stack = {"StackName": "s", "CreationTime": "2026-11-29", "StackStatus": "CREATE_COMPLETE"}
        return {
            "cloudformation.DescribeStacks": {"Stacks": [
                {**stack, "Outputs": [{"OutputKey": key, "OutputValue": value} for key, value in OUTPUTS.items()]}
            ]},
            "cloudformation.ListStackResources": {"StackResourceSummaries": [
                {
                    "LogicalResourceId": f"{verb}Role12345678", "PhysicalResourceId": f"{verb}-role",
                    "ResourceType": "AWS::IAM::Role",
                    "LastUpdatedTimestamp": "2026-11-29", "ResourceStatus": "CREATE_COMPLETE",
                }
                for verb in ("Dispatch", "Review", "Decide", "Resume", "Operate")
            ]},
            "dynamodb.DescribeTable": {"Table": {"TableArn": "arn:aws:dynamodb:eu-central-1:123456789012:table/t"}},
            "iam.GetRole": lambda asked: {"Role": {**ROLE, "Arn": f"arn:aws:iam::123456789012:role/{asked['RoleName']}"}},
            "iam.SimulatePrincipalPolicy": self._simulate,
            "iam.CreateRole": self._create,
            "iam.AttachRolePolicy": {},
            "iam.DetachRolePolicy": {},
            "iam.DeleteRole": lambda asked: self.roles.remove(asked["RoleName"]) or {},
            "sts.GetCallerIdentity": {"Account": "123456789012", "Arn": "arn:aws:sts::123456789012:assumed-role/Admin/me"},
            "sts.AssumeRole": {"Credentials": {
                "AccessKeyId": "AKIDEXAMPLEEXAMPLE", "SecretAccessKey": "s", "SessionToken": "t", "Expiration": "2026-11-29",
            }},
            "stepfunctions.ListExecutions": lambda asked: {"executions": [
                {**self._running(), "name": "p1-1"}
            ] if asked["statusFilter"] == self.execution else []},
            "stepfunctions.DescribeExecution": lambda asked: self._running(),
            "stepfunctions.StopExecution": self._stop,
            "scheduler.GetSchedule": {
                "Name": "p1", "ScheduleExpression": "at(2026-11-29T17:00:00)",
                "Target": {"Arn": "arn", "RoleArn": "arn", "DeadLetterConfig": {"Arn": "arn"}},
            },
            "scheduler.DeleteSchedule": lambda asked: self.schedules.remove(asked["Name"]) or {},
        }  # fmt: skip

    def _running(self) -> dict[str, Any]:
        return {
            "executionArn": EXECUTION,
            "stateMachineArn": "arn",
            "status": self.execution,
            "startDate": "2026-11-29",
        }

    def _simulate(self, asked: dict[str, Any]) -> dict[str, Any]:
        may = "Dispatch" in asked["PolicySourceArn"]
        decisions = {"dynamodb:GetItem": "implicitDeny", "dynamodb:Query": "allowed" if may else "implicitDeny"}
        asked_for = asked["ActionNames"]
        return {"EvaluationResults": [{"EvalActionName": name, "EvalDecision": decisions[name]} for name in asked_for]}

    def _create(self, asked: dict[str, Any]) -> dict[str, Any]:
        self.roles.add(asked["RoleName"])
        self.trust = json.loads(asked["AssumeRolePolicyDocument"])
        return {"Role": ROLE}

    def _stop(self, asked: dict[str, Any]) -> dict[str, Any]:
        self.execution = "ABORTED"
        return {"stopDate": "2026-11-29"}


@pytest.fixture
def gateway(monkeypatch: pytest.MonkeyPatch) -> Deployed:
    """The deployed gateway, its HTTP answers canned too."""
    account = Deployed()

    def call(self: Any, method: str, path: str, body: Any = None) -> tuple[int, dict[str, Any]]:
        calls = account.__dict__.setdefault("calls", [])
        calls.append((method, path, body))
        if path == "/v1/pauses":
            return (201 if len(calls) == 1 else 200), {"pause": "p1"}
        if path == "/v1/resumes":
            return 200, {"resumes": [{"pause": "p1", "calls": [{"state": "expired"}]}]}
        return 200, {"state": "ended"}

    pages = {"/v1/gates": (403, ""), "/v1/reviews": (401, ""), "/sign-in/start": (200, "<form>")}
    monkeypatch.setattr(smoke, "page", lambda url: pages[url.removeprefix(OUTPUTS["ApiUrl"])])
    monkeypatch.setattr(smoke_agent.Gateway, "call", call)
    monkeypatch.setattr(smoke, "deployed_settings", lambda: Settings.of(example()))
    return account


def played(account: Deployed, fire: bool = True) -> list[tuple[bool, str, str]]:
    slept = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if fire and sum(slept) > smoke.WAIT_S:
            account.execution = "SUCCEEDED"

    return list(smoke.play(smoke.Smoke(account, None, sleep)))  # type: ignore[arg-type]


def test_everything_passes_and_nothing_is_left(gateway: Deployed) -> None:
    lines = played(gateway)
    assert [name for passed, name, _ in lines if passed] == [
        "strangers", "login page", "token rights", "capture", "wait", "timer", "expiry", "pick-up",
    ]  # fmt: skip
    assert gateway.roles == set()
    assert gateway.schedules == set()
    assert "stepfunctions.StopExecution" not in gateway.asked


def test_a_step_that_fails_leaves_nothing_either(gateway: Deployed) -> None:
    lines = played(gateway, fire=False)
    assert lines[-1][:2] == (False, "expiry")
    assert gateway.roles == set()
    assert gateway.schedules == set()
    assert gateway.execution == "ABORTED"


def test_the_role_is_made_under_a_path_for_the_caller_only(gateway: Deployed) -> None:
    played(gateway)
    (statement,) = gateway.trust["Statement"]
    assert statement["Condition"] == {
        "ArnLike": {
            "aws:PrincipalArn": ["arn:aws:iam::123456789012:role/Admin", "arn:aws:iam::123456789012:role/*/Admin"]
        }
    }


def test_an_existing_role_is_not_touched(gateway: Deployed) -> None:
    gateway.answers["iam.CreateRole"] = "EntityAlreadyExists"
    lines = played(gateway)
    assert lines[-1][:2] == (False, "capture")
    assert "--role" in lines[-1][2]
    assert not [name for name in gateway.asked if name in ("iam.DeleteRole", "iam.AttachRolePolicy")]


@pytest.mark.parametrize("right", ["dynamodb:GetItem", "dynamodb:Query"])
def test_a_role_that_reads_tokens_is_found(gateway: Deployed, right: str) -> None:
    gateway.answers["iam.SimulatePrincipalPolicy"] = lambda asked: {
        "EvaluationResults": [
            {"EvalActionName": name, "EvalDecision": "allowed" if name == right else "implicitDeny"}
            for name in asked["ActionNames"]
        ]
    }
    assert played(gateway)[-1][:2] == (False, "token rights")


def test_what_it_captures_is_what_the_gateway_takes() -> None:
    """The adapter of the gateway itself reads the body."""
    from placet.adapters import langchain

    body = smoke._pause("smoke-1")
    assert body["framework"] == "langchain"
    assert json.loads(json.dumps(body)) == body
    assert langchain.__doc__


def test_calls_are_signed_for_the_api() -> None:
    from botocore.credentials import Credentials

    seen: dict[str, Any] = {}

    def opened(url: str, method: str, data: bytes | None, headers: dict[str, str]) -> tuple[int, str]:
        seen.update(headers)
        return 200, "{}"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(smoke_agent, "_open", opened)
        smoke_agent.Gateway("https://x.example.com/", Credentials("AKID", "s", "t"), "eu-central-1").call(
            "GET", "/v1/gates"
        )
    assert "/eu-central-1/execute-api/aws4_request" in seen["Authorization"]
    assert seen["X-Amz-Security-Token"] == "t"


def test_only_https() -> None:
    with pytest.raises(smoke_agent.SmokeFailed, match="https"):
        smoke_agent.page("http://api.example.com")


def test_undo_runs_backwards(gateway: Deployed) -> None:
    with ExitStack() as undo:
        smoke_agent.agent_credentials(gateway, "a", OUTPUTS["AgentAccessPolicyArn"], None, undo, lambda s: None)  # type: ignore[arg-type]
    assert gateway.asked[-2:] == ["iam.DetachRolePolicy", "iam.DeleteRole"]
