"""Who may reach what beyond the table: that every right is spelled out, and none changes what was deployed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from infra.checks.template import Templates, actions, as_list, flat, resources, text, verb_of

PAGES = ("review", "decide")  # read sessions; sign_in makes and ends them
STREAM = ("dispatch", "publish")
# Each verb begins what changes a deployment, or what somebody else made.
CHANGING = re.compile(
    r"(iam:(?!PassRole$)|lambda:(?!InvokeFunction$)|cloudformation:|cognito-idp:|apigateway:|sts:|ssm:|ec2:"
    r"|kms:(Create|Put|Schedule|Disable|Update|Cancel|Delete)|s3:(Delete|PutBucket|PutObject.)|logs:(CreateLogGroup|Delete|Put(?!LogEvents))"
    r"|states:(?!StartExecution$|SendTaskSuccess$)|sqs:(Delete|Purge|Set|Create|Receive)|events:(?!PutEvents$)|scheduler:Delete"
    r"|dynamodb:(Create|Delete(?!Item$)|Update(?!Item$)|Restore|Export|Import)|ses:(?!SendEmail$))"
)
# API Gateway and EventBridge call functions; nobody else does.
CALLERS = {"apigateway.amazonaws.com", "events.amazonaws.com"}


def rights_are_spelled_out(templates: Templates) -> Iterator[str]:
    """No action with a star, and nothing allowed by exception."""
    for role, statements in templates.roles.items():
        for one in statements:
            if set(one) & {"NotAction", "NotResource", "NotPrincipal"} or one["Effect"] != "Allow":
                yield f"{role}: {sorted(one)} allows what nobody wrote"
                continue
            if wide := [action for action in actions(one) if "*" in action]:
                yield f"{role}: {wide}"


def functions_change_nothing(templates: Templates) -> Iterator[str]:
    """No function may change what was deployed, give rights, or read what other functions were given."""
    ours = {verb for verb, _, _ in templates.functions()}
    for role, statements in templates.roles.items():
        if verb_of(role) not in ours:
            continue
        for one in statements:
            if bad := [action for action in actions(one) if CHANGING.match(action)]:
                yield f"{role}: {bad}"


def roles_are_for_services(templates: Templates) -> Iterator[str]:
    """Roles of ours are taken by AWS's services; a caller of another account takes a role that its owner makes."""
    for name, properties in templates.of("AWS::IAM::Role").items():
        for one in properties["AssumeRolePolicyDocument"]["Statement"]:
            principal = one.get("Principal", {})
            if not isinstance(principal, dict) or set(principal) != {"Service"} or one["Action"] != "sts:AssumeRole":
                yield f"{name}: is taken by {flat(principal)}"


def permissions_name_their_caller(templates: Templates) -> Iterator[str]:
    """A function is called by our API and our rules; it has no address of its own, and no other account calls it."""
    for name in templates.of("AWS::Lambda::Url"):
        yield f"{name}: an address that asks nobody"
    for name, properties in templates.of("AWS::Lambda::Permission").items():
        if properties.get("Principal") not in CALLERS:
            yield f"{name}: {flat(properties.get('Principal'))} may call it"
        elif not properties.get("SourceArn"):
            yield f"{name}: every API and rule of every account may call it"
        if properties.get("Action") != "lambda:InvokeFunction":
            yield f"{name}: {properties.get('Action')}"


def stream_is_read_by_two(templates: Templates) -> Iterator[str]:
    """The stream carries whole records, the task token's among them: who waits for it and who tells the bus read it."""
    for role, statements in templates.roles.items():
        for one in statements:
            reads = [action for action in actions(one) if re.search("Stream|GetRecords|GetShardIterator", action)]
            if any(action.startswith("dynamodb:") for action in reads) and verb_of(role) not in STREAM:
                yield f"{role}: {reads}"
    for name, properties in templates.of("AWS::DynamoDB::Table").items():
        if "KinesisStreamSpecification" in properties:
            yield f"{name}: is copied into a stream of another kind"


def sessions_stay_with_pages(templates: Templates) -> Iterator[str]:
    """Sessions are made and ended at the sign-in and read by who shows pages: nobody else can take one."""
    for role, statements in templates.roles.items():
        for one in statements:
            if '"T#*#S#*"' not in text(one.get("Condition")):
                continue
            verbs = {action.removeprefix("dynamodb:") for action in actions(one)}
            if verb_of(role) != "sign_in" and (verb_of(role) not in PAGES or verbs != {"GetItem"}):
                yield f"{role}: {sorted(verbs)} on sessions"


def keys_have_one_use(templates: Templates) -> Iterator[str]:
    """The id key makes ids and nothing else; the table's key is used through DynamoDB and S3 only."""
    for role, statements in templates.roles.items():
        for one in statements:
            verbs = {action for action in actions(one) if action.startswith("kms:")}
            where = text(one["Resource"])
            if "IdKey" in where and verbs != {"kms:GenerateMac"}:
                yield f"{role}: {sorted(verbs)} with the key of ids"
            if verbs and "TableKey" in where and "kms:ViaService" not in text(one.get("Condition")):
                yield f"{role}: {sorted(verbs)} with the table's key, past DynamoDB and S3"
            if verbs and "IdKey" not in where and "TableKey" not in where:
                yield f"{role}: {sorted(verbs)} with {resources(one)}"


def keys_are_the_accounts(templates: Templates) -> Iterator[str]:
    """Keys belong to the account alone: rights on them are given by roles, and no service or other account is let in."""
    for name, properties in templates.of("AWS::KMS::Key").items():
        for one in properties["KeyPolicy"]["Statement"]:
            principal = flat(one["Principal"].get("AWS", "")) if isinstance(one["Principal"], dict) else "*"
            if not re.fullmatch(r"arn:<AWS::Partition>:iam::<AWS::AccountId>:root", principal):
                yield f"{name}: lets {text(one['Principal'])} in"
        if properties.get("KeySpec", "SYMMETRIC_DEFAULT") == "SYMMETRIC_DEFAULT" and not properties.get(
            "EnableKeyRotation"
        ):
            yield f"{name}: is never rotated"
        if properties.get("MultiRegion"):
            yield f"{name}: can be copied out of its region"


def boundary_on_all_or_none(templates: Templates) -> Iterator[str]:
    """A permissions boundary that is set is on every role: a company refuses those that are without."""
    found = {name: text(one.get("PermissionsBoundary")) for name, one in templates.of("AWS::IAM::Role").items()}
    usual = max(found.values(), key=list(found.values()).count, default="")
    for name, boundary in found.items():
        if boundary != usual:
            yield f"{name}: its boundary is {boundary}, that of the others {usual}"


def failure_queues_take_anything(templates: Templates) -> Iterator[str]:
    """Where failures end is a plain queue that keeps them fourteen days: Scheduler and Lambda write into no FIFO one."""
    for name, properties in templates.of("AWS::SQS::Queue").items():
        if properties.get("FifoQueue"):
            yield f"{name}: is FIFO"
        if properties.get("MessageRetentionPeriod") != 14 * 24 * 3600:
            yield f"{name}: keeps a failure for {properties.get('MessageRetentionPeriod', 345_600)} s"
        if properties.get("RedrivePolicy"):
            yield f"{name}: moves what failed elsewhere"
        for policy in templates.of("AWS::SQS::QueuePolicy").values():
            for one in policy["PolicyDocument"]["Statement"] if {"Ref": name} in policy["Queues"] else ():
                conditional = one.get("Condition") or one["Effect"] == "Deny"
                if "*" in [*as_list(one["Principal"]), flat(one["Principal"])] and not conditional:
                    yield f"{name}: anybody may write into it"
