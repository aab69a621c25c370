"""What an account holds, by name: taken before the first step and after the last, so that what is left over has a name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from botocore.exceptions import ClientError

from local.endpoint import Endpoint

Listed = Callable[[Any], Iterator[str]]


def _pages(operation: str, rows: str, name: str, **asked: Any) -> Listed:
    """Every name of a list that has pages."""

    def listed(client: Any) -> Iterator[str]:
        for page in client.get_paginator(operation).paginate(**asked):
            yield from (str(one[name]) if name else str(one) for one in page[rows])

    return listed


def _once(operation: str, rows: str, name: str, **asked: Any) -> Listed:
    """Every name of a list that comes whole."""

    def listed(client: Any) -> Iterator[str]:
        answer = getattr(client, operation)(**asked)
        yield from (str(one[name]) if name else str(one) for one in answer.get(rows, []))

    return listed


def _keys(client: Any) -> Iterator[str]:
    """Keys that cost: one that is on its way out does not."""
    for page in client.get_paginator("list_keys").paginate():
        for one in page["Keys"]:
            found = client.describe_key(KeyId=one["KeyId"])["KeyMetadata"]
            if found["KeyState"] != "PendingDeletion":
                yield found["KeyId"]


def _stacks(client: Any) -> Iterator[str]:
    for page in client.get_paginator("list_stacks").paginate():
        yield from (one["StackName"] for one in page["StackSummaries"] if one["StackStatus"] != "DELETE_COMPLETE")


def _running(client: Any) -> Iterator[str]:
    """Executions that nobody will end."""
    for machine in client.list_state_machines()["stateMachines"]:
        found = client.list_executions(stateMachineArn=machine["stateMachineArn"], statusFilter="RUNNING")
        yield from (one["executionArn"] for one in found["executions"])


KINDS: dict[str, tuple[str, Listed]] = {
    "stack": ("cloudformation", _stacks),
    "function": ("lambda", _pages("list_functions", "Functions", "FunctionName")),
    "layer": ("lambda", _pages("list_layers", "Layers", "LayerName")),
    "mapping": ("lambda", _pages("list_event_source_mappings", "EventSourceMappings", "UUID")),
    "role": ("iam", _pages("list_roles", "Roles", "RoleName")),
    "policy": ("iam", _pages("list_policies", "Policies", "Arn", Scope="Local")),
    "log group": ("logs", _pages("describe_log_groups", "logGroups", "logGroupName")),
    "queue": ("sqs", _once("list_queues", "QueueUrls", "")),
    "topic": ("sns", _pages("list_topics", "Topics", "TopicArn")),
    "bus": ("events", _once("list_event_buses", "EventBuses", "Name")),
    "rule": ("events", _once("list_rules", "Rules", "Name")),
    "schedule": ("scheduler", _pages("list_schedules", "Schedules", "Arn")),
    "schedule group": ("scheduler", _pages("list_schedule_groups", "ScheduleGroups", "Name")),
    "alarm": ("cloudwatch", _pages("describe_alarms", "MetricAlarms", "AlarmName")),
    "API": ("apigatewayv2", _once("get_apis", "Items", "ApiId")),
    "user pool": ("cognito-idp", _pages("list_user_pools", "UserPools", "Id", MaxResults=60)),
    "table": ("dynamodb", _pages("list_tables", "TableNames", "")),
    "backup": ("dynamodb", _once("list_backups", "BackupSummaries", "BackupName")),
    "bucket": ("s3", _once("list_buckets", "Buckets", "Name")),
    "key": ("kms", _keys),
    "sender": ("sesv2", _once("list_email_identities", "EmailIdentities", "IdentityName")),
    "configuration set": ("sesv2", _once("list_configuration_sets", "ConfigurationSets", "")),
    "parameter": ("ssm", _pages("describe_parameters", "Parameters", "Name")),
    "repository": ("ecr", _pages("describe_repositories", "repositories", "repositoryName")),
    "machine": ("stepfunctions", _once("list_state_machines", "stateMachines", "name")),
}


def inventory(aws: Endpoint, steps: Endpoint) -> set[str]:
    """Everything that the account holds; machines and what runs in them are asked of the interpreter too."""
    found = {f"{kind} {name}" for kind, (service, listed) in KINDS.items() for name in listed(aws.client(service))}
    interpreter = steps.client("stepfunctions")
    found |= {f"machine {one['name']}" for one in interpreter.list_state_machines()["stateMachines"]}
    try:
        found |= {f"execution {one}" for one in _running(interpreter)}
    except ClientError as error:  # the machine went while it was asked
        raise AssertionError(f"the interpreter cannot say what runs: {error}") from error
    return found
