"""What each setting changes in the templates, where all of them have another value than the example says."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.checks import Templates, findings, people
from infra.checks.template import flat, resources, text
from tests.infra.conftest import synthesize

AGENT = {"name": "a", "role": "r", "owner": "o@example.com", "target": {"kind": "pick_up"}}


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Templates:
    """Every setting away from its default."""
    return Templates.read(
        synthesize(
            tmp_path_factory.mktemp("changed"),
            public_base_url="https://inbox.example.com",
            alarm_mail="ops@example.com",
            permissions_boundary="CompanyBoundary",
            reserved_concurrency={"decide": 5},
            mail_sandbox=True,
            require_mfa=True,
            epoch=2,
            log_days=30,
            agents=[AGENT],
            identity_providers=["Company-SAML"],
            groups_function="placet-groups",
            attach_to_roles=True,
            operators=["olga"],
            mail_from="placet@alerts.mail.example.com",
            pool_mail_identity="mail.example.com",
            requests_per_second={"sign_in": 3},
            stream_parallelization=4,
        )
    )


def test_people_of_a_provider_come_in_by_the_login_pages_only(templates: Templates, changed: Templates) -> None:
    clients = changed.of("AWS::Cognito::UserPoolClient").values()
    assert [one["SupportedIdentityProviders"] for one in clients] == [["COGNITO", "Company-SAML"]] * 2
    flows = [one["ExplicitAuthFlows"] for one in clients]
    assert flows == [["ALLOW_REFRESH_TOKEN_AUTH"]] * 2, "no token with which a user rewrites an attribute"
    written = [one["WriteAttributes"] for one in clients]
    assert written == [["email", "name"]] * 2, "the pool writes them through the client"
    assert list(people.no_way_in_but_the_pages(changed)) == []
    (pool,) = changed.of("AWS::Cognito::UserPool").values()
    assert flat(pool["LambdaConfig"]["PreTokenGeneration"]).endswith(":function:placet-groups")
    (without,) = templates.of("AWS::Cognito::UserPool").values()
    assert "LambdaConfig" not in without


def test_policies_are_attached_by_the_stack_only_when_asked(templates: Templates, changed: Templates) -> None:
    attached = {name[:-8]: one.get("Roles", []) for name, one in changed.of("AWS::IAM::ManagedPolicy").items()}
    assert attached == {"ApiAgentAccess": ["r"], "ApiActionAccess": [], "ApiOperatorAccess": ["olga"]}
    assert not any("Roles" in one for one in templates.of("AWS::IAM::ManagedPolicy").values())


def test_every_role_carries_the_boundary(templates: Templates, changed: Templates) -> None:
    assert all("CompanyBoundary" in text(one) for one in changed.of("AWS::IAM::Role").values())
    assert not any("PermissionsBoundary" in one for one in templates.of("AWS::IAM::Role").values())


def test_links_use_the_public_address(changed: Templates) -> None:
    functions = {verb: one["Environment"]["Variables"] for verb, _, one in changed.functions()}
    assert functions["notify"]["PLACET_BASE_URL"] == "https://inbox.example.com"
    clients = changed.of("AWS::Cognito::UserPoolClient").values()
    callbacks = [url for one in clients for url in one["CallbackURLs"]]
    assert callbacks == ["https://inbox.example.com/sign-in/callback", "http://localhost:8976/callback"]
    (pool,) = changed.of("AWS::Cognito::UserPool").values()
    invitation = pool["AdminCreateUserConfig"]["InviteMessageTemplate"]["EmailMessage"]
    assert "https://inbox.example.com/inbox" in invitation
    assert changed.gateway["Outputs"]["InboxUrl"]["Value"] == "https://inbox.example.com/inbox"


def test_the_epoch_reaches_every_function(changed: Templates) -> None:
    assert {one["Environment"]["Variables"]["PLACET_EPOCH"] for _, _, one in changed.functions()} == {"2"}


def test_other_settings(changed: Templates) -> None:
    (subscription,) = changed.of("AWS::SNS::Subscription").values()
    assert (subscription["Protocol"], subscription["Endpoint"]) == ("email", "ops@example.com")
    (pool,) = changed.of("AWS::Cognito::UserPool").values()
    assert pool["MfaConfiguration"] == "ON"
    assert {one["RetentionInDays"] for one in changed.of("AWS::Logs::LogGroup").values()} == {30}
    reserved = {verb: one.get("ReservedConcurrentExecutions") for verb, _, one in changed.functions()}
    assert {verb: n for verb, n in reserved.items() if n} == {"decide": 5}


def test_cognito_mails_by_what_ses_verified(templates: Templates, changed: Templates) -> None:
    (pool,) = changed.of("AWS::Cognito::UserPool").values()
    sender = pool["EmailConfiguration"]
    assert (sender["EmailSendingAccount"], sender["From"]) == ("DEVELOPER", "placet@alerts.mail.example.com")
    assert flat(sender["SourceArn"]).endswith(":identity/mail.example.com")
    (without,) = templates.of("AWS::Cognito::UserPool").values()
    assert "EmailConfiguration" not in without, "a first create must not fail for want of an identity"


def test_a_brake_and_the_streams_readers_are_settings(templates: Templates, changed: Templates) -> None:
    for found, rate, at_once in ((templates, 20, 1), (changed, 3, 4)):
        (stage,) = found.of("AWS::ApiGatewayV2::Stage").values()
        told = stage["RouteSettings"]["GET /sign-in/start"]
        assert told == {"ThrottlingRateLimit": rate, "ThrottlingBurstLimit": 2 * rate}
        assert stage["RouteSettings"]["POST /v1/pauses"]["ThrottlingRateLimit"] == 100
        mappings = found.of("AWS::Lambda::EventSourceMapping").values()
        assert sorted(one["ParallelizationFactor"] for one in mappings) == [1, at_once]


def test_in_the_mail_sandbox_recipients_are_resources_too(changed: Templates) -> None:
    where = [r for s in changed.roles.values() for one in s if "ses:SendEmail" in text(one) for r in resources(one)]
    assert any(flat(resource).endswith(":identity/*") for resource in where)


def test_an_agent_that_picks_up_is_never_invoked(changed: Templates) -> None:
    resume = next(statements for role, statements in changed.roles.items() if role.startswith("ResumeRole"))
    assert "lambda:InvokeFunction" not in text(resume)


def test_only_the_reservation_is_found(changed: Templates) -> None:
    """The one check that a setting makes void (infra/checks/plugin.py leaves it out then)."""
    assert {check.__name__ for check, _ in findings(changed)} == {"no_reservations"}


def test_settings_do_not_move_ids(templates: Templates, changed: Templates, assembly: Path) -> None:
    durable = [name for name, one in templates.data["Resources"].items()]
    assert durable == list(changed.data["Resources"])
