"""``make doctor``: is this AWS account ready for a first deploy? Asks, and changes nothing.

    python -m infra.doctor [--region REGION] [--only SUBJECT]

Written from AWS's documents and tried against fakes and a local emulator; it has not yet run in a real account.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from infra.deployed import NotSaid, deployed_settings, is_here, session_in
from infra.doctor_lists import lists, reviewers
from infra.doctor_outside import boundary, pool, providers
from infra.doctor_stacks import attached, names, one_way, references, resource, stack_states
from infra.doctor_table import table
from infra.doctor_targets import agents, bedrock, operators, queues, secrets
from infra.doctor_telling import mailboxes, sinks
from infra.findings import Clients, Finding, Probe
from infra.settings import Settings, SettingsError

BOOTSTRAP = "/cdk-bootstrap/hnb659fds/version"
BOOTSTRAP_BY = ".venv/bin/python -m infra.cdk bootstrap --app cdk.out"
MUST_STAY = 100  # of an account's executions, which Lambda lets nobody reserve
ADVISED = ("decide", "dispatch", "notify", "resume")  # what people and agents wait for


def identity(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """sts:GetCallerIdentity: which account, and as whom."""
    caller = clients("sts").get_caller_identity()
    yield Finding("ok", "identity", f"account {caller['Account']} as {caller['Arn']}")
    if caller["Arn"].endswith(":root"):
        yield Finding("look", "identity", "these are the root user's credentials", "use a role")


def bootstrap(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """ssm:GetParameter: CDK's own stack, per account and region; our templates ask for version 6."""
    try:
        version = int(clients("ssm").get_parameter(Name=BOOTSTRAP)["Parameter"]["Value"])
    except ClientError as error:
        if error.response["Error"]["Code"] != "ParameterNotFound":
            raise
        yield Finding("stop", "bootstrap", "CDK is not bootstrapped in this region", BOOTSTRAP_BY)
        return
    level, way_out = ("ok", "") if version >= 6 else ("stop", BOOTSTRAP_BY)
    yield Finding(level, "bootstrap", f"version {version}; 6 is needed", way_out)


def concurrency(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """lambda:GetAccountSettings: a new account runs ten functions at once and lets none be reserved."""
    limit = clients("lambda").get_account_settings()["AccountLimit"]
    total, free = limit["ConcurrentExecutions"], limit["UnreservedConcurrentExecutions"]
    way_out = "ask Service Quotas for 1,000 before people depend on it" if total < 1000 else ""
    yield Finding("look" if way_out else "ok", "concurrency", f"{total} executions at once, {free} unreserved", way_out)
    # What the deployed functions have reserved is ours to give out again.
    free += sum(_reserved(clients, verb) for verb in settings.reserved_concurrency)
    wanted = sum(settings.reserved_concurrency.values())
    if wanted and free - wanted < MUST_STAY:
        sentence = f"reserved_concurrency takes {wanted} of {free}, and {MUST_STAY} must stay unreserved"
        yield Finding("stop", "concurrency", sentence, f"reserve {max(0, free - MUST_STAY)} at most, or leave it empty")
    elif not wanted:
        yield _advice(free)


def _advice(free: int) -> Finding:
    """What this account could reserve, so that its other functions never take the last executions from decisions."""
    share = min(20, (free - MUST_STAY) // len(ADVISED))
    if share < 5:
        return Finding("ok", "concurrency", "too few to reserve any: leave reserved_concurrency empty")
    said = ", ".join(f"{verb} = {share}" for verb in ADVISED)
    sentence = (
        f"{free - MUST_STAY} may be reserved; if other functions here get busy: reserved_concurrency = {{ {said} }}"
    )
    return Finding("ok", "concurrency", sentence)


def _reserved(clients: Clients, verb: str) -> int:
    """How many executions the deployed function of a verb has for itself."""
    function = resource(
        clients, "AWS::Lambda::Function", "".join(word.title() for word in verb.split("_")) + "Function"
    )
    if not function:
        return 0
    return int(clients("lambda").get_function_concurrency(FunctionName=function).get("ReservedConcurrentExecutions", 0))


def mail(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """ses:GetAccount, ses:GetEmailIdentity: may we send, to whom, how many."""
    ses = clients("sesv2")
    account = ses.get_account()
    quota = account.get("SendQuota", {})
    figures = f"{quota.get('Max24HourSend', 0):.0f} a day, {quota.get('MaxSendRate', 0):.0f} a second"
    if not account.get("SendingEnabled", True):
        yield Finding("stop", "mail", "SES has paused this account's sending", "see the SES console")
    if account.get("ProductionAccessEnabled"):
        yield Finding("ok", "mail", f"SES is out of its sandbox: {figures}")
    else:
        way_out = "set mail_sandbox, verify each reviewer, or ask for production access; the inbox works without mail"
        yield Finding("look", "mail", f"SES is in its sandbox: verified recipients only, {figures}", way_out)
    sender = settings.mail_from
    verified = next((name for name in settings.mail_identities if _verified(ses, name)), "")
    if verified:
        yield Finding("ok", "mail", f"{verified} is verified for {sender}")
    else:
        sentence = f"{sender} cannot send: neither it nor its domain, nor a parent of that, is verified"
        yield Finding("look", "mail", sentence, "verify one in SES")


def _verified(ses: Any, name: str) -> bool:
    try:
        return bool(ses.get_email_identity(EmailIdentity=name)["VerifiedForSendingStatus"])
    except ClientError as error:
        if error.response["Error"]["Code"] == "NotFoundException":
            return False
        raise


def login(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """cognito-idp:DescribeUserPoolDomain: is the login page's name free, as far as this account can see."""
    domain = f"{settings.login_domain_prefix}-{clients('sts').get_caller_identity()['Account']}"
    found = clients("cognito-idp").describe_user_pool_domain(Domain=domain).get("DomainDescription") or {}
    if not found.get("UserPoolId"):
        yield Finding("ok", "login", f"{domain} is not used in this account (another account's use cannot be seen)")
    elif "PlacetGateway" in stack_states(clients):
        yield Finding("ok", "login", f"{domain} belongs to pool {found['UserPoolId']}")
    else:
        yield Finding("stop", "login", f"{domain} belongs to pool {found['UserPoolId']}", "change login_domain_prefix")


def logs(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """logs:DescribeResourcePolicies: a full one rolls a stack back; our groups avoid it, others' may not have."""
    policies = clients("logs").describe_resource_policies()["resourcePolicies"]
    size = max((len(one["policyDocument"]) for one in policies), default=0)
    crowded = len(policies) >= 9 or size > 4500
    yield Finding(
        "look" if crowded else "ok",
        "logs",
        f"{len(policies)} of 10 resource policies, the largest has {size} of 5,120 characters",
        "remove entries of stacks that are gone" if crowded else "",
    )


def quotas(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """servicequotas:ListServiceQuotas: what limits a busy installation first. Figures only; asking is the owner's."""
    if is_here(clients("service-quotas").meta.endpoint_url):
        yield Finding("ok", "quotas", "not asked: this is an emulator, and only an account has them")
        return
    for service, words in (("states", ("open executions", "StartExecution")), ("scheduler", ("schedules",))):
        pages = clients("service-quotas").get_paginator("list_service_quotas").paginate(ServiceCode=service)
        for quota in (one for page in pages for one in page["Quotas"]):
            if any(word.lower() in quota["QuotaName"].lower() for word in words):
                yield Finding("ok", "quotas", f"{service}: {quota['QuotaName']} is {quota['Value']:.0f}")


PROBES: tuple[Probe, ...] = (
    *(identity, bootstrap, concurrency, mail, login, logs, names, quotas),
    *(agents, queues, secrets, bedrock, operators),
    *(boundary, pool, providers),
    *(one_way, references, table, attached),
    *(lists, reviewers, mailboxes, sinks),
)

# What ends a create half-way is known before it begins.
BEFOREHAND: tuple[Probe, ...] = (
    *(bootstrap, names, table, login, concurrency),
    *(agents, operators, boundary, pool, providers),
)


def examine(clients: Clients, settings: Settings, probes: Iterable[Probe] = PROBES) -> Iterator[Finding]:
    """Every probe's findings; one that may not ask, or cannot, is a finding itself."""
    for probe in probes:
        rights = (probe.__doc__ or "").partition(":")[0] if ":" in (probe.__doc__ or "") else ""
        try:
            yield from probe(clients, settings)
        except ClientError as error:
            code = error.response["Error"]["Code"]
            yield Finding(
                "look", probe.__name__, f"could not be asked: {code}", rights and f"needs rights like {rights}:…"
            )
        except BotoCoreError as error:
            yield Finding(
                "stop", probe.__name__, f"could not be asked: {error}", "check credentials, region and network"
            )
            return


def main() -> int:
    """Prints one line per finding; 1 when something will not deploy."""
    parser = argparse.ArgumentParser(prog="python -m infra.doctor", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--region", help="default: AWS_REGION, AWS_DEFAULT_REGION, or that of your profile")
    parser.add_argument(
        "--only", metavar="SUBJECT", choices=[one.__name__ for one in PROBES], help="one of its questions"
    )
    options = parser.parse_args()
    try:
        session, settings = session_in(options.region), deployed_settings()
    except (NotSaid, SettingsError) as error:
        print("".join(f"doctor: {line}\n" for line in str(error).splitlines()), end="", file=sys.stderr)
        return 1
    print(f"doctor: region {session.region_name}; asks only, changes nothing")
    found = []
    asked = [one for one in PROBES if options.only in (None, one.__name__)]
    for finding in examine(session.client, settings, asked):
        print(finding, flush=True)
        found.append(finding)
    stops, looks = (sum(one.level == level for one in found) for level in ("stop", "look"))
    print(f"doctor: stop={stops} look={looks} ok={len(found) - stops - looks}")
    return 1 if stops else 0


if __name__ == "__main__":
    sys.exit(main())
