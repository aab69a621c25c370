"""What is left to do after a deploy, as commands with everything filled in. Asks, and changes nothing."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from infra.deployed import outputs
from infra.findings import Clients
from infra.policy_file import deployed_policy
from infra.settings import Settings
from placet.records.keys import Keys

ATTACHED = {  # output → whose roles it is for
    "AgentAccessPolicyArn": "agents",
    "ActionAccessPolicyArn": "actions",
    "OperatorAccessPolicyArn": "operators",
}


def next_steps(clients: Clients, settings: Settings) -> Iterator[str]:
    """One line each; what may not be asked is taken for not done. Raises ClientError when the stacks cannot be read."""
    cloudformation = clients("cloudformation")
    out = {**outputs(cloudformation, "PlacetData"), **outputs(cloudformation, "PlacetGateway")}
    yield f"the inbox is {out['InboxUrl']}"
    yield f"agents take PLACET_URL={out['ApiUrl']}"
    for output, whose in ATTACHED.items():
        yield from _attach(clients("iam"), out[output], settings.roles[whose])
    yield from _reviewers(clients("dynamodb"), out["TableName"])
    if settings.alarm_mail:
        yield from _alarm_mail(clients, settings.alarm_mail)
    else:
        yield "nobody is told by alarms: set alarm_mail, and deploy again"
    yield "then, about four minutes: make smoke"


def _attach(iam: Any, policy: str, roles: tuple[str, ...]) -> Iterator[str]:
    try:
        pages = iam.get_paginator("list_entities_for_policy").paginate(PolicyArn=policy, EntityFilter="Role")
        has = {one["RoleName"] for page in pages for one in page["PolicyRoles"]}
    except (ClientError, BotoCoreError):
        has = set()
    for role in roles:
        if role not in has:
            yield shlex.join(["aws", "iam", "attach-role-policy", "--role-name", role, "--policy-arn", policy])


def _reviewers(dynamodb: Any, table: str) -> Iterator[str]:
    policy = deployed_policy()
    groups = {group for one in policy.classes.values() for step in one.levels for group in step.groups}
    for group in sorted(groups):
        if _is_empty(dynamodb, table, group):
            yield f'nobody is in {group}: placet reviewers add {group} --email ADDRESS --name "NAME"'


def _is_empty(dynamodb: Any, table: str, group: str) -> bool:
    asked = {":pk": {"S": Keys("main").group(group)}}
    try:
        found = dynamodb.query(
            TableName=table, KeyConditionExpression="pk = :pk", ExpressionAttributeValues=asked, Limit=1
        )
    except (ClientError, BotoCoreError):
        return True
    return not found["Items"]


def _alarm_mail(clients: Clients, address: str) -> Iterator[str]:
    try:
        pages = clients("cloudformation").get_paginator("list_stack_resources").paginate(StackName="PlacetGateway")
        found = [one for page in pages for one in page["StackResourceSummaries"]]
        topics = [one["PhysicalResourceId"] for one in found if one["ResourceType"] == "AWS::SNS::Topic"]
        waits = any(_waits(one, address) for topic in topics for one in _subscriptions(clients("sns"), topic))
    except (ClientError, BotoCoreError):
        waits = True
    if waits:
        yield f"AWS mailed {address} a link: alarms reach nobody before it is followed"


def _subscriptions(sns: Any, topic: str) -> Iterator[Mapping[str, str]]:
    for page in sns.get_paginator("list_subscriptions_by_topic").paginate(TopicArn=topic):
        yield from page["Subscriptions"]


def _waits(subscription: Mapping[str, str], address: str) -> bool:
    return subscription["Endpoint"] == address and subscription["SubscriptionArn"] == "PendingConfirmation"
