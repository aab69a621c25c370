"""Deploys a cloud assembly with boto3 alone, as ``cdk deploy`` would, but for the listed differences."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError

from placet.local.assembly import Stack, read_assembly
from placet.local.assets import make_bucket, upload
from placet.local.differences import DIFFERENCES, When
from placet.local.endpoint import Endpoint
from placet.local.errors import StepFailed
from placet.local.settings import ACCOUNT, REGION, LocalSettings

BUCKET = f"cdk-hnb659fds-assets-{ACCOUNT}-{REGION}"
BOOTSTRAP_PARAMETER = "/cdk-bootstrap/hnb659fds/version"
BOOTSTRAP_VERSION = "28"


@dataclass
class Deployment:
    """What is deployed where, and what the differences may look at."""

    settings: LocalSettings
    stacks: list[Stack]
    aws: Endpoint
    steps: Endpoint
    outputs: dict[str, str] = field(default_factory=dict)

    def deploy(self) -> dict[str, str]:
        """Create or update every stack in order; give the outputs of all; raise StepFailed."""
        self._bootstrap()
        for stack in self.stacks:
            self._differ(stack, "before")
            self._upload(stack)
            stack.outputs = self._create(stack)
            self.outputs |= stack.outputs
            self._differ(stack, "after")
        return self.outputs

    def physical_id(self, stack: Stack, logical_id: str) -> str:
        """The name that CloudFormation gave to one resource."""
        cloudformation = self.aws.client("cloudformation")
        answer = cloudformation.describe_stack_resource(StackName=stack.name, LogicalResourceId=logical_id)
        return str(answer["StackResourceDetail"]["PhysicalResourceId"])

    def _bootstrap(self) -> None:
        """What `cdk bootstrap` leaves in an account and the templates ask for."""
        make_bucket(self.aws.client("s3"), BUCKET)
        self.aws.client("ssm").put_parameter(
            Name=BOOTSTRAP_PARAMETER, Value=BOOTSTRAP_VERSION, Type="String", Overwrite=True
        )

    def _differ(self, stack: Stack, when: When) -> None:
        for difference in DIFFERENCES:
            if difference.when == when:
                difference.apply(self, stack)

    def _upload(self, stack: Stack) -> None:
        s3, cache = self.aws.client("s3"), self.settings.home / "cache" / "assets"
        for asset in stack.assets:
            upload(s3, asset, cache)

    def _create(self, stack: Stack) -> dict[str, str]:
        # By address, not by value: a template in the request may hold 51,200 bytes only, here as on AWS.
        body = json.dumps(stack.template, separators=(",", ":")).encode()
        key = f"{hashlib.sha256(body).hexdigest()}.template.json"
        self.aws.client("s3").put_object(Bucket=BUCKET, Key=key, Body=body)
        cloudformation = self.aws.client("cloudformation")
        request = {
            "StackName": stack.name,
            "TemplateURL": f"{self.settings.endpoint}/{BUCKET}/{key}",
            "Capabilities": ["CAPABILITY_NAMED_IAM"],
        }
        try:
            if self._exists(cloudformation, stack.name):
                cloudformation.update_stack(**request)
            else:
                cloudformation.create_stack(**request)
        except ClientError as error:
            if "No updates are to be performed" not in str(error):
                raise StepFailed(f"{stack.name} was refused: {error}", "Look at the template: make synth") from error
        return self._finished(cloudformation, stack.name)

    def _exists(self, cloudformation: Any, name: str) -> bool:
        try:
            cloudformation.describe_stacks(StackName=name)
        except ClientError:
            return False
        return True

    def _finished(self, cloudformation: Any, name: str, patience: float = 120) -> dict[str, str]:
        end = time.monotonic() + patience
        while True:
            stack = cloudformation.describe_stacks(StackName=name)["Stacks"][0]
            status = stack["StackStatus"]
            if status in {"CREATE_COMPLETE", "UPDATE_COMPLETE"}:
                return {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", [])}
            if not status.endswith("IN_PROGRESS") or status.startswith("ROLLBACK") or time.monotonic() > end:
                raise StepFailed(
                    f"{name} is {status}: {self._reason(cloudformation, name)}", "Look at the template: make synth"
                )
            time.sleep(0.1)

    def _reason(self, cloudformation: Any, name: str) -> str:
        events = cloudformation.describe_stack_events(StackName=name)["StackEvents"]
        failed = [one for one in reversed(events) if "FAILED" in one["ResourceStatus"]]
        reasons = [
            f"{one['LogicalResourceId']} ({one['ResourceType']}): {one.get('ResourceStatusReason')}" for one in failed
        ]
        return "; ".join(reasons[:3]) or "no reason given"


def prepare(settings: LocalSettings) -> Deployment:
    """A deployment of what `make synth` wrote; raise StepFailed when it wrote nothing."""
    aws, steps = Endpoint(settings.endpoint), Endpoint(settings.steps_endpoint)
    return Deployment(settings, read_assembly(settings.assembly), aws, steps)
