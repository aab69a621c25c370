"""Deploys a cloud assembly as it was synthesized, with boto3 alone: ``cdk deploy`` would do the same, in more seconds.

What differs here is exchanged inside the emulator, or arranged around a deployment; ``differences.py`` lists all of it.
"""

from __future__ import annotations

import hashlib
import time
from typing import Any

from botocore.exceptions import ClientError

from local import arrangements
from local.assembly import Stack, read_assembly
from local.assets import make_bucket, upload
from local.deployment import Deployment
from local.endpoint import Endpoint
from local.errors import StepFailed
from local.settings import ACCOUNT, REGION, LocalSettings

BUCKET = f"cdk-hnb659fds-assets-{ACCOUNT}-{REGION}"
BOOTSTRAP_PARAMETER = "/cdk-bootstrap/hnb659fds/version"
BOOTSTRAP_VERSION = "28"


def prepare(settings: LocalSettings) -> Deployment:
    """A deployment of what `make synth` wrote; raise StepFailed when it wrote nothing."""
    return Deployment(settings, read_assembly(settings.assembly), Endpoint(settings.endpoint))


def deploy(deployment: Deployment) -> dict[str, str]:
    """Create or update every stack in order; give the outputs of all; raise StepFailed."""
    _bootstrap(deployment.aws)
    arrangements.exchange_layers(deployment)
    for stack in deployment.stacks:
        _upload(deployment, stack)
        stack.outputs = _create(deployment, stack)
        deployment.outputs |= stack.outputs
    arrangements.verify_mail_identity(deployment)
    return deployment.outputs


def _bootstrap(aws: Endpoint) -> None:
    """What `cdk bootstrap` leaves in an account and the templates ask for."""
    make_bucket(aws.client("s3"), BUCKET)
    aws.client("ssm").put_parameter(Name=BOOTSTRAP_PARAMETER, Value=BOOTSTRAP_VERSION, Type="String", Overwrite=True)


def _upload(deployment: Deployment, stack: Stack) -> None:
    s3, cache = deployment.aws.client("s3"), deployment.settings.home / "cache" / "assets"
    for asset in stack.assets:
        upload(s3, asset, cache)


def _create(deployment: Deployment, stack: Stack) -> dict[str, str]:
    # By address, not by value: a template in the request may hold 51,200 bytes only, here as on AWS.
    key = f"{hashlib.sha256(stack.body).hexdigest()}.json"
    deployment.aws.client("s3").put_object(Bucket=BUCKET, Key=key, Body=stack.body)
    cloudformation = deployment.aws.client("cloudformation")
    request = {
        "StackName": stack.name,
        "TemplateURL": f"{deployment.settings.endpoint}/{BUCKET}/{key}",
        "Capabilities": ["CAPABILITY_NAMED_IAM"],
    }
    try:
        if _exists(cloudformation, stack.name):
            cloudformation.update_stack(**request)
        else:
            cloudformation.create_stack(**request)
    except ClientError as error:
        if "No updates are to be performed" not in str(error):
            raise StepFailed(f"{stack.name} was refused: {error}", "Look at the template: make synth") from error
    return _finished(cloudformation, stack.name)


def _exists(cloudformation: Any, name: str) -> bool:
    try:
        cloudformation.describe_stacks(StackName=name)
    except ClientError:
        return False
    return True


def _finished(cloudformation: Any, name: str, patience: float = 120) -> dict[str, str]:
    end = time.monotonic() + patience
    while True:
        stack = cloudformation.describe_stacks(StackName=name)["Stacks"][0]
        status = stack["StackStatus"]
        if status in {"CREATE_COMPLETE", "UPDATE_COMPLETE"}:
            return {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", [])}
        if not status.endswith("IN_PROGRESS") or status.startswith("ROLLBACK") or time.monotonic() > end:
            raise StepFailed(f"{name} is {status}: {_reason(cloudformation, name)}", "Look at the template: make synth")
        time.sleep(0.1)


def _reason(cloudformation: Any, name: str) -> str:
    pages = cloudformation.get_paginator("describe_stack_events").paginate(StackName=name)
    events = [event for page in pages for event in page["StackEvents"]]
    failed = [one for one in reversed(events) if "FAILED" in one["ResourceStatus"]]
    reasons = [
        f"{one['LogicalResourceId']} ({one['ResourceType']}): {one.get('ResourceStatusReason')}" for one in failed
    ]
    return "; ".join(reasons[:3]) or "no reason given"
