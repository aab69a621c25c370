"""What must not be lost, and who may touch which of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from infra.checks.template import GATEWAY, Templates, actions, as_list, resources, text, verb_of, walk

# Creating one of these can fail for nobody's fault but ours. A domain, an identity or a named thing does not belong
# here: with deletion protection on, a first create that fails cannot even be rolled back.
STATEFUL = {"AWS::KMS::Key", "AWS::DynamoDB::Table", "AWS::Cognito::UserPool", "AWS::S3::Bucket"}
PER_KEY = {
    *("GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query"),
    *("ConditionCheckItem", "BatchGetItem", "BatchWriteItem"),
}
NEVER = {
    *("Scan", "PartiQLSelect", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete"),
    *("DeleteTable", "UpdateTable", "*"),
}
RUN_TELLERS = {"invoke_agent": {"GetItem", "PutItem"}, "resume": {"GetItem", "PutItem"}, "pick_up": {"GetItem"}}
TOKEN_READERS = {"dispatch": {"Query"}, "notify": {"PutItem", "UpdateItem"}}


def data_stack_can_roll_back(templates: Templates) -> Iterator[str]:
    """The data stack holds the stateful types and nothing whose creation fails for outside reasons."""
    for name, one in templates.data["Resources"].items():
        if one["Type"] not in STATEFUL | {"AWS::S3::BucketPolicy"}:
            yield f"{name}: {one['Type']} does not belong into the data stack"


def kept_but_no_orphans(templates: Templates) -> Iterator[str]:
    """Stateful resources outlive their stack, except when its first create fails."""
    for name, one in templates.resources.items():
        if one["Type"] in STATEFUL:
            if (one.get("DeletionPolicy"), one.get("UpdateReplacePolicy")) != ("RetainExceptOnCreate", "Retain"):
                yield f"{name}: must be RetainExceptOnCreate and Retain"
            if one["Type"] not in {"AWS::KMS::Key", "AWS::S3::Bucket"} and not _protected(one["Properties"]):
                yield f"{name}: deletion protection is off"


def _protected(properties: dict[str, object]) -> bool:
    return properties.get("DeletionProtectionEnabled") is True or properties.get("DeletionProtection") == "ACTIVE"


def table_recovers(templates: Templates) -> Iterator[str]:
    """The table has point-in-time recovery, our key, both images in its stream, and TTL."""
    for name, properties in templates.of("AWS::DynamoDB::Table").items():
        if not properties.get("PointInTimeRecoverySpecification", {}).get("PointInTimeRecoveryEnabled"):
            yield f"{name}: no point-in-time recovery"
        if "KMSMasterKeyId" not in properties.get("SSESpecification", {}):
            yield f"{name}: no key of its own"
        if properties.get("StreamSpecification", {}).get("StreamViewType") != "NEW_AND_OLD_IMAGES":
            yield f"{name}: the stream lacks the old image, so no filter can be an edge"
        if properties.get("TimeToLiveSpecification", {}).get("Enabled") is not True:
            yield f"{name}: no TTL"
        if properties.get("BillingMode") != "PAY_PER_REQUEST":
            yield f"{name}: not on demand"


def kms_follows_data(templates: Templates) -> Iterator[str]:
    """Whoever touches table or bucket may use their key, through that service only; without it every call fails on AWS."""
    for role, statements in templates.roles.items():
        if not any(action.startswith("dynamodb:") for one in statements for action in actions(one)):
            continue
        keys = [one for one in statements if "kms:Decrypt" in actions(one) and "TableKey" in text(one["Resource"])]
        if not keys:
            yield f"{role}: table access without kms:Decrypt on the table's key"
        for one in keys:
            condition = text(one.get("Condition"))
            if "kms:ViaService" not in condition or not any(f'"{name}.' in condition for name in ("dynamodb", "s3")):
                yield f"{role}: the table's key can be used without DynamoDB and S3"
        if not any('"dynamodb.' in text(one.get("Condition")) for one in keys):
            yield f"{role}: table access without the table's key through DynamoDB"
        yield from _key_of_the_bucket(role, statements, keys)
        writes = {f"dynamodb:{verb}" for verb in ("PutItem", "UpdateItem", "DeleteItem")}
        if any(writes & set(actions(one)) for one in statements) and not any(
            "kms:Encrypt" in actions(one) for one in keys
        ):
            yield f"{role}: writes without kms:Encrypt on the table's key"


def _key_of_the_bucket(role: str, statements: list[Any], keys: list[Any]) -> Iterator[str]:
    asked = {action for one in statements for action in actions(one)} & {"s3:GetObject", "s3:PutObject"}
    through = [one for one in keys if '"s3.' in text(one.get("Condition"))]
    given = {action for one in through for action in actions(one)}
    needs = {"kms:Decrypt"} if asked else set()
    needs |= {"kms:GenerateDataKey"} if "s3:PutObject" in asked else set()
    if needs - given:
        yield f"{role}: the bucket's texts without {sorted(needs - given)} through S3"
    if given - needs:
        yield f"{role}: {sorted(given - needs)} on the bucket's key that it does not need"


def partitions_are_named(templates: Templates) -> Iterator[str]:
    """Every data right names its partitions, and none can be had without a key."""
    for role, statements in templates.roles.items():
        for one in statements:
            verbs = [action.removeprefix("dynamodb:") for action in actions(one) if action.startswith("dynamodb:")]
            if bad := sorted(NEVER & set(verbs)):
                yield f"{role}: {bad} satisfies any condition on keys"
            if set(verbs) & PER_KEY and not _patterns(one):
                yield f"{role}: {sorted(verbs)} without dynamodb:LeadingKeys"


def conditions_need_their_keys(templates: Templates) -> Iterator[str]:
    """``ForAllValues`` holds for a request without the key: a ``Null`` beside it demands that there is one."""
    for role, statements in templates.roles.items():
        for one in statements:
            conditions = one.get("Condition") or {}
            names = {
                name for operator, keys in conditions.items() if operator.startswith("ForAllValues") for name in keys
            }
            demanded = {name for name, absent in conditions.get("Null", {}).items() if absent in ("false", ["false"])}
            for name in sorted(names - demanded):
                yield f"{role}: {actions(one)} are open to a request without {name}"


def batches_are_one_statement(templates: Templates) -> Iterator[str]:
    """IAM judges a batch by each statement alone, with all of its keys: what a role asks for in batches stands in one."""
    for role, statements in templates.roles.items():
        for action in ("dynamodb:BatchGetItem", "dynamodb:BatchWriteItem"):
            granted = [_patterns(one) for one in statements if action in actions(one)]
            if len(granted) > 1:
                yield f"{role}: {action} in statements of their own for {granted}: one request for both is denied"


def tokens_are_private(templates: Templates) -> Iterator[str]:
    """The task token's partition: notify writes it, dispatch reads it, nobody else."""
    for role, statements in templates.roles.items():
        for one in statements:
            verbs = {action.removeprefix("dynamodb:") for action in actions(one) if action.startswith("dynamodb:")}
            reached = [pattern for pattern in _patterns(one) if "#K#" in pattern or not _kind(pattern)]
            if reached and (extra := verbs - TOKEN_READERS.get(verb_of(role), set())):
                yield f"{role}: {sorted(extra)} on the token's partition {reached}"


def runs_are_told_by_who_asks(templates: Templates) -> Iterator[str]:
    """What a Bedrock run came to is written by those who ask its turns, and shown to its agent: everybody else sees pauses."""
    for role, statements in templates.roles.items():
        for one in statements:
            verbs = {action.removeprefix("dynamodb:") for action in actions(one) if action.startswith("dynamodb:")}
            reached = [pattern for pattern in _patterns(one) if _kind(pattern) == "N"]
            if reached and (extra := verbs - RUN_TELLERS.get(verb_of(role), set())):
                yield f"{role}: {sorted(extra)} on runs {reached}"


def _patterns(statement: dict[str, object]) -> list[str]:
    condition = statement.get("Condition")
    conditions = condition if isinstance(condition, dict) else {}
    found = conditions.get("ForAllValues:StringLike", {}).get("dynamodb:LeadingKeys", [])
    return [str(pattern) for pattern in as_list(found)]


def _kind(pattern: str) -> str:
    """The letter of ``T#*#P#*``; empty when the pattern would reach every kind of partition."""
    parts = pattern.split("#")
    return parts[2] if len(parts) == 4 and len(parts[2]) == 1 and parts[2].isalpha() else ""


def memberships_come_from_outside(templates: Templates) -> Iterator[str]:
    """Who may decide is written by operators only: no function can make anybody a reviewer."""
    for role, statements in templates.roles.items():
        for one in statements:
            writes = {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"} & set(actions(one))
            if writes and (reached := [pattern for pattern in _patterns(one) if _kind(pattern) in ("U", "G")]):
                yield f"{role}: {sorted(writes)} on memberships {reached}"


def badges_come_from_the_sign_in(templates: Templates) -> Iterator[str]:
    """Only who verifies the token of a sign-in writes badges: what it says of groups."""
    for role, statements in templates.roles.items():
        for one in statements:
            writes = {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"} & set(actions(one))
            reached = [pattern for pattern in _patterns(one) if _kind(pattern) in ("I", "J")]
            if writes and reached and (verb_of(role) != "sign_in" or writes != {"dynamodb:PutItem"}):
                yield f"{role}: {sorted(writes)} on badges {reached}"


def deletes_are_few(templates: Templates) -> Iterator[str]:
    """Records are never deleted by code; only signing out deletes the session it belongs to."""
    for role, statements in templates.roles.items():
        for one in statements:
            if "dynamodb:DeleteItem" in actions(one) and (verb_of(role), _patterns(one)) != ("sign_in", ["T#*#S#*"]):
                yield f"{role}: may delete {_patterns(one)}"


def queries_stay_on_work(templates: Templates) -> Iterator[str]:
    """An index is granted by its name, for Query only."""
    for role, statements in templates.roles.items():
        for one in statements:
            on_index = [resource for resource in resources(one) if "/index/" in resource]
            named = all(resource.endswith(("/index/work", "/index/find")) for resource in on_index)
            if on_index and (set(actions(one)) != {"dynamodb:Query"} or not named):
                yield f"{role}: {actions(one)} on {on_index}"


def references_exist(templates: Templates) -> Iterator[str]:
    """What the gateway reads of the data stack is an output of it: a weak reference is looked up only at deploy."""
    outputs = set(templates.data.get("Outputs", {}))
    for value in walk(templates.gateway):
        if isinstance(value, dict) and isinstance(found := value.get("Fn::GetStackOutput"), dict):
            if found["StackName"] != "PlacetData":
                yield f"{GATEWAY}: reads from stack {found['StackName']}"
            elif found["OutputName"] not in outputs:
                yield f"{GATEWAY}: {found['OutputName']} is no output of the data stack"
        if isinstance(value, dict) and "Fn::ImportValue" in value:
            yield f"{GATEWAY}: imports {value['Fn::ImportValue']}, which locks both stacks together"
    for stack in (templates.data, templates.gateway):
        for name, output in stack.get("Outputs", {}).items():
            if "Export" in output:
                yield f"{name}: exported, which locks both stacks together"
