"""The agent that smoke plays: a role with a path, made and removed, and signed calls of the API."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import boto3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError


class SmokeFailed(Exception):
    """A step did not hold; the message says what was seen."""


class Gateway:
    """The API, called as an agent."""

    def __init__(self, url: str, credentials: Credentials, region: str) -> None:
        self._url, self._auth = url.rstrip("/"), SigV4Auth(credentials, "execute-api", region)

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        """Status and JSON of one signed call."""
        data = json.dumps(body).encode() if body is not None else None
        headers = {"content-type": "application/json"}
        signed = AWSRequest(method=method, url=f"{self._url}{path}", data=data, headers=headers)
        self._auth.add_auth(signed)
        status, text = _open(signed.url, method, data, dict(signed.headers.items()))
        try:
            answer = json.loads(text)
        except ValueError:
            answer = {"text": text[:200]}
        return status, answer


def page(url: str) -> tuple[int, str]:
    """Status and text of a page, redirections followed, nobody signed in."""
    return _open(url, "GET", None, {})


def _open(url: str, method: str, data: bytes | None, headers: dict[str, str]) -> tuple[int, str]:
    if not url.startswith("https://"):
        raise SmokeFailed(f"{url} is not https")
    request = urllib.request.Request(url, data=data, headers=headers, method=method)  # noqa: S310 - https, looked at above
    try:
        with urllib.request.urlopen(request, timeout=35) as answer:  # noqa: S310 - https, looked at above
            return answer.status, answer.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(errors="replace")


def agent_credentials(
    session: boto3.Session, role: str, policy: str, given: str | None, undo: ExitStack, sleep: Callable[[float], None]
) -> Credentials:
    """Credentials of an agent's role: the given one, else one of the registry's name made under a path and removed."""
    sts = session.client("sts")
    arn = given or _make_role(session, role, policy, undo, sts.get_caller_identity())
    for attempt in range(12):
        try:
            found = sts.assume_role(RoleArn=arn, RoleSessionName="placet-smoke")["Credentials"]
            sleep(5)  # API Gateway learns of a new role a little later than STS
            return Credentials(found["AccessKeyId"], found["SecretAccessKey"], found["SessionToken"])
        except ClientError as error:
            # A new role is not everywhere at once; a given one that refuses will go on refusing.
            if given or error.response["Error"]["Code"] != "AccessDenied" or attempt == 11:
                raise SmokeFailed(f"{arn} cannot be assumed: {error.response['Error']['Message']}") from None
            sleep(5)
    raise SmokeFailed(f"{arn} cannot be assumed")


def _make_role(session: boto3.Session, role: str, policy: str, undo: ExitStack, caller: dict[str, Any]) -> str:
    iam = session.client("iam")
    trust = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Action": "sts:AssumeRole",
                "Principal": {"AWS": caller["Account"]},
                "Condition": {"ArnLike": {"aws:PrincipalArn": _principal(caller["Arn"])}},
            }
        ],
    }
    try:
        made = iam.create_role(
            RoleName=role,
            Path="/placet-smoke/",
            AssumeRolePolicyDocument=json.dumps(trust),
            MaxSessionDuration=3600,
            Tags=[{"Key": "placet", "Value": "smoke"}, {"Key": "made", "Value": str(int(time.time()))}],
        )
    except ClientError as error:
        if error.response["Error"]["Code"] != "EntityAlreadyExists":
            raise
        raise SmokeFailed(f"role {role} exists already: name it with --role, if you may assume it") from None
    undo.callback(iam.delete_role, RoleName=role)
    iam.attach_role_policy(RoleName=role, PolicyArn=policy)
    undo.callback(iam.detach_role_policy, RoleName=role, PolicyArn=policy)  # last in, first out
    return str(made["Role"]["Arn"])


def _principal(arn: str) -> list[str]:
    """The caller as aws:PrincipalArn shows it: of an assumed role the role, whose path the caller's ARN has lost."""
    if ":assumed-role/" not in arn:
        return [arn]
    partition, account, name = arn.split(":")[1], arn.split(":")[4], arn.split("/")[1]
    return [f"arn:{partition}:iam::{account}:role/{path}{name}" for path in ("", "*/")]
