"""What settings name and no stack of ours makes is asked for before a create that would end half-way on it."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from infra import deploy, doctor
from infra.settings import Settings
from tests.infra.aws_double import Account
from tests.infra.test_doctor import READY

BASE: dict[str, Any] = {
    "mail_from": "placet@acme.test",
    "login_domain_prefix": "placet",
    "operators": ["olga"],
    "agents": [
        {
            "name": "desk",
            "role": "desk",
            "owner": "o@acme.test",
            "framework": "langchain",
            "target": {"kind": "pick_up"},
        }
    ],
}
STACK = {"StackName": "PlacetData", "CreationTime": "2026-12-01", "StackStatus": "CREATE_COMPLETE"}
THERE = {"Stacks": [{**STACK, "Outputs": [{"OutputKey": "UserPoolId", "OutputValue": "eu-central-1_pool"}]}]}


def data_only(asked: dict[str, Any]) -> Any:
    return THERE if asked["StackName"] == "PlacetData" else no_stack()


def no_stack() -> Any:
    raise ClientError({"Error": {"Code": "ValidationError", "Message": "does not exist"}}, "DescribeStacks")


def of(*names: str) -> dict[str, Any]:
    return {"Providers": [{"ProviderName": name, "ProviderType": "SAML"} for name in names]}


STOPS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (
        {"attach_to_roles": True},
        {"iam.GetRole": "NoSuchEntity"},
        "desk: there is no role desk, to which attach_to_roles attaches",
    ),
    ({"attach_to_roles": True}, {"iam.GetRole": "NoSuchEntity"}, "operator: there is no role olga, to which"),
    (
        {"permissions_boundary": "Edge"},
        {"iam.GetPolicy": "NoSuchEntity"},
        "there is no policy arn:aws:iam::123456789012:policy/Edge",
    ),
    (
        {"pool_mail_identity": "acme.test"},
        {"sesv2.GetEmailIdentity": "NotFoundException"},
        "acme.test is not verified in SES here",
    ),
    (
        {"pool_mail_identity": "acme.test"},
        {"sesv2.GetEmailIdentity": {"VerifiedForSendingStatus": False, "IdentityType": "DOMAIN"}},
        "SES knows acme.test, which is not verified yet",
    ),
    (
        {"groups_function": "groups-of"},
        {"lambda.GetFunctionConfiguration": "ResourceNotFoundException"},
        "there is no function groups-of",
    ),
    (
        {"identity_providers": ["Corp"]},
        {},
        "Corp would be of the user pool, which the first deploy makes",
    ),
    (
        {"identity_providers": ["Corp"]},
        {"cloudformation.DescribeStacks": data_only, "cognito-idp.ListIdentityProviders": of("Other")},
        "the pool eu-central-1_pool has no provider Corp → it has Other",
    ),
    (
        {"reserved_concurrency": {"decide": 5}},
        {
            "lambda.GetAccountSettings": {
                "AccountLimit": {"ConcurrentExecutions": 50, "UnreservedConcurrentExecutions": 50}
            }
        },
        "reserved_concurrency takes 5 of 50, and 100 must stay unreserved",
    ),
]


def account(answers: dict[str, Any]) -> Account:
    return Account({**READY, **answers})


@pytest.mark.parametrize(("more", "answers", "says"), STOPS)
def test_what_would_end_a_create_half_way_stops_the_doctor_and_the_deploy(
    more: dict[str, Any], answers: dict[str, Any], says: str
) -> None:
    aws, settings = account(answers), Settings.of({**BASE, **more})
    stops = [str(one) for one in doctor.examine(aws.client, settings) if one.level == "stop"]
    assert any(says in line for line in stops), stops
    assert any(says in line for line in deploy._in_the_way(aws.client, settings))


def test_with_all_of_it_there_nothing_is_in_the_way() -> None:
    policy = {"Arn": "arn:aws:iam::123456789012:policy/Edge", "PolicyName": "Edge"}
    aws = account(
        {
            "iam.GetPolicy": {"Policy": policy},
            "sesv2.GetEmailIdentity": {"VerifiedForSendingStatus": True},
            "lambda.GetFunctionConfiguration": lambda asked: (
                {} if asked["FunctionName"] == "groups-of" else no_function()
            ),
            "cognito-idp.ListIdentityProviders": of("Corp", "Other"),
            "cloudformation.DescribeStacks": data_only,
        }
    )
    settings = Settings.of(
        {
            **BASE,
            "attach_to_roles": True,
            "permissions_boundary": "Edge",
            "pool_mail_identity": "acme.test",
            "groups_function": "groups-of",
            "identity_providers": ["Corp"],
            "reserved_concurrency": {"decide": 5},
        }
    )
    probes = [doctor.agents, doctor.boundary, doctor.pool, doctor.providers, doctor.concurrency]
    found = list(doctor.examine(aws.client, settings, probes))
    assert [str(one) for one in found if one.level != "ok"] == []
    assert {one.subject for one in found} == {"agents", "boundary", "pool", "providers", "concurrency"}
    assert any("the deploy attaches the policy" in one.sentence for one in found)


def no_function() -> Any:
    raise ClientError({"Error": {"Code": "ResourceNotFoundException", "Message": "gone"}}, "GetFunctionConfiguration")


@pytest.mark.parametrize(
    ("more", "operation"),
    [
        ({"permissions_boundary": "Edge"}, "iam.GetPolicy"),
        ({"pool_mail_identity": "acme.test"}, "sesv2.GetEmailIdentity"),
        ({"attach_to_roles": True}, "iam.GetRole"),
    ],
)
def test_what_may_not_be_asked_stops_nothing(more: dict[str, Any], operation: str) -> None:
    aws, settings = account({operation: "AccessDenied"}), Settings.of({**BASE, **more})
    found = list(doctor.examine(aws.client, settings, doctor.BEFOREHAND))
    assert [one.level for one in found if "could not be asked: AccessDenied" in one.sentence] != []
    assert [str(one) for one in found if one.level == "stop"] == []


def test_a_role_that_is_not_there_may_come_later() -> None:
    aws = account({"iam.GetRole": "NoSuchEntity"})
    found = list(doctor.examine(aws.client, Settings.of(BASE), doctor.BEFOREHAND))
    assert {one.level for one in found if "there is no role" in one.sentence} == {"look"}
