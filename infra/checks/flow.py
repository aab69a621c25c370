"""The stream, the machine, the timers: what runs without anybody waiting for an answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from infra.checks.template import Templates, actions, as_list, flat, resources, target, text, verb_of, walk

# https://docs.aws.amazon.com/step-functions/latest/dg/bp-lambda-serviceexception.html: time-outs and out-of-memory are
# Lambda.Unknown; what Lambda itself calls a time-out is seen there too.
CUT_OFF = frozenset(
    {
        "Lambda.Unknown",
        "Sandbox.Timedout",
        "Lambda.ServiceException",
        "Lambda.AWSLambdaException",
        "Lambda.SdkClientException",
        "Lambda.ClientExecutionTimeoutException",
    }
)


LEAVES = frozenset({"S", "N", "B", "BOOL", "NULL"})  # of an attribute as DynamoDB writes it; M, L and sets are none

# Reader of the stream → how often and how long a record is tried. Decisions wait behind dispatch, nobody behind publish.
PATIENCE = {"publish": (500, 6 * 3600)}


def stream_is_edges(templates: Templates) -> Iterator[str]:
    """Filters are edges on old images, numbers are text, and there are at most five."""
    for name, properties in templates.of("AWS::Lambda::EventSourceMapping").items():
        patterns = [json.loads(one["Pattern"]) for one in properties.get("FilterCriteria", {}).get("Filters", [])]
        if not 1 <= len(patterns) <= 5:
            yield f"{name}: {len(patterns)} filters; there must be 1 to 5"
        for pattern in patterns:
            if set(pattern) != {"dynamodb"}:
                yield f"{name}: filters on {sorted(pattern)}; only dynamodb is documented"
            if '"numeric"' in text(pattern) or any(not isinstance(one, str | dict) for one in _leaves(pattern)):
                yield f"{name}: a number in a filter never matches on AWS: DynamoDB writes text"
            if bad := sorted({kind for kind in _exists(pattern) if kind not in LEAVES}):
                yield f"{name}: exists below {bad}: it works on leaves only, which are {sorted(LEAVES)} of an image"
            if "OldImage" not in pattern.get("dynamodb", {}):
                yield f"{name}: {text(pattern)} is a level, not an edge: dispatch would feed itself"


def _exists(pattern: Any) -> Iterator[str]:
    """Names below which a pattern asks whether there is something."""
    for key, value in pattern.items():
        if isinstance(value, dict):
            yield from _exists(value)
        elif any(isinstance(one, dict) and "exists" in one for one in value):
            yield key


def _leaves(pattern: Any) -> Iterator[Any]:
    for value in pattern.values():
        yield from _leaves(value) if isinstance(value, dict) else value


def stream_survives_poison(templates: Templates) -> Iterator[str]:
    """From the oldest record on; a bad record is split off, tried a few times and noted in a queue."""
    for name, properties in templates.of("AWS::Lambda::EventSourceMapping").items():
        if properties.get("StartingPosition") != "TRIM_HORIZON":
            yield f"{name}: loses what is written while it comes up"
        retries, age_s = PATIENCE.get(verb_of(target(properties["FunctionName"])), (5, 3600))
        if not 0 <= properties.get("MaximumRetryAttempts", -1) <= retries:
            yield f"{name}: retries a bad record until it expires"
        if not 0 < properties.get("MaximumRecordAgeInSeconds", -1) <= age_s:
            yield f"{name}: one record may hold a shard up for a day"
        if properties.get("BisectBatchOnFunctionError") is not True:
            yield f"{name}: does not split a bad batch"
        if properties.get("FunctionResponseTypes") != ["ReportBatchItemFailures"]:
            yield f"{name}: repeats the good records of a bad batch"
        kept = properties.get("DestinationConfig", {}).get("OnFailure", {}).get("Destination")
        if target(kept) not in templates.of("AWS::SQS::Queue"):
            yield f"{name}: what fails must be noted in a queue (S3 would receive the record, token included)"
        if properties.get("ParallelizationFactor", 1) > 1 and verb_of(target(properties["FunctionName"])) != "dispatch":
            yield f"{name}: takes more than its share of ten concurrent executions, and nobody waits for it"
    readers = {verb_of(target(one["FunctionName"])) for one in templates.of("AWS::Lambda::EventSourceMapping").values()}
    if readers != {"dispatch", "publish"} or len(templates.of("AWS::Lambda::EventSourceMapping")) > 2:
        yield f"{sorted(readers)} read the stream: it has room for two, and those are dispatch and publish"


def rights_come_first(templates: Templates) -> Iterator[str]:
    """What starts to work as soon as it is made waits for its role's policy: the mapping, the machine, the functions."""
    policies = templates.of("AWS::IAM::Policy")
    starts = {name: name for name in templates.of("AWS::StepFunctions::StateMachine")}
    starts |= {name: name for _, name, _ in templates.functions()}
    for name, properties in templates.of("AWS::Lambda::EventSourceMapping").items():
        starts[name] = target(properties["FunctionName"])
    for name, worker in starts.items():
        properties = templates.resources[worker]["Properties"]
        role = target(properties.get("Role") or properties.get("RoleArn"))
        own = {policy for policy, one in policies.items() if {"Ref": role} in one["Roles"]}
        if missing := own - _waits_for(templates, name):
            yield f"{name}: does not wait for {sorted(missing)}"


def _waits_for(templates: Templates, name: str) -> set[str]:
    """Everything that CloudFormation makes before a resource."""
    found: set[str] = set()
    open_ends = [name]
    while open_ends:
        one = templates.resources.get(open_ends.pop(), {})
        named = {str(value["Ref"]) for value in walk(one) if isinstance(value, dict) and "Ref" in value}
        named |= {value["Fn::GetAtt"][0] for value in walk(one) if isinstance(value, dict) and "Fn::GetAtt" in value}
        fresh = (named | set(as_list(one.get("DependsOn", [])))) - found
        found |= fresh
        open_ends += fresh
    return found


def one_answers_tokens(templates: Templates) -> Iterator[str]:
    """Only dispatch answers task tokens, on our machine only; nobody reads the history, which shows them."""
    machines = {f"<{name}>" for name in templates.of("AWS::StepFunctions::StateMachine")}
    for role, statements in templates.roles.items():
        for one in statements:
            verbs = [action for action in actions(one) if action.startswith("states:")]
            if any("SendTask" in verb for verb in verbs) and verb_of(role) != "dispatch":
                yield f"{role}: answers task tokens"
            if any("GetExecutionHistory" in verb or "*" in verb for verb in verbs):
                yield f"{role}: {verbs} reads task tokens"
            if verbs and not set(resources(one)) <= machines:
                yield f"{role}: {verbs} on {resources(one)}"


def machine_ends_or_lists(templates: Templates) -> Iterator[str]:
    """Each task retries throttling, has a timeout and a way out that lists the pause; no data in the log."""
    for name, properties in templates.of("AWS::StepFunctions::StateMachine").items():
        states = json.loads(flat(properties["DefinitionString"]))["States"]
        listing = {one["Next"] for state in states.values() for one in state.get("Catch", [])}
        for state, task in states.items():
            if task["Type"] != "Task":
                continue
            if "Lambda.TooManyRequestsException" not in text(task.get("Retry", [])):
                yield f"{name}: {state} gives up when Lambda throttles"
            if not {"TimeoutSeconds", "TimeoutSecondsPath"} & set(task):
                yield f"{name}: {state} may wait for a year"
            catches = [one["ErrorEquals"] for one in task.get("Catch", [])]
            if state not in listing and ["States.ALL"] not in catches:
                yield f"{name}: {state} fails without listing the pause"
        if properties.get("LoggingConfiguration", {}).get("IncludeExecutionData") is not False:
            yield f"{name}: logs data, task tokens among it"
        if properties.get("LoggingConfiguration", {}).get("Level") != "ALL":
            yield f"{name}: does not log every step"


def machine_retries_timeouts(templates: Templates) -> Iterator[str]:
    """Each Retry names what Lambda and its own cut-off functions are told as; a retry in haste or without end helps nobody."""
    for name, properties in templates.of("AWS::StepFunctions::StateMachine").items():
        states = json.loads(flat(properties["DefinitionString"]))["States"]
        for state, task in states.items():
            if task["Type"] == "Task" and not task.get("Retry"):
                yield f"{name}: {state} has no Retry"
            for retry in task.get("Retry", []):
                if missing := sorted(CUT_OFF - set(retry["ErrorEquals"])):
                    yield f"{name}: {state} gives up at the first {missing}"
                if not (retry.get("BackoffRate", 1) > 1 and 3 <= retry.get("MaxAttempts", 0) <= 10):
                    yield f"{name}: {state} does not come again a few times, later each time"


def tasks_outlast_functions(templates: Templates) -> Iterator[str]:
    """A task waits longer than its function may take, or the machine would begin a second attempt beside the first."""
    may_take = {f"<{name}.Arn>": properties.get("Timeout", 3) for _, name, properties in templates.functions()}
    for name, properties in templates.of("AWS::StepFunctions::StateMachine").items():
        states = json.loads(flat(properties["DefinitionString"]))["States"]
        for state, task in states.items():
            seconds, function = task.get("TimeoutSeconds"), task.get("Parameters", {}).get("FunctionName", "")
            if seconds is not None and seconds <= may_take.get(function, 0):
                yield f"{name}: {state} gives up after {seconds} s, and {function} may take {may_take[function]} s"


def async_failures_are_kept(templates: Templates) -> Iterator[str]:
    """Who is invoked with nobody waiting keeps what it gave up: a caller's own queue never sees a handler's error."""
    kept = {
        target(properties["FunctionName"])
        for properties in templates.of("AWS::Lambda::EventInvokeConfig").values()
        if properties.get("DestinationConfig", {}).get("OnFailure", {}).get("Destination")
    }
    rules = templates.of("AWS::Events::Rule")
    called = {target(one["Arn"]) for properties in rules.values() for one in properties.get("Targets", [])}
    # A schedule's target is what the schedule role may invoke, and sweep invokes without waiting.
    roles = [role for role in templates.roles if _trusts(templates, role, "scheduler") or verb_of(role) == "sweep"]
    for role in roles:
        for one in templates.roles[role]:
            if "lambda:InvokeFunction" in actions(one):
                called |= {target(resource) for resource in as_list(one["Resource"])}
    for function in sorted(called - kept):
        yield f"{function}: is called asynchronously and has no on-failure destination"
    for name, properties in rules.items():
        for one in properties.get("Targets", []):
            if not {"DeadLetterConfig", "RetryPolicy"} <= set(one):
                yield f"{name}: a target without dead-letter queue and retry policy"


def timers_are_ours(templates: Templates) -> Iterator[str]:
    """The schedule role is trusted for our group, may call escalate and fill its queue; two functions may pass it."""
    named = templates.of("AWS::Scheduler::ScheduleGroup")
    groups = [properties.get("Name") for properties in named.values()]
    for role in templates.roles:
        if not _trusts(templates, role, "scheduler"):
            continue
        trust = templates.of("AWS::IAM::Role")[role]["AssumeRolePolicyDocument"]["Statement"][0]
        wanted = trust.get("Condition", {}).get("StringEquals", {})
        if "aws:SourceAccount" not in wanted or target(wanted.get("aws:SourceArn")) not in named:
            yield f"{role}: must trust by the schedule group's ARN and our account"
        allowed = {action for one in templates.roles[role] for action in actions(one)}
        if "sqs:SendMessage" not in allowed:
            yield f"{role}: cannot write to the schedules' dead-letter queue"
        if extra := allowed - {"lambda:InvokeFunction"} - {a for a in allowed if a.startswith("sqs:")}:
            yield f"{role}: {sorted(extra)} is more than a timer needs"
    for role, statements in templates.roles.items():
        for one in statements:
            if "iam:PassRole" in actions(one):
                if verb_of(role) not in ("notify", "escalate"):
                    yield f"{role}: passes roles"
                if len(resources(one)) != 1 or "scheduler.amazonaws.com" not in text(one.get("Condition")):
                    yield f"{role}: passes more than the schedule role to Scheduler"
            if any(action.startswith("scheduler:") for action in actions(one)) and not all(
                any(f":schedule/{group}/" in resource for group in groups) for resource in resources(one)
            ):
                yield f"{role}: schedules outside of our group"


def _trusts(templates: Templates, role: str, service: str) -> bool:
    properties = templates.of("AWS::IAM::Role").get(role, {})
    return f"{service}.amazonaws.com" in text(properties.get("AssumeRolePolicyDocument", {}))
