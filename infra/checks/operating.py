"""The bucket for long texts, and the operators' function: what they must keep, and what they must never reach."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from infra.checks.template import Templates, actions, as_list, resources, text, verb_of

READERS = {"capture", "decide", "review", "invoke_agent", "resume", "pick_up", "execute"}
WRITERS = {"capture", "decide", "invoke_agent", "resume"}
HELD = ("capture", "decide", "execute", "invoke_agent", "resume")  # by the freeze mark
CLOSED = ("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets")
# The operators' function: partitions by their letter, and no right beyond its table, its log and the table's key.
OPERATE = {"P", "F", "Q", "W", "E", "R", "L", "A"}
OPERATE_SERVICES = {"dynamodb", "logs", "kms"}


def bodies_are_kept_close(templates: Templates) -> Iterator[str]:
    """The bucket is open to nobody, speaks TLS only, and its texts are read and written by those who show or store them."""
    for name, properties in templates.of("AWS::S3::Bucket").items():
        block = properties.get("PublicAccessBlockConfiguration", {})
        if missing := [one for one in CLOSED if block.get(one) is not True]:
            yield f"{name}: public access is not blocked: {missing}"
        if "BucketOwnerEnforced" not in text(properties.get("OwnershipControls")):
            yield f"{name}: objects can have access lists"
        if not any(_denies_plain(one, name) for one in templates.of("AWS::S3::BucketPolicy").values()):
            yield f"{name}: answers without TLS"
    for role, statements in templates.roles.items():
        for one in statements:
            verbs = {action for action in actions(one) if action.startswith("s3:")}
            wanted = {"s3:GetObject"} if verb_of(role) in READERS else set()
            wanted |= {"s3:PutObject"} if verb_of(role) in WRITERS else set()
            if extra := verbs - wanted:
                yield f"{role}: {sorted(extra)} on texts"
            if verbs and not all("Bodies" in where and where.endswith("/*") for where in resources(one)):
                yield f"{role}: {resources(one)} is more than our bucket's objects"


def _denies_plain(policy: dict[str, Any], bucket: str) -> bool:
    statements = policy["PolicyDocument"]["Statement"]
    denials = [one for one in statements if one["Effect"] == "Deny" and "s3:*" in as_list(one["Action"])]
    found = [one for one in denials if one.get("Condition") == {"Bool": {"aws:SecureTransport": "false"}}]
    return policy["Bucket"] == {"Ref": bucket} and any(len(as_list(one["Resource"])) == 2 for one in found)


def bodies_are_not_lost(templates: Templates) -> Iterator[str]:
    """Texts are encrypted with our key, kept in versions, and never expire: a pause without its text cannot be decided."""
    for name, properties in templates.of("AWS::S3::Bucket").items():
        rules = properties.get("BucketEncryption", {}).get("ServerSideEncryptionConfiguration", [])
        by = rules[0].get("ServerSideEncryptionByDefault", {}) if rules else {}
        if by.get("SSEAlgorithm") != "aws:kms" or "TableKey" not in text(by.get("KMSMasterKeyID")):
            yield f"{name}: not encrypted with our key"
        elif rules[0].get("BucketKeyEnabled") is not True:
            yield f"{name}: calls the key for every object"
        if properties.get("VersioningConfiguration", {}).get("Status") != "Enabled":
            yield f"{name}: keeps no versions"
        lifecycle = properties.get("LifecycleConfiguration", {}).get("Rules", [])
        if any(key.startswith("Expiration") for rule in lifecycle for key in rule):
            yield f"{name}: texts expire"
        if not any("NoncurrentVersionExpiration" in rule for rule in lifecycle):
            yield f"{name}: old versions stay for ever"
        if not any("AbortIncompleteMultipartUpload" in rule for rule in lifecycle):
            yield f"{name}: uploads that were given up stay for ever"


def operators_never_decide(templates: Templates) -> Iterator[str]:
    """Operating reaches pauses, names of lists and the freeze mark: no token, member or session, text, wait or other function."""
    for role, statements in templates.roles.items():
        for one in statements if verb_of(role) == "operate" else ():
            extra = {action.partition(":")[0] for action in actions(one)} - OPERATE_SERVICES
            if _asks_resume(one):  # which proposes what takes a call back, and decides nothing
                extra -= {"lambda"}
            if extra:
                yield f"{role}: reaches {sorted(extra)}"
            if beyond := sorted(set(_letters(one)) - OPERATE):
                yield f"{role}: reaches the partitions {beyond}"
            if "F" in _letters(one) and set(actions(one)) != {"dynamodb:GetItem", "dynamodb:PutItem"}:
                yield f"{role}: {actions(one)} on the freeze mark"


def _asks_resume(statement: dict[str, Any]) -> bool:
    named = [re.sub("[0-9A-F]{8}", "", where) for where in resources(statement)]
    return set(actions(statement)) == {"lambda:InvokeFunction"} and named == ["<ResumeFunction.Arn>"]


def only_operators_freeze(templates: Templates) -> Iterator[str]:
    """The mark that holds everything is read by those whom it holds, and read and written by operate."""
    for role, statements in templates.roles.items():
        for one in statements:
            if "F" not in _letters(one) or verb_of(role) == "operate":
                continue
            if set(actions(one)) != {"dynamodb:GetItem"} or verb_of(role) not in HELD:
                yield f"{role}: {actions(one)} on the freeze mark"
    readers = {
        verb_of(role) for role, statements in templates.roles.items() for one in statements if "F" in _letters(one)
    }
    for verb in sorted({*HELD, "operate"} - readers):
        yield f"{verb}: does not see the freeze mark"


def _letters(statement: dict[str, Any]) -> list[str]:
    """The kinds of partitions that a statement names: the letter of ``T#*#P#*``."""
    condition = statement.get("Condition") or {}
    patterns = as_list(condition.get("ForAllValues:StringLike", {}).get("dynamodb:LeadingKeys", []))
    return [pattern.split("#")[2] for pattern in patterns if pattern.count("#") > 1]
