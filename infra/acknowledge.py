"""The one way a cdk-nag finding is accepted: at its construct, by its full id, with a reason."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import IConstruct


def acknowledge(construct: IConstruct, rule: str, reason: str) -> None:
    """Accepts ``rule`` (for IAM5 with its bracketed detail) on ``construct`` and what lies below it."""
    cdk.Validations.of(construct).acknowledge(cdk.Acknowledgment(id=rule, reason=reason))


def logical_id(construct: IConstruct) -> str:
    """The CloudFormation id of an L2, as cdk-nag writes it into the details of a finding."""
    resource = construct.node.default_child
    assert isinstance(resource, cdk.CfnElement)  # noqa: S101 - a programming error in infra, found at synth
    return cdk.Stack.of(construct).resolve(resource.logical_id)
