"""boto3 clients for the local AWS; nothing of the user's own AWS configuration reaches them."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import boto3
import botocore.session
from botocore.config import Config

from local.emulator.keys import open_as
from local.emulator.signatures import Key
from local.roots import root_at
from local.settings import REGION

CONFIG = Config(retries={"max_attempts": 2}, connect_timeout=5, read_timeout=60)


@dataclass(frozen=True)
class Endpoint:
    """One address that speaks the AWS API."""

    url: str

    @property
    def root(self) -> Key:
        """The account's root in the start that is here now: deploys and seeds, never serves."""
        return root_at(self.url)

    def client(self, service: str, credentials: Key | None = None) -> Any:
        """A client of this service here, root's by itself, whatever profile or endpoint the user's environment names."""
        return _client(self.url, service, credentials or self.root)

    def open(self, path: str, body: bytes | None = None) -> bytes:
        """What a page of the emulator itself, which is no AWS service, answers to root."""
        return open_as(root_at(self.url), f"{self.url}{path}", body)

    def assume(self, role_arn: str, name: str) -> Key:
        """Temporary credentials of a role, as STS gives them to its users."""
        answer = self.client("sts").assume_role(RoleArn=role_arn, RoleSessionName=name)["Credentials"]
        return Key(answer["AccessKeyId"], answer["SecretAccessKey"], answer["SessionToken"])


@functools.lru_cache(maxsize=128)
def _client(url: str, service: str, credentials: Key) -> Any:
    return _session().client(
        service,
        region_name=REGION,
        endpoint_url=url,
        aws_access_key_id=credentials.id,
        aws_secret_access_key=credentials.secret,
        aws_session_token=credentials.token,
        config=CONFIG,
    )


@functools.cache
def _session() -> boto3.Session:
    """A session that reads neither AWS_PROFILE nor configuration files: they may name a profile or endpoint that is not ours."""
    nowhere = (None, None, "/dev/null", None)
    core = botocore.session.Session(
        {"profile": (None, None, None, None), "config_file": nowhere, "credentials_file": nowhere}
    )
    return boto3.Session(botocore_session=core)
