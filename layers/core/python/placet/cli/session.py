"""The one session with which command lines ask AWS: the caller's credentials, in the region that everything else takes too."""

from __future__ import annotations

from typing import Any

from placet.client.aws_setup import aws_setup
from placet.client.errors import ClientError
from placet.client.region import region_of


def session(region: str | None = None) -> Any:
    """A boto3 session in the region of `region_of`. Raises ClientError when nobody says which."""
    import boto3
    import botocore.session

    with aws_setup():
        found = region_of(region, botocore.session.Session())
    if not found:
        raise ClientError(
            "No region is set: name one with AWS_REGION=eu-central-1, or --region where the command has it."
        )
    with aws_setup():
        return boto3.Session(region_name=found)


def client(service: str) -> Any:
    """A client of that session, which gives up within seconds where nobody answers: somebody sits in front of it.

    Raises ClientError when there is none, as where an endpoint is no address or a key is half.
    """
    from botocore.config import Config

    # The table's own port repeats as well, and without a bound botocore asks DynamoDB ten times.
    limits = Config(connect_timeout=5, read_timeout=30, retries={"mode": "standard", "total_max_attempts": 2})
    asked = session()
    with aws_setup():
        made = asked.client(service, config=limits)
        if asked.get_credentials() is None:
            raise ClientError("There are no AWS credentials: this works under your own, AWS_PROFILE=name for example.")
    return made
