"""A deployed gateway on which everything goes well, made of AWS's own models; what smoke makes in it is remembered."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from infra import smoke, smoke_flow, smoke_ground
from infra.settings import Settings
from tests.infra.aws_double import Account

ACCOUNT = "123456789012"
WHEN = "2026-11-30"
OUTPUTS = {
    "ApiUrl": "https://api.example.com", "MachineArn": f"arn:aws:states:eu-central-1:{ACCOUNT}:stateMachine:m",
    "AgentAccessPolicyArn": f"arn:aws:iam::{ACCOUNT}:policy/access", "ScheduleGroupName": "PlacetGateway-pauses",
    "TableName": "table",
}  # fmt: skip
EXECUTION = f"arn:aws:states:eu-central-1:{ACCOUNT}:execution:m:p1-1"
VERBS = ("Capture", "Dispatch", "Review", "Decide", "Resume", "Operate", "Notify", "Escalate")
POLICY = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "*"}]}
SETTINGS = Settings.of({
    "mail_from": "placet@example.com", "login_domain_prefix": "placet",
    "agents": [
        {"name": "support", "role": "placet-support-agent", "owner": "o@example.com", "target": {"kind": "pick_up"}},
        {"name": "billing", "role": "placet-billing-agent", "owner": "o@example.com",
         "target": {"kind": "lambda", "function": "billing-function"}},
        {"name": "queued", "role": "r3", "owner": "o@example.com", "target": {"kind": "sqs", "queue": "decided.fifo"}},
    ],
})  # fmt: skip


class Deployed(Account):
    """States, schedules, roles and alarms are remembered; ``acting`` is the role under whose credentials is asked."""

    def __init__(self) -> None:
        self.roles: dict[str, dict[str, Any]] = {}
        self.acting = ""
        self.schedules, self.execution, self.alarm = {"p1"}, "RUNNING", ["OK"]
        self.calls: list[tuple[str, str, Any]] = []
        self.claims: dict[str, str] = {}
        self.cancelled, self.started = False, datetime.now(UTC)
        self.pages: dict[str, tuple[int, str, str]] = {}
        super().__init__(self._canned())

    def _canned(self) -> dict[str, Any]:
        stack = {"StackName": "s", "CreationTime": WHEN, "StackStatus": "CREATE_COMPLETE"}
        outputs = [{"OutputKey": key, "OutputValue": value} for key, value in OUTPUTS.items()]
        named = [("AWS::IAM::Role", f"{verb}Role12345678", f"{verb}-role") for verb in VERBS]
        named += [("AWS::Lambda::Function", f"{verb}Function12345678", f"{verb}-function") for verb in VERBS]
        named += [("AWS::CloudWatch::Alarm", "AlarmsStuck12345678", "PlacetGateway-AlarmsStuck-1")]
        return {
            "cloudformation.DescribeStacks": {"Stacks": [{**stack, "Outputs": outputs}]},
            "cloudformation.ListStackResources": {"StackResourceSummaries": [
                {"LogicalResourceId": logical, "PhysicalResourceId": physical, "ResourceType": kind,
                 "LastUpdatedTimestamp": WHEN, "ResourceStatus": "CREATE_COMPLETE"}
                for kind, logical, physical in named
            ]},
            "dynamodb.DescribeTable": {"Table": {"TableArn": f"arn:aws:dynamodb:eu-central-1:{ACCOUNT}:table/t"}},
            "dynamodb.TransactWriteItems": self._transact,
            "dynamodb.BatchGetItem": self._batch,
            "iam.GetRole": self._get_role,
            "iam.ListRolePolicies": lambda asked: {"PolicyNames": self._role(asked).get("inline", ["DefaultPolicy"])},
            "iam.GetRolePolicy": lambda asked: {
                "RoleName": asked["RoleName"], "PolicyName": asked["PolicyName"], "PolicyDocument": json.dumps(POLICY)},
            "iam.ListRoleTags": lambda asked: {"Tags": self._role(asked).get("tags", [])},
            "iam.ListAttachedRolePolicies": lambda asked: {"AttachedPolicies": [
                {"PolicyName": "access", "PolicyArn": arn} for arn in self._role(asked).get("attached", [])]},
            "iam.SimulatePrincipalPolicy": self._simulate,
            "iam.CreateRole": self._create,
            "iam.PutRolePolicy": lambda asked: self.roles[asked["RoleName"]]["inline"].append(asked["PolicyName"]) or {},
            "iam.AttachRolePolicy": lambda asked: self.roles[asked["RoleName"]]["attached"].append(asked["PolicyArn"]) or {},
            "iam.DetachRolePolicy": lambda asked: self.roles[asked["RoleName"]]["attached"].remove(asked["PolicyArn"]) or {},
            "iam.DeleteRolePolicy": lambda asked: self.roles[asked["RoleName"]]["inline"].remove(asked["PolicyName"]) or {},
            "iam.DeleteRole": self._delete,
            "sts.GetCallerIdentity": {"Account": ACCOUNT, "Arn": f"arn:aws:sts::{ACCOUNT}:assumed-role/Admin/me"},
            "sts.AssumeRole": lambda asked: {"Credentials": {
                "AccessKeyId": f"AKID{asked['RoleArn'].rpartition('/')[2]:_>16}", "SecretAccessKey": "s", "SessionToken": "t",
                "Expiration": WHEN,
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
            "lambda.Invoke": self._invoke,
            "lambda.GetFunctionConfiguration": {"Environment": {"Variables": {
                "PLACET_MAIL_FROM": "placet@example.com", "PLACET_MAIL_CONFIGURATION_SET": "set"}}},
            "sqs.GetQueueUrl": {"QueueUrl": "https://sqs.eu-central-1.amazonaws.com/1/decided.fifo"},
            "sesv2.SendEmail": {"MessageId": "m"},
            "cloudwatch.DescribeAlarms": lambda asked: {"MetricAlarms": [
                {"StateValue": self.alarm[-1], "AlarmActions": [f"arn:aws:sns:eu-central-1:{ACCOUNT}:topic"]}]},
            "cloudwatch.SetAlarmState": lambda asked: self.alarm.append(asked["StateValue"]) or {},
            "cloudwatch.DescribeAlarmHistory": lambda asked: {"AlarmHistoryItems": [
                {"Timestamp": WHEN, "HistorySummary": f"Successfully executed action {number}"}
                for number in range(self.alarm.count("ALARM"))]},
            "sns.ListSubscriptionsByTopic": {"Subscriptions": [
                {"Endpoint": "ops@example.com", "SubscriptionArn": f"arn:aws:sns:eu-central-1:{ACCOUNT}:topic:1"}]},
        }  # fmt: skip

    def session(self, **named: Any) -> Any:
        """A session under a role's credentials, as boto3 makes one."""
        acting = named["aws_access_key_id"].removeprefix("AKID").lstrip("_")
        account = self

        class Assumed:
            def client(self, service: str) -> Any:
                made = account.client(service)
                made.meta.events.register_first("before-parameter-build", self._act)
                return made

            def _act(self, **_: Any) -> None:
                account.acting = acting

        return Assumed()

    def client(self, service: str, region_name: str = "") -> Any:
        made = super().client(service, region_name)
        made.meta.events.register_first("before-parameter-build", self._myself)
        return made

    def _myself(self, **_: Any) -> None:
        self.acting = ""

    def _role(self, asked: dict[str, Any]) -> dict[str, Any]:
        return self.roles.get(asked["RoleName"], {})

    def _get_role(self, asked: dict[str, Any]) -> dict[str, Any]:
        name = asked["RoleName"]
        if not name.endswith("-role") and name not in self.roles:
            return self.refuse("NoSuchEntity", "GetRole")
        arn = f"arn:aws:iam::{ACCOUNT}:role/{name}"
        return {"Role": {"Arn": arn, "Path": "/", "RoleName": name, "RoleId": "AROAEXAMPLEEXAMPLE", "CreateDate": WHEN}}

    def refuse(self, code: str, operation: str) -> Any:
        """Answers with an error."""
        from botocore.exceptions import ClientError

        raise ClientError({"Error": {"Code": code, "Message": code}}, operation)

    def _create(self, asked: dict[str, Any]) -> dict[str, Any]:
        name = asked["RoleName"]
        self.roles[name] = {
            "inline": [], "attached": [], "tags": asked["Tags"], "boundary": asked.get("PermissionsBoundary"),
            "trust": json.loads(asked["AssumeRolePolicyDocument"]),
        }  # fmt: skip
        self.made = {**self.__dict__.get("made", {}), name: self.roles[name]}
        return {"Role": {
            "Arn": f"arn:aws:iam::{ACCOUNT}:role{asked['Path']}{name}", "Path": asked["Path"], "RoleName": name,
            "RoleId": "AROAEXAMPLEEXAMPLE", "CreateDate": WHEN,
        }}  # fmt: skip

    def _delete(self, asked: dict[str, Any]) -> dict[str, Any]:
        role = self.roles[asked["RoleName"]]
        assert not role["inline"], "IAM refuses to delete a role with policies"
        assert not role["attached"], "IAM refuses to delete a role with policies"
        del self.roles[asked["RoleName"]]
        return {}

    def _simulate(self, asked: dict[str, Any]) -> dict[str, Any]:
        may = "Dispatch" in asked["PolicySourceArn"]
        decisions = {"dynamodb:GetItem": "implicitDeny", "dynamodb:Query": "allowed" if may else "implicitDeny"}
        asked_for = asked["ActionNames"]
        return {"EvaluationResults": [{"EvalActionName": name, "EvalDecision": decisions[name]} for name in asked_for]}

    def _transact(self, asked: dict[str, Any]) -> dict[str, Any]:
        """One judgement per item: pauses may be written, memberships only be looked at, tokens nothing."""
        assert self.acting.startswith("placet-smoke-decide"), "the probe is asked under the role that it is about"
        for item in asked["TransactItems"]:
            ((verb, one),) = item.items()
            assert one["ConditionExpression"] == "attribute_exists(pk)", "a probe that could be written"
            letter = one.get("Key", one.get("Item"))["pk"]["S"].split("#")[2]
            if letter not in ("UOI" if verb == "ConditionCheck" else "P"):
                return self.refuse("AccessDeniedException", "TransactWriteItems")
        return self.refuse("TransactionCanceledException", "TransactWriteItems")

    def _batch(self, asked: dict[str, Any]) -> dict[str, Any]:
        """One judgement of all keys: what rules ask may be read."""
        assert self.acting.startswith("placet-smoke-capture"), "the probe is asked under the role that it is about"
        ((table, wanted),) = asked["RequestItems"].items()
        letters = {key["pk"]["S"].split("#")[2] for key in wanted["Keys"]}
        return (
            {"Responses": {table: []}}
            if letters <= set("PBD")
            else self.refuse("AccessDeniedException", "BatchGetItem")
        )

    def _invoke(self, asked: dict[str, Any]) -> dict[str, Any]:
        assert asked["InvocationType"] == "DryRun", "smoke invokes nobody"
        if asked["FunctionName"] != "billing-function":
            return self.refuse("AccessDeniedException", "Invoke")
        return {"StatusCode": 204}

    def _running(self) -> dict[str, Any]:
        return {
            "executionArn": EXECUTION,
            "stateMachineArn": "arn",
            "status": self.execution,
            "startDate": self.started,
        }

    def _stop(self, asked: dict[str, Any]) -> dict[str, Any]:
        self.execution = "ABORTED"
        return {"stopDate": WHEN}

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, dict[str, Any]]:
        """The API, as the agent sees it."""
        self.calls.append((method, path, body))
        if path == "/v1/pauses":
            return (201 if sum(one[1] == path for one in self.calls) == 1 else 200), {"pause": "p1"}
        if path == "/v1/resumes":
            return 200, {"resumes": [{"pause": "p1", "calls": self.offered()}]}
        if path.endswith("/claim"):
            return self._claim(path.split("/")[3], body)
        if path.endswith("/cancel"):
            assert body["reason"]
            self.cancelled = True
            return 200, {}
        return 200, {"state": "ended"}

    def offered(self) -> list[dict[str, Any]]:
        """The calls of the pause as the pick-up list has them."""
        return [
            {"call": "p1-1", "tool": smoke_flow.TOOL, "state": "expired", "permit": "none"},
            {"call": "p1-2", "tool": "get_order", "state": "passed", "permit": "free", "digest": "d2"},
        ]

    def _claim(self, call: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if call == "p1-1":
            return 409, {"code": "call_not_approved"}
        holder = self.claims.setdefault(call, body["worker"])
        return (200, {"permit": "claimed"}) if holder == body["worker"] else (409, {"code": "permit_claimed"})


def ground(account: Deployed, *, fire: bool = True, settings: Settings = SETTINGS, **named: Any) -> smoke_ground.Ground:
    """The ground of a smoke test on this account; the machine goes on once so many seconds were slept as the pause waits."""
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if fire and sum(slept) > smoke_flow.WAIT_S:
            account.execution = "SUCCEEDED"

    return smoke_ground.Ground(account, settings, sleep=sleep, assumed=account.session, **named)


def played(account: Deployed, **named: Any) -> dict[str, Any]:
    return smoke.run(ground(account, **named), lambda line: None)


def said(found: dict[str, Any], step: str) -> tuple[str, str]:
    return next((one["result"], one["sentence"]) for one in found["steps"] if one["step"] == step)


def nothing_is_left(account: Deployed) -> None:
    assert account.roles == {}
    assert account.schedules == set()
    assert account.alarm[-1] == "OK"
