"""The roles that smoke plays, made under a path and removed, and signed calls of the API."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

from infra.deployed import is_here
from infra.smoke_ground import DENIED, GONE, Ground, SmokeFailed, SmokeSkipped, code_of

PATH = "/placet-smoke/"


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
        status, text, _ = _open(signed.url, method, data, dict(signed.headers.items()))
        return status, _json(text)


def as_reviewer(
    url: str, token: str, method: str, path: str, body: dict[str, Any] | None = None
) -> tuple[int, dict[str, Any]]:
    """Status and JSON of one call under a reviewer's access token."""
    data = json.dumps(body).encode() if body is not None else None
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    status, text, _ = _open(f"{url}{path}", method, data, headers)
    return status, _json(text)


def page(url: str) -> tuple[int, str, str]:
    """Status, text and final address of a page, redirections followed, nobody signed in; a cold start has a second try."""
    try:
        return _open(url, "GET", None, {})
    except TimeoutError:
        return _open(url, "GET", None, {})


def _json(text: str) -> dict[str, Any]:
    try:
        answer = json.loads(text)
    except ValueError:
        return {"text": text[:200]}
    return answer if isinstance(answer, dict) else {"text": text[:200]}


class _Stays(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: urllib would carry token and signature to wherever it points."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _opener(secret: bool) -> urllib.request.OpenerDirector:
    """What opens a request; one with headers carries a secret in them, and its redirection is its answer."""
    return urllib.request.build_opener(*([_Stays] if secret else []))


def _open(url: str, method: str, data: bytes | None, headers: dict[str, str]) -> tuple[int, str, str]:
    if not url.startswith("https://") and not is_here(url):
        raise SmokeFailed(f"{url} is not https")
    request = urllib.request.Request(url, data=data, headers=headers, method=method)  # noqa: S310 - looked at above
    try:
        with _opener(bool(headers)).open(request, timeout=35) as answer:
            return answer.status, answer.read().decode(errors="replace"), answer.geturl()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode(errors="replace"), error.geturl()


def agent_credentials(ground: Ground, roles: Sequence[str], policy: str) -> Credentials:
    """Credentials of an agent's role: the given one; else one of the registry's that is not there yet, made for this run, or that
    the caller may assume. Raises SmokeSkipped when there is none: agents' roles trust agents.
    """
    if ground.role:
        return assume(ground, ground.role, patient=False)
    there = {role: arn for role in roles if (arn := _arn_of(ground, role))}
    for role in roles:
        if role not in there:
            return assume(ground, make_role(ground, role, managed=policy))
    for arn in there.values():
        try:
            return assume(ground, arn, patient=False)
        except SmokeFailed:
            continue
    raise SmokeSkipped(
        f"you may not assume {', '.join(there)}: let your own role into its trust policy, name another with --role, or enter "
        "an agent for smoke into the registry, with a role that nobody made"
    )


def _arn_of(ground: Ground, role: str) -> str:
    try:
        return str(ground.client("iam").get_role(RoleName=role)["Role"]["Arn"])
    except ClientError as error:
        if code_of(error) not in GONE:
            raise
        return ""


def role_like(ground: Ground, verb: str) -> Any:
    """A session with the rights of a function's deployed role: its statements, its boundary, and nothing more."""
    iam, deployed = ground.client("iam"), ground.role_of(verb)
    documents = [
        iam.get_role_policy(RoleName=deployed, PolicyName=name)["PolicyDocument"]
        for name in iam.list_role_policies(RoleName=deployed)["PolicyNames"]
    ]
    if not documents:
        raise SmokeFailed(f"the role {deployed} has no policy of its own")
    boundary = iam.get_role(RoleName=deployed)["Role"].get("PermissionsBoundary", {}).get("PermissionsBoundaryArn")
    arn = make_role(ground, f"placet-smoke-{verb}-{ground.stamp}", documents=documents, boundary=boundary)
    one = assume(ground, arn)
    return ground.assumed(
        aws_access_key_id=one.access_key,
        aws_secret_access_key=one.secret_key,
        aws_session_token=one.token,
        region_name=ground.session.region_name,
    )


def assume(ground: Ground, arn: str, *, patient: bool = True) -> Credentials:
    """Temporary credentials of a role; a new one is not everywhere at once, a given one that refuses will go on refusing."""
    sts, tries = ground.client("sts"), 12 if patient else 1
    for attempt in range(tries):
        try:
            found = sts.assume_role(RoleArn=arn, RoleSessionName="placet-smoke")["Credentials"]
            return Credentials(found["AccessKeyId"], found["SecretAccessKey"], found["SessionToken"])
        except ClientError as error:
            if code_of(error) not in DENIED or attempt == tries - 1:
                raise SmokeFailed(f"{arn} cannot be assumed: {error.response['Error']['Message']}") from None
            ground.sleep(5)
    raise SmokeFailed(f"{arn} cannot be assumed")


def make_role(
    ground: Ground, name: str, *, managed: str = "", documents: list[Any] | None = None, boundary: str | None = None
) -> str:
    """Makes a role that only the caller may assume, and answers its ARN. Raises SmokeFailed when somebody else has the name."""
    iam = ground.client("iam")
    partition, account = ground.caller["Arn"].split(":")[1], ground.caller["Account"]
    if not boundary and ground.settings.permissions_boundary:
        boundary = f"arn:{partition}:iam::{account}:policy/{ground.settings.permissions_boundary}"
    trust = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Action": "sts:AssumeRole",
                "Principal": {"AWS": account},
                "Condition": {"ArnLike": {"aws:PrincipalArn": _principal(ground.caller["Arn"])}},
            }
        ],
    }
    ground.undo.note(f"role {name}", _delete_role, iam, name, ground.stamp)
    try:
        made = iam.create_role(
            RoleName=name,
            Path=PATH,
            AssumeRolePolicyDocument=json.dumps(trust),
            MaxSessionDuration=3600,
            Tags=[{"Key": "placet", "Value": "smoke"}, {"Key": "made", "Value": ground.stamp}],
            **({"PermissionsBoundary": boundary} if boundary else {}),
        )
    except ClientError as error:
        if code_of(error) != "EntityAlreadyExists":
            raise
        raise SmokeFailed(f"role {name} exists already: name it with --role, if you may assume it") from None
    for number, document in enumerate(documents or []):
        iam.put_role_policy(RoleName=name, PolicyName=f"like-{number}", PolicyDocument=json.dumps(document))
    if managed:
        iam.attach_role_policy(RoleName=name, PolicyArn=managed)
    return str(made["Role"]["Arn"])


def _delete_role(iam: Any, name: str, stamp: str) -> None:
    """Deletes a role of this run with all that hangs on it; one of the same name that somebody else made is left alone."""
    tags = {one["Key"]: one["Value"] for one in iam.list_role_tags(RoleName=name)["Tags"]}
    if tags.get("made") != stamp:
        return
    for policy in iam.list_role_policies(RoleName=name)["PolicyNames"]:
        iam.delete_role_policy(RoleName=name, PolicyName=policy)
    for attached in iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"]:
        iam.detach_role_policy(RoleName=name, PolicyArn=attached["PolicyArn"])
    iam.delete_role(RoleName=name)


def _principal(arn: str) -> list[str]:
    """The caller as aws:PrincipalArn shows it: of an assumed role the role, whose path the caller's ARN has lost."""
    if ":assumed-role/" not in arn:
        return [arn]
    partition, account, name = arn.split(":")[1], arn.split(":")[4], arn.split("/")[1]
    return [f"arn:{partition}:iam::{account}:role/{path}{name}" for path in ("", "*/")]
