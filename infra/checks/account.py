"""What an account refuses: names that clash, rights that do not exist, alarms that nobody hears."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from infra.checks.template import Templates, actions, as_list, at_most, flat, resources, text, walk

NAMES = {
    *("Name", "FunctionName", "RoleName", "TableName", "BucketName", "QueueName", "LogGroupName", "StateMachineName"),
    *("TopicName", "AlarmName", "UserPoolName", "ManagedPolicyName", "LayerName"),
}
# Here the property is a reference or a label, not what the account knows the resource by.
LABELS = {
    "AWS::IAM::Policy",
    "AWS::ApiGatewayV2::Api",
    "AWS::ApiGatewayV2::Authorizer",
    "AWS::Lambda::EventSourceMapping",
    "AWS::Lambda::Permission",
    "AWS::Lambda::EventInvokeConfig",
    "AWS::Logs::MetricFilter",
}
MAY_HAVE_NAMES = {"AWS::Scheduler::ScheduleGroup", "AWS::Logs::LogGroup", "AWS::Events::EventBus"}
# Every pending schedule names it, its own environment does, and a stack's name is in it: it clashes with nothing.
NAMED_FUNCTION = "PlacetGateway-escalate"
# Without a resource in IAM, or (log delivery) only ever asked for on *.
ONLY_ON_ANY = {
    "dynamodb:ListStreams",
    *("logs:CreateLogDelivery", "logs:GetLogDelivery", "logs:UpdateLogDelivery", "logs:DeleteLogDelivery"),
    *("logs:ListLogDeliveries", "logs:PutResourcePolicy", "logs:DescribeResourcePolicies", "logs:DescribeLogGroups"),
}


def names_do_not_clash(templates: Templates) -> Iterator[str]:
    """Physical names only where a service asks for one; with the stack's name inside, and never kept after a delete."""
    for name, one in templates.resources.items():
        fixed = NAMES & set(one.get("Properties", {})) if one["Type"] not in LABELS else set()
        if not fixed:
            continue
        if one["Type"] not in MAY_HAVE_NAMES and one["Properties"].get("FunctionName") != NAMED_FUNCTION:
            yield f"{name}: physical name {sorted(fixed)}"
        elif "PlacetGateway" not in text([one["Properties"][key] for key in fixed]):
            yield f"{name}: the name does not say which stack it is of"
        if str(one.get("DeletionPolicy", "Delete")) != "Delete":
            yield f"{name}: kept and named: the next first deploy clashes with it"


def vended_logs(templates: Templates) -> Iterator[str]:
    """Services' logs begin with /aws/vendedlogs/, or an account-wide policy of CloudWatch Logs fills up; all expire."""
    for name, properties in templates.of("AWS::Logs::LogGroup").items():
        if "LogGroupName" in properties and not str(properties["LogGroupName"]).startswith("/aws/vendedlogs/"):
            yield f"{name}: {properties['LogGroupName']} adds to an account-wide policy of 5,120 characters"
        if not 0 < properties.get("RetentionInDays", 0) <= 90:
            yield f"{name}: kept for more than 90 days"
    named = {name for name, properties in templates.of("AWS::Logs::LogGroup").items() if "LogGroupName" in properties}
    for kind, at in (
        ("AWS::StepFunctions::StateMachine", "LoggingConfiguration"),
        ("AWS::ApiGatewayV2::Stage", "AccessLogSettings"),
    ):
        for name, properties in templates.of(kind).items():
            if not any(f'"{group}"' in text(properties.get(at, {})) for group in named):
                yield f"{name}: logs into a group without /aws/vendedlogs/"


def nothing_runs_at_deploy(templates: Templates) -> Iterator[str]:
    """No custom resources: they bring functions and rights that nobody here chose."""
    for name, one in templates.resources.items():
        if one["Type"].startswith("Custom::") or one["Type"] == "AWS::CloudFormation::CustomResource":
            yield f"{name}: {one['Type']}"
        if one["Type"].startswith(("AWS::EC2::", "AWS::Bedrock::")) or one["Type"] == "AWS::Events::Archive":
            yield f"{name}: {one['Type']} is not ours to make"


def rights_exist(templates: Templates) -> Iterator[str]:
    """Every action is one that IAM knows, and is granted on a resource where it has one."""
    known = _authorization()
    for role, statements in templates.roles.items():
        for one in statements:
            for action in actions(one):
                service, _, verb = action.partition(":")
                hits = [name for name in known.get(service, {}) if fnmatch.fnmatch(name.lower(), verb.lower())]
                if not hits:
                    yield f"{role}: {action} is no action of IAM"
                elif "*" in resources(one) and action not in ONLY_ON_ANY and (scopes := known[service][hits[0]]):
                    yield f"{role}: {action} on * could name a {scopes[0]}"


def policies_fit(templates: Templates) -> Iterator[str]:
    """A role's own policies have 10,240 characters together and a managed policy 6,144; the registry makes them longer."""
    managed = templates.of("AWS::IAM::ManagedPolicy")
    for role, statements in templates.roles.items():
        size, most = (
            len(json.dumps(_spelled_out(statements), separators=(",", ":"))),
            6_144 if role in managed else 10_240,
        )
        if size > most:
            yield f"{role}: up to {size} characters of policy; IAM takes {most}"


def _spelled_out(value: Any) -> Any:
    """A part of a policy with its references as text, as long as they can be."""
    if isinstance(value, list):
        return [_spelled_out(one) for one in value]
    if isinstance(value, dict) and not any(key == "Ref" or key.startswith("Fn::") for key in value):
        return {key: _spelled_out(one) for key, one in value.items()}
    return at_most(value)


@cache
def _authorization() -> dict[str, dict[str, list[str]]]:
    """Service → action → resource types: AWS's service authorization reference, cut down to our services."""
    found: dict[str, dict[str, list[str]]] = json.loads(Path(__file__).with_name("iam_actions.json").read_text())
    return found


def service_roles_name_the_account(templates: Templates) -> Iterator[str]:
    """A role that a service other than Lambda takes is taken for our account only."""
    for name, properties in templates.of("AWS::IAM::Role").items():
        for one in properties["AssumeRolePolicyDocument"]["Statement"]:
            services = as_list(one.get("Principal", {}).get("Service", []))
            if services != ["lambda.amazonaws.com"] and "aws:SourceAccount" not in text(one.get("Condition")):
                yield f"{name}: {flat(services[0]) if services else one.get('Principal')} takes it for anybody"


def queues_take_from_everybody(templates: Templates) -> Iterator[str]:
    """Queues are encrypted by SQS itself: a key of ours needs a statement per service, and EventBridge's never fits."""
    for name, properties in templates.of("AWS::SQS::Queue").items():
        if properties.get("SqsManagedSseEnabled") is not True or "KmsMasterKeyId" in properties:
            yield f"{name}: must be encrypted by SQS itself"
    for name, properties in templates.of("AWS::Logs::LogGroup").items():
        if "KmsKeyId" in properties:
            yield f"{name}: its key does not let CloudWatch Logs in"


def works_in_any_partition(templates: Templates) -> Iterator[str]:
    """No ARN or host is written for one partition or region; what people are told is an address as it is."""
    for name, one in templates.resources.items():
        properties = {key: value for key, value in one.get("Properties", {}).items() if key != "AdminCreateUserConfig"}
        for value in walk(properties):
            if isinstance(value, str) and ("arn:aws:" in value or ".amazonaws.com/" in value):
                yield f"{name}: {value[:80]} works in one partition only"
