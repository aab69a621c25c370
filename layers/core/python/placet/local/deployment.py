"""What is deployed, and where: what the differences may look at."""

from __future__ import annotations

from dataclasses import dataclass, field

from placet.local.assembly import Stack
from placet.local.endpoint import Endpoint
from placet.local.settings import LocalSettings


@dataclass
class Deployment:
    """The stacks of a cloud assembly in the order of their deployment, with where they go.

    Attributes:
        outputs: of all stacks that are deployed by now.
    """

    settings: LocalSettings
    stacks: list[Stack]
    aws: Endpoint
    steps: Endpoint
    outputs: dict[str, str] = field(default_factory=dict)

    def physical_id(self, stack: Stack, logical_id: str) -> str:
        """The name that CloudFormation gave to one resource."""
        cloudformation = self.aws.client("cloudformation")
        answer = cloudformation.describe_stack_resource(StackName=stack.name, LogicalResourceId=logical_id)
        return str(answer["StackResourceDetail"]["PhysicalResourceId"])
