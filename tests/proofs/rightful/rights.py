"""Rights of a template: which function may do which action on what, and what AWS itself does under a function's role."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator
from typing import Any

from infra.checks.template import Templates, actions, as_list, resources, target, verb_of
from tests.proofs.rightful.calls import BATCH, Call

# A resource of a statement → what it is called here. References stand as <LogicalId> and <LogicalId.Arn>.
NAMES: tuple[tuple[str, str], ...] = (
    (r"<([A-Z]\w*?)Function[0-9A-F]{8}\.Arn>", "function:{verb}"),
    (r".*:function:([\w-]+)", "function:{0}"),
    (r"<LifecycleMachine\w+>", "machine"),
    (r"<PublishOutputFnGetAttIdKey\w+>", "key:ids"),
    (r"<PublishOutputFnGetAttTableKey\w+>", "key:table"),
    (r"<PublishOutputFnGetAttBodies\w+>/\*", "bucket"),
    (r"<PublishOutputFnGetAttTableCD117FA1StreamArn\w+>", "stream"),
    (r"<PublishOutputFnGetAttTableCD117FA1Arn\w+>", "partition"),
    (r"<PublishOutputFnGetAttTableCD117FA1Arn\w+>/index/(\w+)", "index/{0}"),
    (r".*:scheduler:.*:schedule/[\w-]+-pauses/\*", "schedules"),
    (r"<TimersRole\w+\.Arn>", "role:timers"),
    (r"<Bus[0-9A-F]{8}\.Arn>", "bus"),
    (r".*:ses:.*:identity/(.+)", "identity:{0}"),
    (r".*:ses:.*:configuration-set/.+", "configuration-set"),
    (r".*:secret:([^:]+)-\?{6}", "secret:{0}"),
    (r".*:sns:.*:([\w-]+)", "topic:{0}"),
    (r".*:agent-alias/(\w+/\w+)", "alias:{0}"),
    (r"<(\w+?)Failures[0-9A-F]{8}\.Arn>|<(AsyncFailures)[0-9A-F]{8}\.Arn>", "failures"),
    (r"<\w+Logs[0-9A-F]{8}\.Arn>", "log"),
    (r".*:sqs:.*:([\w-]+\.fifo)", "queue:{0}"),
    (r"\*", "anything"),
)
READING = ("kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKey", "kms:GenerateDataKeyWithoutPlaintext")
WRITING = ("kms:Encrypt", "kms:ReEncryptFrom", "kms:ReEncryptTo")
WRITES = ("PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem")
STREAM = ("DescribeStream", "GetRecords", "GetShardIterator")


def rights_of(templates: Templates) -> list[Call]:
    """Every right of the functions' own roles, one for each action, resource, partition and service that it is used through."""
    verbs = {verb for verb, _, _ in templates.functions()}
    found = {
        right
        for role, statements in templates.roles.items()
        if verb_of(role) in verbs
        for one in statements
        for right in _of(verb_of(role), one)
    }
    return sorted(found)


def _of(verb: str, statement: Any) -> Iterator[Call]:
    condition = statement.get("Condition") or {}
    keys = as_list(condition.get("ForAllValues:StringLike", {}).get("dynamodb:LeadingKeys", []))
    through = condition.get("StringEquals", {}).get("kms:ViaService", "")
    for action in actions(statement):
        for resource in resources(statement):
            on = named(resource)
            if on == "partition" or on.startswith("index/"):
                yield from (Call(verb, action, f"{on}:{pattern}") for pattern in keys)
            elif on == "key:table":
                yield Call(verb, action, f"{on} through {'s3' if _starts(through, 's3') else 'dynamodb'}")
            else:
                yield Call(verb, action, on)


def _starts(value: Any, service: str) -> bool:
    return f"{service}." in str(value)


def named(resource: str) -> str:
    """A resource of a statement in our words; itself when nobody gave it a name here, so that it is allowed nothing."""
    for pattern, name in NAMES:
        if found := re.fullmatch(pattern, resource):
            verb = re.sub(r"(?<!^)(?=[A-Z])", "_", found[1] or "").lower() if found.groups() else ""
            return name.format(*found.groups(), verb=verb)
    return resource


def allows(right: Call, call: Call) -> bool:
    """Whether a right is what a call needs."""
    if right[:2] != call[:2]:
        return False
    if right.on.startswith("identity:") and call.on.startswith("identity:"):
        identity, sender = right.on.partition(":")[2], call.on.partition(":")[2]
        return identity in (sender, "*") or f".{sender.rpartition('@')[2]}".endswith(f".{identity}")
    if "#" in right.on:
        return fnmatch.fnmatchcase(call.on, right.on)
    return right.on == call.on


def allowed_together(templates: Templates, call: Call) -> bool:
    """Whether one statement of the function's role allows all kinds of partitions that one request names."""
    kinds = call.on.removeprefix(BATCH).split(" ")
    statements = (one for role, every in templates.roles.items() if verb_of(role) == call.verb for one in every)
    given = (set(_of(call.verb, one)) for one in statements)
    return any({Call(call.verb, call.action, f"partition:{kind}") for kind in kinds} <= rights for rights in given)


def done_by_aws(templates: Templates, calls: Iterable[Call]) -> set[Call]:
    """What AWS does under a function's role because of what it was asked for: nothing of it stands in our code."""
    found = set()
    for verb, action, _ in calls:
        found |= {Call(verb, f"logs:{name}", "log") for name in ("CreateLogStream", "PutLogEvents")}
        service, _, name = action.partition(":")
        if service == "dynamodb":
            used = READING + (WRITING if name in WRITES else ())
            found |= {Call(verb, one, "key:table through dynamodb") for one in used}
        if action in ("s3:GetObject", "s3:PutObject"):
            used = ("kms:Decrypt", *(("kms:GenerateDataKey",) if name == "PutObject" else ()))
            found |= {Call(verb, one, "key:table through s3") for one in used}
    functions = {name: verb for verb, name, _ in templates.functions()}
    for one in templates.of("AWS::Lambda::EventSourceMapping").values():
        verb = functions[target(one["FunctionName"])]
        found |= {Call(verb, f"dynamodb:{name}", "stream") for name in STREAM}
        found |= {Call(verb, "dynamodb:ListStreams", "anything"), Call(verb, "sqs:SendMessage", "failures")}
        found |= {Call(verb, name, "key:table through dynamodb") for name in READING}
    for one in templates.of("AWS::Lambda::EventInvokeConfig").values():
        found.add(Call(functions[target(one["FunctionName"])], "sqs:SendMessage", "failures"))
    return found
