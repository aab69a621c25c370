"""Ways to plant a bug in the synthesized templates."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from infra.checks import Templates
from infra.checks.template import text

Bug = Callable[[Templates], None]
BUCKET, SSE = "AWS::S3::Bucket", "Properties.BucketEncryption.ServerSideEncryptionConfiguration.0"
FUNCTION, MAPPING, TABLE = "AWS::Lambda::Function", "AWS::Lambda::EventSourceMapping", "AWS::DynamoDB::Table"
TRUST = "Properties.AssumeRolePolicyDocument.Statement.0"


def first(templates: Templates, kind: str, begins: str = "") -> tuple[str, dict[str, Any]]:
    found = [name for name, one in templates.resources.items() if one["Type"] == kind and name.startswith(begins)]
    return found[0], templates.resources[found[0]]


def put(kind: str, path: str, value: Any, begins: str = "") -> Bug:
    """Sets a property (a dotted path; None removes it) of the first resource of a type."""

    def bug(templates: Templates) -> None:
        at = first(templates, kind, begins)[1]
        *way, last = path.split(".")
        for step in way:
            at = at[int(step)] if step.isdigit() else at.setdefault(step, {})
        if value is None:
            at.pop(last)
        else:
            at[int(last) if last.isdigit() else last] = value

    return bug


def more(kind: str, **properties: Any) -> Bug:
    """Adds a resource to the gateway."""
    return lambda templates: templates.gateway["Resources"].update(
        Planted={"Type": kind, "Properties": properties, "DeletionPolicy": properties.pop("DeletionPolicy", "Delete")}
    )


def grant(role: str, *actions: str, resource: Any = "arn:x", **condition: Any) -> Bug:
    """Gives a role one statement more."""
    statement = {"Effect": "Allow", "Action": list(actions), "Resource": resource}

    def bug(templates: Templates) -> None:
        policy = first(templates, "AWS::IAM::Policy", role)[1]["Properties"]["PolicyDocument"]
        policy["Statement"].append({**statement, **({"Condition": condition} if condition else {})})

    return bug


def strip(role: str, word: str) -> Bug:
    """Takes every statement with ``word`` in it away from a role."""

    def bug(templates: Templates) -> None:
        policy = first(templates, "AWS::IAM::Policy", role)[1]["Properties"]["PolicyDocument"]
        policy["Statement"] = [one for one in policy["Statement"] if word not in text(one)]

    return bug


def statement(role: str, word: str, change: Callable[[Any], Any]) -> Bug:
    """Changes every statement of a role that has ``word`` in it."""

    def bug(templates: Templates) -> None:
        policy = first(templates, "AWS::IAM::Policy", role)[1]["Properties"]["PolicyDocument"]
        for one in policy["Statement"]:
            if word in text(one):
                change(one)

    return bug


def each_kind_alone(templates: Templates, role: str) -> None:
    """What a role reads by batches, each kind of partition in a statement of its own: each allows its own, none a mixed batch."""
    policy = first(templates, "AWS::IAM::Policy", role)[1]["Properties"]["PolicyDocument"]
    (batch,) = [one for one in policy["Statement"] if "dynamodb:BatchGetItem" in one["Action"]]
    patterns = batch["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
    policy["Statement"].remove(batch)
    policy["Statement"] += [batch | {"Condition": keys(one)} for one in patterns]


def each(kind: str, change: Callable[[Any], Any]) -> Bug:
    """Changes every resource of a type."""

    def bug(templates: Templates) -> None:
        for one in templates.resources.values():
            if one["Type"] == kind:
                change(one)

    return bug


def replace(old: str, new: str, begins: str) -> Bug:
    """Replaces text inside one resource of the gateway."""

    def bug(templates: Templates) -> None:
        name = next(name for name in templates.gateway["Resources"] if name.startswith(begins))
        was = json.dumps(templates.gateway["Resources"][name])
        assert old in was
        templates.gateway["Resources"][name] = json.loads(was.replace(old, new))

    return bug


def keys(*patterns: str) -> dict[str, Any]:
    named = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": list(patterns)}}
    return named | {"Null": {"dynamodb:LeadingKeys": "false"}}
