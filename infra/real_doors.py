"""The doors that open once as they really stand in an account: what was settled by hand, as docs/deploy.md says, counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infra.deployed import outputs
from infra.findings import Clients
from infra.settings import Settings


def real_doors(clients: Clients, settings: Settings, was: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """What the last deploy asked for, with what is true in its place, and the user pool's id. Raises ClientError.

    cognito-idp:DescribeUserPool, DescribeUserPoolDomain. A domain that was deleted by hand is in nobody's way, and a second factor
    that is demanded by hand is demanded.
    """
    pool = outputs(clients("cloudformation"), "PlacetData")["UserPoolId"]
    factor = clients("cognito-idp").describe_user_pool(UserPoolId=pool)["UserPool"].get("MfaConfiguration")
    prefix = outputs(clients("cloudformation"), "PlacetGateway")["LoginUrl"].partition("://")[2].partition(".")[0]
    account = clients("sts").get_caller_identity()["Account"]
    real = {**was, "require_mfa": factor == "ON"}
    if prefix.endswith(f"-{account}") and prefix != f"{settings.login_domain_prefix}-{account}":
        there = clients("cognito-idp").describe_user_pool_domain(Domain=prefix).get("DomainDescription") or {}
        kept = prefix.removesuffix(f"-{account}") if there.get("UserPoolId") else settings.login_domain_prefix
        real["login_domain_prefix"] = kept
    return real, pool
