"""What botocore says of how this process is set up for AWS, as a sentence of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError

from placet.client.errors import ClientError


@contextmanager
def aws_setup() -> Iterator[None]:
    """Around what asks botocore for profile, region, credentials or a client.

    Raises ClientError where it says that one of them is missing, half there or none: it is mended in the caller's environment.
    """
    try:
        yield
    except (BotoCoreError, ValueError) as error:  # an endpoint that is no address is a plain ValueError
        raise ClientError(as_set_up(error)) from error


def as_set_up(error: Exception) -> str:
    """The sentence."""
    return (
        f"AWS cannot be asked as this process is set up: {str(error).rstrip('.')}. "
        "Look at AWS_PROFILE, the credentials, AWS_REGION and AWS_ENDPOINT_URL."
    )
