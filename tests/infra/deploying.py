"""An account into which a made-up CDK deploys made-up templates, for `make deploy`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from botocore.credentials import Credentials, RefreshableCredentials
from botocore.exceptions import ClientError

from infra.audience import KEY, audience
from infra.policy_file import deployed_policy
from infra.settings import Settings
from placet.policy import Policy
from tests.infra.aws_double import Account
from tests.infra.conftest import example

OUT = {
    "PlacetData": {"TableName": "t", "UserPoolId": "p"},
    "PlacetGateway": {
        "InboxUrl": "https://x.test/inbox", "ApiUrl": "https://x.test",
        "AgentAccessPolicyArn": "arn:aws:iam::123456789012:policy/Agent",
        "ActionAccessPolicyArn": "arn:aws:iam::123456789012:policy/Action",
        "OperatorAccessPolicyArn": "arn:aws:iam::123456789012:policy/Operator",
    },
}  # fmt: skip
PLAIN = {"mail_from": "placet@acme.test", "login_domain_prefix": "placet"}
AGENT = {
    "name": "desk",
    "role": "desk",
    "owner": "ops@acme.test",
    "framework": "langchain",
    "target": {"kind": "pick_up"},
}
ACTING = {
    "name": "bed", "role": "bed", "owner": "ops@acme.test",
    "target": {**example()["agents"][2]["target"], "agent_id": "A1", "action_role": "acts"},
}  # fmt: skip
POLICY = deployed_policy()


def settings(**more: Any) -> Settings:
    return Settings.of({**PLAIN, "agents": [AGENT], "operators": ["olga"], **more})


def template(made: Settings, policy: Policy = POLICY, **resources: Any) -> dict[str, Any]:
    doors = {"login_domain_prefix": made.login_domain_prefix, "require_mfa": made.require_mfa, "epoch": made.epoch}
    return {"Metadata": {KEY: audience(made, policy), "PlacetDoors": doors}, "Resources": resources}


class Aws(Account):
    """An account in which these templates are deployed, or none."""

    def __init__(self, **deployed: dict[str, Any]) -> None:
        self.deployed = deployed
        self.people: dict[str, list[str]] = {}
        self.attached: dict[str, list[str]] = {}
        self.subscription = "PendingConfirmation"
        self.last = timedelta(hours=8)
        super().__init__({
            "sts.GetCallerIdentity": {"Account": "123456789012", "Arn": "arn:aws:sts::123456789012:assumed-role/deployer/me"},
            "ssm.GetParameter": {"Parameter": {"Value": "21"}},
            "cloudformation.GetTemplate": self._template,
            "cloudformation.DescribeStacks": self._stack,
            "cloudformation.ListStackResources": {"StackResourceSummaries": [{
                "LogicalResourceId": "Topic", "PhysicalResourceId": "arn:topic", "ResourceType": "AWS::SNS::Topic",
                "LastUpdatedTimestamp": "2026-11-30", "ResourceStatus": "CREATE_COMPLETE",
            }]},
            "sns.ListSubscriptionsByTopic": lambda asked: {"Subscriptions": [
                {"Endpoint": "ops@acme.test", "SubscriptionArn": self.subscription},
            ]},
            "logs.DescribeLogGroups": {"logGroups": []},
            "scheduler.ListScheduleGroups": {"ScheduleGroups": []},
            "lambda.GetFunction": "ResourceNotFoundException",
            "iam.ListEntitiesForPolicy": lambda asked: {"PolicyRoles": [
                {"RoleName": name} for name in self.attached.get(asked["PolicyArn"], [])
            ]},
            "dynamodb.Query": self._query,
        })  # fmt: skip

    def get_credentials(self) -> Credentials:
        """Those of a role, which end in some hours unless a test has them end otherwise."""
        ends = datetime.now(UTC) + self.last
        return RefreshableCredentials("test", "test", "token", ends, refresh_using=dict, method="test")

    def _template(self, asked: dict[str, Any]) -> dict[str, Any]:
        if asked["StackName"] not in self.deployed:
            self._refuse("ValidationError", "GetTemplate")
        return {"TemplateBody": json.dumps(self.deployed[asked["StackName"]])}

    def _stack(self, asked: dict[str, Any]) -> dict[str, Any]:
        name = asked["StackName"]
        if name not in self.deployed:
            self._refuse("ValidationError", "DescribeStacks")
        outputs = [{"OutputKey": key, "OutputValue": value} for key, value in OUT[name].items()]
        told = {
            "StackName": name,
            "CreationTime": "2026-11-30",
            "StackStatus": self.answers.get("status", "UPDATE_COMPLETE"),
        }
        return {"Stacks": [{**told, "Outputs": outputs}]}

    def _query(self, asked: dict[str, Any]) -> dict[str, Any]:
        (value,) = (one["S"] for one in asked["ExpressionAttributeValues"].values())
        if "IndexName" in asked:
            return {"Count": 3 if "#Q#" in value else 0, "Items": []}
        if value.endswith("#lists"):
            return {"Items": [{"sk": {"S": "T#main#Q#money-out.0#0"}}, {"sk": {"S": "T#main#W#new#0"}}]}
        return {"Items": [{"sk": {"S": "U#a"}} for group in self.people if value.endswith(group)]}

    def _refuse(self, code: str, operation: str) -> None:
        raise ClientError({"Error": {"Code": code, "Message": code}}, operation)


def written(folder: Path, made: Settings, **resources: Any) -> Path:
    """The assembly of some settings."""
    (folder / "PlacetGateway.template.json").write_text(json.dumps(template(made, **resources)))
    (folder / "PlacetData.template.json").write_text(
        json.dumps({"Resources": {"Table": {"Type": "AWS::DynamoDB::Table"}}})
    )
    return folder


class Cdk:
    """The CDK command line: what it was told, and what it deploys."""

    def __init__(self, aws: Aws, assembly: Path, code: int = 0) -> None:
        self.aws, self.assembly, self.code = aws, assembly, code
        self.told: list[tuple[Sequence[str], Mapping[str, str]]] = []

    def __call__(self, arguments: Sequence[str], environ: Mapping[str, str]) -> int:
        self.told.append((arguments, environ))
        if not self.code:
            for name in OUT:
                self.aws.deployed[name] = json.loads((self.assembly / f"{name}.template.json").read_text())
        return self.code
