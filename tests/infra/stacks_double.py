"""Both stacks as they were deployed, for the doctor: parts of them may be replaced."""

from __future__ import annotations

import json
from typing import Any

from botocore.exceptions import ClientError

from infra import doctor_stacks, doors
from infra.doctor_table import KEY_OUTPUT
from infra.findings import Finding
from infra.settings import Settings
from tests.infra.aws_double import Account

WHEN, ACCOUNT = "2026-11-30", "123456789012"
STREAM = f"arn:aws:dynamodb:eu-central-1:{ACCOUNT}:table/table-1/stream/2026-11-30T10:00:00.000"
KEY = f"arn:aws:kms:eu-central-1:{ACCOUNT}:key/1"
POLICY = f"arn:aws:iam::{ACCOUNT}:policy/{{}}"
BASE: dict[str, Any] = {"mail_from": "a@company.test", "login_domain_prefix": "placet", "agents": []}
SETTINGS = Settings.of(BASE)


def refuse(code: str, operation: str) -> Any:
    raise ClientError({"Error": {"Code": code, "Message": code}}, operation)


class Deployed(Account):
    """Both stacks, as they were deployed by these settings; parts of it may be replaced."""

    def __init__(self, settings: Settings = SETTINGS, **states: str) -> None:
        self.states = {"PlacetData": "UPDATE_COMPLETE", "PlacetGateway": "UPDATE_COMPLETE", **states}
        self.protected = True
        self.outputs = {
            "PlacetData": {"TableName": "table-1", "UserPoolId": "eu-central-1_abc", KEY_OUTPUT: KEY},
            "PlacetGateway": {
                "LoginUrl": f"https://placet-{ACCOUNT}.auth.eu-central-1.amazoncognito.com",
                **{name: POLICY.format(name) for name in doctor_stacks.POLICIES},
            },
        }
        self.left: list[tuple[str, str, str]] = []
        self.variables = {"PLACET_TABLE": "table-1", "PLACET_ISSUER": "https://x/eu-central-1_abc"}
        self.described: dict[str, Any] = {
            "LatestStreamArn": STREAM, "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
            "SSEDescription": {"KMSMasterKeyArn": KEY}, "DeletionProtectionEnabled": True,
            "GlobalSecondaryIndexes": [{"IndexName": name, "IndexStatus": "ACTIVE"} for name in ("find", "work")],
        }  # fmt: skip
        template = {"Metadata": {doors.KEY: doors.doors(settings)}}
        super().__init__({
            "sts.GetCallerIdentity": {"Account": ACCOUNT, "Arn": f"arn:aws:iam::{ACCOUNT}:user/me"},
            "cloudformation.DescribeStacks": self._stack,
            "cloudformation.ListStackResources": self._resources,
            "cloudformation.GetTemplate": {"TemplateBody": json.dumps(template)},
            "cognito-idp.DescribeUserPool": {"UserPool": {"MfaConfiguration": "ON" if settings.require_mfa else "OPTIONAL"}},
            "lambda.GetFunctionConfiguration": lambda asked: {"Environment": {"Variables": self.variables}},
            "cognito-idp.DescribeUserPoolDomain": {"DomainDescription": {"UserPoolId": "eu-central-1_abc"}},
            "lambda.ListEventSourceMappings": {"EventSourceMappings": [{"EventSourceArn": STREAM, "State": "Enabled"}]},
            "lambda.GetAccountSettings": {
                "AccountLimit": {"ConcurrentExecutions": 1000, "UnreservedConcurrentExecutions": 110}},
            "lambda.GetFunctionConcurrency": {"ReservedConcurrentExecutions": 40},
            "dynamodb.DescribeTable": lambda asked: {"Table": self.described},
            "dynamodb.DescribeTimeToLive": {"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}},
            "dynamodb.DescribeContinuousBackups": {"ContinuousBackupsDescription": {
                "ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "ENABLED"}}},
            "iam.ListEntitiesForPolicy": lambda asked: {
                "PolicyRoles": [{"RoleName": "placet-support-agent"}] if "Agent" in asked["PolicyArn"] else [],
                "PolicyUsers": [], "PolicyGroups": []},
            "logs.DescribeLogGroups": {"logGroups": []},
            "scheduler.ListScheduleGroups": {"ScheduleGroups": []},
            "events.DescribeEventBus": "ResourceNotFoundException",
            "events.ListRules": "ResourceNotFoundException",
        })  # fmt: skip

    def _stack(self, asked: dict[str, Any]) -> dict[str, Any]:
        name = asked["StackName"]
        if self.states.get(name, "") == "":
            return dict(refuse("ValidationError", "DescribeStacks"))
        outputs = [{"OutputKey": key, "OutputValue": value} for key, value in self.outputs[name].items()]
        stack = {"StackName": name, "CreationTime": WHEN, "StackStatus": self.states[name], "Outputs": outputs}
        return {"Stacks": [{**stack, "EnableTerminationProtection": self.protected}]}

    def _resources(self, asked: dict[str, Any]) -> dict[str, Any]:
        found = self.left or [
            ("AWS::Lambda::Function", f"{verb}Function12345678", "UPDATE_COMPLETE")
            for verb in ("Dispatch", "Publish", "SignIn", "Decide")
        ]
        return {"StackResourceSummaries": [
            {"ResourceType": kind, "LogicalResourceId": name, "PhysicalResourceId": f"the-{name}", "ResourceStatus": status,
             "LastUpdatedTimestamp": WHEN}
            for kind, name, status in found
        ]}  # fmt: skip


def asked(account: Account, probe: Any, settings: Settings = SETTINGS) -> list[Finding]:
    return list(probe(account.client, settings))
