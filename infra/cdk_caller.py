"""Who the CDK command line is: the credentials and the region that were shown, and never a choice of its own.

Left alone, it chooses otherwise than boto3 does: AWS_PROFILE before AWS_DEFAULT_PROFILE, and before both of them ``--profile``,
CDK_PROFILE and the profile of ``~/.cdk.json``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import botocore.session
from botocore.exceptions import NoCredentialsError, ProfileNotFound

from infra import cdk_endpoints, lasting
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
    reach: Mapping[str, str] = field(compare=False)  # what says how AWS is reached, of a profile that CDK does not get
    is_local: bool = field(default=False, compare=False)  # whether an emulator on this machine answered
    ends: datetime | None = field(default=None, compare=False)  # when the keys do, as far as boto3 knows

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

    def told(self, environ: Mapping[str, str]) -> Iterator[str]:
        """What has to be known of the keys before CDK gets them, and where it asks if not at AWS: a sentence each."""
        is_temporary = "AWS_SESSION_TOKEN" in self.keys
        if said := lasting.told(self.ends, datetime.now(UTC), is_temporary=is_temporary):
            yield said
        yield from cdk_endpoints.told(self.environment(environ))

    @property
    def ends_soon(self) -> bool:
        return lasting.is_short(self.ends, datetime.now(UTC))

    def environment(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The given one, in which nothing but these credentials says who and where."""
        return {
            **self.reach,
            **unchosen(environ),
            **{name: value for name, value in self.reach.items() if name == cdk_endpoints.IGNORED},
            **self.keys,
            "AWS_REGION": self.region,
            "AWS_DEFAULT_REGION": self.region,
        }


def caller(session: Any) -> Caller:
    """Who a session is now.

    Raises BotoCoreError without credentials, ClientError when AWS does not know them, and NotSaid when CDK cannot be told where.
    """
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
    ends = getattr(found, "_expiry_time", None)  # botocore has no other word for it, and none before they were fetched
    return Caller(identity["Account"], session.region_name, identity["Arn"], keys, _reach(session), local, ends)


def _reach(session: Any) -> dict[str, str]:
    """The authorities that the session's profile trusts, and where it asks: CDK would read them there, and has no profile."""
    profile = botocore.session.Session(profile=session.profile_name)
    try:
        profile.get_scoped_config()
    except (
        ProfileNotFound
    ):  # boto3 says "default" where nobody has chosen a profile, and there may be none of that name
        profile = botocore.session.Session()
    authorities = profile.get_config_variable("ca_bundle")
    found = {"AWS_CA_BUNDLE": str(authorities)} if authorities else {}
    return found | cdk_endpoints.endpoints(profile, os.environ)


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
