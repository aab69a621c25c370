"""Who the CDK command line is: the credentials and the region that were shown, and never a choice of its own.

Left alone, it chooses otherwise than boto3 does: AWS_PROFILE before AWS_DEFAULT_PROFILE, and before both of them ``--profile``,
CDK_PROFILE and the profile of ``~/.cdk.json``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import botocore.session
from botocore.exceptions import NoCredentialsError, ProfileNotFound

from infra.deployed import is_here

# Variables that say who and where, or stand for an option of CDK that does (every CDK_… is one), and those of CDK's old names.
_CHOOSES = re.compile(
    r"(?:CDK|AMAZON)_\w*|AWS_(?:(?:DEFAULT_)?(?:PROFILE|REGION)|ACCESS_KEY_ID|SECRET_ACCESS_KEY|(?:SESSION|SECURITY)_TOKEN"
    r"|CREDENTIAL_EXPIRATION|ROLE_ARN|ROLE_SESSION_NAME|WEB_IDENTITY_TOKEN_FILE|CONTAINER_(?:CREDENTIALS|AUTHORIZATION)_\w+)",
    re.IGNORECASE,
)
_SAY = {"profile": "AWS_PROFILE=NAME", "region": "AWS_REGION=NAME, or --region before the two dashes"}


@dataclass(frozen=True)
class Caller:
    """Credentials that stay as they are, and what AWS says of them. Equal are two of one account, region and identity."""

    account: str
    region: str
    arn: str
    keys: Mapping[str, str] = field(compare=False, repr=False)
    trusted: Mapping[str, str] = field(compare=False)
    is_local: bool = field(default=False, compare=False)  # whether an emulator on this machine answered

    @property
    def where(self) -> str:
        return f"account {self.account}, region {self.region}"

    @property
    def installation(self) -> str:
        """As the lock names it: one account and region has one."""
        return f"{self.account}/{self.region}"

    @property
    def arguments(self) -> tuple[str, ...]:
        """Words that outweigh ``~/.cdk.json``: no profile, this region."""
        return ("--profile=", "--region", self.region)

    def environment(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The given one, in which nothing but these credentials says who and where."""
        return {
            **self.trusted,
            **unchosen(environ),
            **self.keys,
            "AWS_REGION": self.region,
            "AWS_DEFAULT_REGION": self.region,
        }


def caller(session: Any) -> Caller:
    """Who a session is now. Raises BotoCoreError without credentials, and ClientError when AWS does not know them."""
    found = session.get_credentials()
    if found is None:
        raise NoCredentialsError()
    one = found.get_frozen_credentials()
    sts = session.client(
        "sts",
        aws_access_key_id=one.access_key,
        aws_secret_access_key=one.secret_key,
        aws_session_token=one.token,
    )
    identity = sts.get_caller_identity()
    keys = {"AWS_ACCESS_KEY_ID": one.access_key, "AWS_SECRET_ACCESS_KEY": one.secret_key}
    keys |= {"AWS_SESSION_TOKEN": one.token} if one.token else {}
    local = is_here(sts.meta.endpoint_url)
    return Caller(identity["Account"], session.region_name, identity["Arn"], keys, _trusted(session), local)


def _trusted(session: Any) -> dict[str, str]:
    """The authorities that the session's profile trusts, which CDK would read there, and has no profile any more."""
    try:
        found = botocore.session.Session(profile=session.profile_name).get_config_variable("ca_bundle")
    except (
        ProfileNotFound
    ):  # boto3 says "default" where nobody has chosen a profile, and there may be none of that name
        return {}
    return {"AWS_CA_BUNDLE": str(found)} if found else {}


def unchosen(environ: Mapping[str, str]) -> dict[str, str]:
    """An environment without what chooses who and where."""
    return {name: value for name, value in environ.items() if not _CHOOSES.fullmatch(name)}


def chosen_otherwise(words: Iterable[str]) -> str:
    """A sentence when arguments for CDK choose who or where, which would be somebody else than was shown; else nothing."""
    for word in words:
        name = word.partition("=")[0].removeprefix("--no-").lstrip("-")
        if word.startswith("-") and name in _SAY:
            return f"{word.partition('=')[0]} would have CDK ask another account or region than is shown here: say {_SAY[name]}"
    return ""
