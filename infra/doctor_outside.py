"""The doctor's questions about what settings name and no stack of ours makes: each would end a first create half-way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from botocore.exceptions import ClientError

from infra.deployed import outputs
from infra.doctor_stacks import stack_states
from infra.findings import Clients, Finding
from infra.settings import Settings


def boundary(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """iam:GetPolicy: is there the managed policy that every role of ours must carry?"""
    name = settings.permissions_boundary
    if not name:
        return
    caller = clients("sts").get_caller_identity()
    arn = f"arn:{caller['Arn'].split(':')[1]}:iam::{caller['Account']}:policy/{name}"
    if _is_there(lambda: clients("iam").get_policy(PolicyArn=arn), "NoSuchEntity"):
        yield Finding("ok", "boundary", f"every role of ours carries {arn}")
    else:
        yield Finding(
            "stop", "boundary", f"there is no policy {arn}", "create it, or correct permissions_boundary in placet.toml"
        )


def pool(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """ses:GetEmailIdentity, lambda:GetFunctionConfiguration: may the user pool send, and is the function there that it asks?"""
    if name := settings.pool_mail_identity:
        identity = _identity(clients, name)
        verify = f"aws sesv2 create-email-identity --email-identity {name} --region {clients('sesv2').meta.region_name}"
        if identity.get("VerifiedForSendingStatus"):
            yield Finding("ok", "pool", f"{name} is verified: invitations and codes come from {settings.mail_from}")
        elif identity:
            sentence = f"pool_mail_identity: SES knows {name}, which is not verified yet; no user pool is made with it"
            yield Finding("stop", "pool", sentence, "do what SES asks for (mail or DNS), or leave it empty at first")
        else:
            sentence = f"pool_mail_identity: {name} is not verified in SES here; no user pool is made with it"
            yield Finding("stop", "pool", sentence, "verify it, or leave it empty at first:", (verify,))
    if name := settings.groups_function:
        function = clients("lambda")
        if _is_there(lambda: function.get_function_configuration(FunctionName=name), "ResourceNotFoundException"):
            yield Finding("ok", "pool", f"the pool asks {name} for the groups of who signs in")
        else:
            sentence = f"groups_function: there is no function {name}, and nobody could sign in without its answer"
            yield Finding("stop", "pool", sentence, "create it, or leave groups_function empty at first")


def providers(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """cognito-idp:ListIdentityProviders: has the pool the providers that people sign in with?"""
    if not settings.identity_providers:
        return
    named = ", ".join(settings.identity_providers)
    if "PlacetData" not in stack_states(clients):
        sentence = f"identity_providers: {named} would be of the user pool, which the first deploy makes"
        yield Finding(
            "stop", "providers", sentence, "deploy without the setting, make them in that pool, and deploy once more"
        )
        return
    user_pool = outputs(clients("cloudformation"), "PlacetData")["UserPoolId"]
    pages = clients("cognito-idp").get_paginator("list_identity_providers").paginate(UserPoolId=user_pool)
    there = {one["ProviderName"] for page in pages for one in page["Providers"]}
    for name in settings.identity_providers:
        if name in there:
            yield Finding("ok", "providers", f"people may sign in with {name}")
        else:
            sentence = f"identity_providers: the pool {user_pool} has no provider {name}"
            way_out = f"it has {', '.join(sorted(there))}" if there else "make it in that pool first"
            yield Finding("stop", "providers", sentence, way_out)


def _identity(clients: Clients, name: str) -> dict[str, Any]:
    try:
        return dict(clients("sesv2").get_email_identity(EmailIdentity=name))
    except ClientError as error:
        if error.response["Error"]["Code"] != "NotFoundException":
            raise
        return {}


def _is_there(ask: Any, code: str) -> bool:
    try:
        ask()
    except ClientError as error:
        if error.response["Error"]["Code"] != code:
            raise
        return False
    return True
