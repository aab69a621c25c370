"""The doctor's questions about the stacks: what is in the way of a deploy, what a deploy may not change, what has gone stale."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from botocore.exceptions import ClientError

from infra.deployed import outputs
from infra.doctor_removing import removing
from infra.doors import INBOX, closed, deployed_doors, doors, lock_file, locked, told
from infra.findings import Clients, Finding
from infra.real_doors import real_doors
from infra.settings import Settings

STACKS = ("PlacetData", "PlacetGateway")
NEVER_UP = ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED")  # of a first create, so nothing is in it
ESCALATE, BUS, GROUP = "PlacetGateway-escalate", "PlacetGateway-events", "PlacetGateway-pauses"
POLICIES = ("AgentAccessPolicyArn", "ActionAccessPolicyArn", "OperatorAccessPolicyArn")
POOL_GOES = "--deletion-protection INACTIVE"
RESETS = "    # puts back every setting that is not named: only for a pool that is deleted next"
AGAIN = 'make deploy ARGS="-- --force"'


def stack_states(clients: Clients) -> dict[str, str]:
    """The status of each of our stacks that is there."""
    return {name: one["StackStatus"] for name, one in _stacks(clients).items()}


def _stacks(clients: Clients) -> dict[str, dict[str, Any]]:
    found = {}
    for name in STACKS:
        try:
            found[name] = dict(clients("cloudformation").describe_stacks(StackName=name)["Stacks"][0])
        except ClientError as error:
            if error.response["Error"]["Code"] != "ValidationError":
                raise
    return found


def _resources(clients: Clients, stack: str) -> list[dict[str, Any]]:
    pages = clients("cloudformation").get_paginator("list_stack_resources").paginate(StackName=stack)
    return [dict(one) for page in pages for one in page["StackResourceSummaries"]]


def resource(clients: Clients, kind: str, begins: str) -> str:
    """The physical name of the gateway's one resource of a type whose logical id begins so; empty without a gateway."""
    if "PlacetGateway" not in _stacks(clients):
        return ""
    found = (one for one in _resources(clients, "PlacetGateway") if one["ResourceType"] == kind)
    return next((str(one["PhysicalResourceId"]) for one in found if one["LogicalResourceId"].startswith(begins)), "")


def names(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """cloudformation:DescribeStacks: stacks that cannot be updated, and fixed names that something else has already."""
    stacks = _stacks(clients)
    for name, stack in stacks.items():
        yield _state(clients, name, stack)
    if "PlacetGateway" in stacks:
        return
    found = list(_taken(clients))
    yield from found
    if not found:
        yield Finding("ok", "names", "nothing has the names that the gateway needs")


def _state(clients: Clients, name: str, stack: dict[str, Any]) -> Finding:
    status = str(stack["StackStatus"])
    sentence = f"stack {name} is {status}"
    if status in NEVER_UP:
        way_out = "its first create failed, and nothing is in it; read its events, remove the cause, then take it away"
        return Finding("stop", "names", sentence, way_out, tuple(_away(clients, name, stack)))
    if status == "UPDATE_ROLLBACK_FAILED":
        commands = (_of(clients, f"cloudformation describe-stack-events --stack-name {name} --max-items 20"),)
        commands += (_of(clients, f"cloudformation continue-update-rollback --stack-name {name}"),)
        return Finding("stop", "names", sentence, "mend what its events name, then let it go back", commands)
    if status == "DELETE_FAILED":
        return Finding("stop", "names", sentence, "take away what holds it, then delete it again", _held(clients, name))
    if status == "DELETE_IN_PROGRESS":
        return removing(clients, sentence, _resources(clients, name))
    if status.endswith("_IN_PROGRESS") and status != "REVIEW_IN_PROGRESS":
        return Finding("stop", "names", sentence, "wait until it is done")
    return Finding("ok", "names", sentence)


def _away(clients: Clients, name: str, stack: dict[str, Any]) -> Iterator[str]:
    """The commands out of a first create that failed: protections off, stack away, then what it kept."""
    if stack.get("EnableTerminationProtection"):
        command = f"update-termination-protection --no-enable-termination-protection --stack-name {name}"
        yield _of(clients, f"cloudformation {command}")
    left = [
        (one["ResourceType"], one.get("PhysicalResourceId", ""))
        for one in _resources(clients, name)
        if one["ResourceStatus"] != "DELETE_COMPLETE"
    ]
    unprotect = {
        "AWS::DynamoDB::Table": "dynamodb update-table --no-deletion-protection-enabled --table-name {}",
        "AWS::Cognito::UserPool": f"cognito-idp update-user-pool {POOL_GOES} --user-pool-id {{}}",
    }
    remove = {
        "AWS::DynamoDB::Table": "dynamodb delete-table --table-name {}",
        "AWS::Cognito::UserPool": "cognito-idp delete-user-pool --user-pool-id {}",
        "AWS::KMS::Key": "kms schedule-key-deletion --pending-window-in-days 7 --key-id {}",
        "AWS::S3::Bucket": "s3api delete-bucket --bucket {}",
    }
    for kind, one in left:
        if one and kind in unprotect:
            yield _of(clients, unprotect[kind].format(one)) + (RESETS if POOL_GOES in unprotect[kind] else "")
    yield _of(clients, f"cloudformation delete-stack --stack-name {name}")
    yield _of(clients, f"cloudformation wait stack-delete-complete --stack-name {name}")
    for kind, one in left:
        if one and kind in remove:
            yield _of(clients, remove[kind].format(one)) + "    # if it is still there"


def _held(clients: Clients, name: str) -> tuple[str, ...]:
    """What keeps a deleted gateway: policies of ours that are attached to roles that are not, and others' rules on our bus."""
    found = [_of(clients, f"cloudformation describe-stack-events --stack-name {name} --max-items 20")]
    if name == "PlacetGateway":
        for arn, kind, who in _attachments(clients):
            found.append(_of(clients, f"iam detach-{kind}-policy --{kind}-name {who} --policy-arn {arn}"))
        found += _of_listeners(clients)
    return (*found, _of(clients, f"cloudformation delete-stack --stack-name {name}"))


def _of_listeners(clients: Clients) -> list[str]:
    """What takes others' rules away; where they may not be asked for, what asks for them."""
    found = []
    try:
        for rule, force in _listeners(clients):
            targets, at = _targets(clients, rule), f"--event-bus-name {BUS}{force}"
            found += [_of(clients, f"events remove-targets --rule {rule} --ids {targets} {at}")] if targets else []
            found.append(_of(clients, f"events delete-rule --name {rule} {at}"))
    except ClientError:
        return [_of(clients, f"events list-rules --event-bus-name {BUS}")]
    return found


def _listeners(clients: Clients) -> list[tuple[str, str]]:
    """Rules on our bus that are not the stack's own, and what to add to commands about one that another service of AWS keeps."""
    ours = {
        str(one.get("PhysicalResourceId", "")).rpartition("|")[2]
        for one in _resources(clients, "PlacetGateway")
        if one["ResourceType"] == "AWS::Events::Rule" and one["ResourceStatus"] != "DELETE_COMPLETE"
    }
    try:
        pages = list(clients("events").get_paginator("list_rules").paginate(EventBusName=BUS))
    except ClientError as error:
        if error.response["Error"]["Code"] != "ResourceNotFoundException":
            raise
        return []
    rules = [one for page in pages for one in page["Rules"] if one["Name"] not in ours]
    return [(str(one["Name"]), " --force" if one.get("ManagedBy") else "") for one in rules]


def _targets(clients: Clients, rule: str) -> str:
    """The ids of a rule's targets, as a command names them."""
    pages = clients("events").get_paginator("list_targets_by_rule").paginate(Rule=rule, EventBusName=BUS)
    return " ".join(str(one["Id"]) for page in pages for one in page.get("Targets", ()))


def _of(clients: Clients, command: str) -> str:
    return f"aws {command} --region {clients('cloudformation').meta.region_name}"


def _taken(clients: Clients) -> Iterator[Finding]:
    """Fixed names of the gateway, in an account without it."""
    for prefix in ("/aws/vendedlogs/states/PlacetGateway-", "/aws/vendedlogs/apis/PlacetGateway-"):
        for group in clients("logs").describe_log_groups(logGroupNamePrefix=prefix)["logGroups"]:
            name = group["logGroupName"]
            yield _in_the_way(clients, f"the log group {name}", f"logs delete-log-group --log-group-name {name}")
    for group in clients("scheduler").list_schedule_groups(NamePrefix=GROUP)["ScheduleGroups"]:
        if group.get("State") == "DELETING":
            sentence = f"the schedule group {group['Name']} is being deleted, and a new one is refused until it is gone"
            yield Finding("stop", "names", sentence, "wait some minutes: its schedules go first")
        else:
            delete = f"scheduler delete-schedule-group --name {group['Name']}"
            yield _in_the_way(clients, f"the schedule group {group['Name']}", delete)
    if _is_there(lambda: clients("lambda").get_function_configuration(FunctionName=ESCALATE)):
        yield _in_the_way(clients, f"the function {ESCALATE}", f"lambda delete-function --function-name {ESCALATE}")
    if _is_there(lambda: clients("events").describe_event_bus(Name=BUS)):
        yield _in_the_way(clients, f"the event bus {BUS}", f"events delete-event-bus --name {BUS}")


def _in_the_way(clients: Clients, what: str, command: str) -> Finding:
    way_out = "a first deploy would fail on it; if nobody needs it:"
    return Finding("stop", "names", f"{what} exists without our stack", way_out, (_of(clients, command),))


def _is_there(ask: Callable[[], Any]) -> bool:
    try:
        ask()
    except ClientError as error:
        if error.response["Error"]["Code"] != "ResourceNotFoundException":
            raise
        return False
    return True


def one_way(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """cloudformation:GetTemplate, cognito-idp:DescribeUserPool: would a deploy go through a door that opens once?"""
    was = deployed_doors(clients("cloudformation")) if "PlacetGateway" in _stacks(clients) else {}
    if not was:
        sentence = "nothing is deployed yet: decide now what cannot be changed later"
        yield Finding("ok", "one_way", sentence, "docs/deploy.md#what-cannot-be-changed-later")
        return
    real, pool = real_doors(clients, settings, was)
    found = [
        *(Finding("stop", "one_way", f"{name}: {sentence}") for name, sentence in closed(settings, real, pool)),
        *(Finding("look", "one_way", sentence) for sentence in told(settings, real)),
    ]
    here = f"{clients('sts').get_caller_identity()['Account']}/{clients('sts').meta.region_name}"
    if {name: value for name, value in locked(here).values.items() if name != INBOX} != was:
        sentence = f"{lock_file().name} does not say what is deployed in {here}"
        found.append(Finding("look", "one_way", sentence, ".venv/bin/python -m infra.doors"))
    yield from found
    if not found:
        yield Finding("ok", "one_way", f"as deployed: {', '.join(sorted(doors(settings)))}")


def references(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """lambda:GetFunctionConfiguration, lambda:ListEventSourceMappings: does the gateway have the data stack's values of today?"""
    if set(_stacks(clients)) != set(STACKS):
        yield Finding("ok", "references", "there are not both stacks yet")
        return
    data, lambda_ = outputs(clients("cloudformation"), "PlacetData"), clients("lambda")
    stale = []
    variables = lambda_.get_function_configuration(FunctionName=ESCALATE)["Environment"]["Variables"]
    if variables.get("PLACET_TABLE") != data["TableName"]:
        stale.append(
            f"functions write to the table {variables.get('PLACET_TABLE')}, and PlacetData has {data['TableName']}"
        )
    stream = (
        clients("dynamodb").describe_table(TableName=data["TableName"])["Table"].get("LatestStreamArn", "no stream")
    )
    for verb in ("Dispatch", "Publish"):
        function = resource(clients, "AWS::Lambda::Function", f"{verb}Function")
        read = lambda_.list_event_source_mappings(FunctionName=function)["EventSourceMappings"]
        if [one["EventSourceArn"] for one in read] != [stream]:
            stale.append(f"{verb.lower()} does not read the stream {stream}")
        elif read[0].get("State") not in ("Enabled", "Enabling", "Creating", "Updating"):
            yield Finding(
                "look", "references", f"{verb.lower()} reads its stream no more: {read[0].get('State')}", "enable it"
            )
    signs_in = lambda_.get_function_configuration(
        FunctionName=resource(clients, "AWS::Lambda::Function", "SignInFunction")
    )
    issuer = signs_in["Environment"]["Variables"].get("PLACET_ISSUER", "")
    if not issuer.endswith(f"/{data['UserPoolId']}"):
        stale.append(f"sign-in believes {issuer}, and PlacetData has the pool {data['UserPoolId']}")
    yield from (Finding("stop", "references", sentence, AGAIN) for sentence in stale)
    if not stale:
        yield Finding("ok", "references", "the gateway has the data stack's values of today")


def attached(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """iam:ListEntitiesForPolicy, events:ListRules: who has our policies, who listens? Both hold a gateway that is to be removed."""
    if "PlacetGateway" not in _stacks(clients):
        yield Finding("ok", "attached", "there are no policies yet")
        return
    found = _attachments(clients)
    for output, arn in _policies(clients).items():
        holders = [f"{kind} {who}" for one, kind, who in found if one == arn]
        sentence = f"{output} is attached to {', '.join(holders) or 'nobody'}"
        way_out = "before the gateway is removed: detach it" if holders else ""
        yield Finding("ok", "attached", sentence, way_out)
    for rule, _ in _listeners(clients):
        way_out = "before the gateway is removed: its targets, then the rule (docs/deploy.md#removing-it)"
        yield Finding("ok", "attached", f"the rule {rule} listens on {BUS}", way_out)


def _policies(clients: Clients) -> dict[str, str]:
    found = outputs(clients("cloudformation"), "PlacetGateway")
    return {name: found[name] for name in POLICIES if name in found}


def _attachments(clients: Clients) -> list[tuple[str, str, str]]:
    """(policy's ARN, role | user | group, its name) of whoever has a policy of ours; a deletion that stopped took some away."""
    found = []
    for arn in _policies(clients).values():
        try:
            pages = list(clients("iam").get_paginator("list_entities_for_policy").paginate(PolicyArn=arn))
        except ClientError as error:
            if error.response["Error"]["Code"] != "NoSuchEntity":
                raise
            continue
        for page in pages:
            for kind in ("Role", "User", "Group"):
                found += [(arn, kind.lower(), str(one[f"{kind}Name"])) for one in page[f"Policy{kind}s"]]
    return found
