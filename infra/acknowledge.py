"""The one way a cdk-nag finding is accepted: at its construct, by its full id, with a reason."""

from __future__ import annotations

from typing import Any, cast

import aws_cdk as cdk
from constructs import IConstruct


def acknowledge(construct: IConstruct, rule: str, reason: str) -> None:
    """Accepts ``rule`` (for IAM5 with its bracketed detail) on ``construct`` and what lies below it."""
    cdk.Validations.of(construct).acknowledge(cdk.Acknowledgment(id=rule, reason=reason))


def logical_id(construct: IConstruct) -> str:
    """The CloudFormation id of an L2, as cdk-nag writes it into the details of a finding."""
    resource = cast(cdk.CfnElement, construct.node.default_child)
    return str(cdk.Stack.of(construct).resolve(resource.logical_id))


def resource_text(construct: IConstruct, arn: str) -> str:
    """An ARN as cdk-nag prints it in a finding: joined, references as ``<Id>`` and ``<Id.Attribute>``."""
    return _flat(cdk.Stack.of(construct).resolve(arn))


def _flat(value: Any) -> str:
    if isinstance(value, str):
        return value
    if "Fn::Join" in value:
        return "".join(_flat(part) for part in value["Fn::Join"][1])
    return f"<{value['Ref']}>" if "Ref" in value else f"<{'.'.join(value['Fn::GetAtt'])}>"
