"""Settings: what is refused, and what each changes in the templates."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from infra.checks import Templates, findings, people
from infra.checks.template import flat, resources, text
from infra.registry import unsaid
from infra.settings import Settings, SettingsError
from tests.infra.conftest import synthesize

AGENT = {"name": "a", "role": "r", "owner": "o@example.com", "target": {"kind": "pick_up"}}
SQS = {"kind": "sqs", "queue": "decided.fifo"}
WEBHOOK = {"kind": "webhook", "url": "https://agents.example.com/placet", "secret": "placet/hook"}
BEDROCK: dict[str, Any] = {
    "kind": "bedrock", "agent_id": "AGENT12345", "alias_id": "TSTALIASID", "executor": "refund-executor", "session_ttl_s": 1800,
}  # fmt: skip
VERIFIED = {**BEDROCK, "verified": True, "idempotent": True, "action_role": "actions", "region": "us-gov-west-1"}
INLINE: dict[str, Any] = {
    "kind": "bedrock_inline", "definition": "refund_desk", "executor": "refund-executor", "session_ttl_s": 3600,
}  # fmt: skip
GOOD: dict[str, Any] = {"mail_from": "a@example.com", "login_domain_prefix": "placet", "agents": [AGENT]}


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"mail_from": "nobody"}, "mail_from"),
        ({"login_domain_prefix": "my-cognito"}, "login_domain_prefix"),
        ({"login_domain_prefix": "Big"}, "login_domain_prefix"),
        ({"public_base_url": "http://inbox.example.com"}, "public_base_url"),
        ({"public_base_url": "https://inbox.example.com/x"}, "public_base_url"),
        ({"epoch": 0}, "epoch"),
        ({"log_days": 3650}, "log_days"),
        ({"reserved_concurrency": {"decline": 1}}, "decline"),
        ({"colour": "blue"}, "colour"),
        ({"agents": [AGENT, AGENT]}, "unique"),
        ({"agents": [{**AGENT, "role": "path/r"}]}, "role of a"),
        ({"agents": [{**AGENT, "role": "arn:aws:iam::1:role/r"}]}, "role of a"),
        ({"agents": [{**AGENT, "name": "A B"}]}, "name"),
        ({"agents": [{"name": "a"}]}, "role"),
        ({"agents": [{**AGENT, "owner": "ops"}]}, "owner of a must be a mail address"),
        ({"agents": [{**AGENT, "owner": ""}]}, "owner of a must be a mail address"),
        ({"agents": [{**AGENT, "owner": None}]}, "owner of a must be a mail address"),
        ({"operators": ["path/olga"]}, "operators"),
        ({"operators": ["arn:aws:iam::1:role/olga"]}, "operators"),
        ({"operators": "olga"}, "operators must be a list"),
        ({"operators": ["olga", "r"]}, "an agent's role"),
        ({"operators": ["actions"], "agents": [{**AGENT, "target": VERIFIED}]}, "an agent's role"),
        ({"agents": [{**AGENT, "role": "actions", "target": VERIFIED}]}, "it would capture what it then claims"),
        (
            {"agents": [{**AGENT, "target": VERIFIED}, {**AGENT, "name": "b", "role": "q", "target": VERIFIED}]},
            "nobody could tell whose call",
        ),
        ({"agents": [{**AGENT, "keeps_runs_days": "30"}]}, "keeps_runs_days of a must be whole days"),
        ({"agents": [{**AGENT, "keeps_runs_days": -1}]}, "keeps_runs_days of a must be whole days"),
        ({"agents": [{**AGENT, "target": BEDROCK, "keeps_runs_days": 30}]}, "no saver keeps a run of Bedrock"),
        (
            {"agents": [{**AGENT, "framework": "bedrock"}]},
            "framework of a must be one whose pauses agents hand in: langchain",
        ),
        ({"agents": [{**AGENT, "framework": "openai"}]}, "framework of a must be one whose pauses agents hand in"),
        ({"agents": [{**AGENT, "framework": ["langchain"]}]}, "framework of a must be"),
        ({"agents": [{**AGENT, "target": BEDROCK, "framework": "langchain"}]}, "its target is an agent of bedrock"),
        (
            {"agents": [{**AGENT, "name": f"agent-{n}", "role": f"role-{n}-{'x' * 50}"} for n in range(30)]},
            r"the registry is \d,\d+ bytes .* room for 2,560",
        ),
    ],
)
def test_a_setting_that_cannot_be_deployed_is_named(change: dict[str, Any], names: str) -> None:
    with pytest.raises(SettingsError, match=names):
        Settings.of({**GOOD, **change})


@pytest.mark.parametrize("target", [SQS, WEBHOOK, BEDROCK, VERIFIED, INLINE], ids=lambda one: one["kind"])
def test_a_target_reaches_the_functions_as_it_stands(target: dict[str, Any]) -> None:
    settings = Settings.of({**GOOD, "agents": [{**AGENT, "target": target}]})
    assert json.loads(settings.registry) == [{**AGENT, "target": target}]


@pytest.mark.parametrize(
    ("entry", "built_with", "silent"),
    [
        (AGENT, "langchain", ["a"]),
        ({**AGENT, "framework": "langchain"}, "langchain", []),
        ({**AGENT, "target": BEDROCK}, "bedrock", []),
        ({**AGENT, "target": INLINE, "framework": "bedrock"}, "bedrock", []),
    ],
)
def test_an_agent_is_built_with_what_its_entry_or_its_target_says(
    entry: dict[str, Any], built_with: str, silent: list[str]
) -> None:
    settings = Settings.of({**GOOD, "agents": [entry]})
    assert (settings.agents[0].built_with, unsaid(settings.agents)) == (built_with, silent)
    assert json.loads(settings.registry) == [entry]


def without(target: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in target.items() if key != name}


@pytest.mark.parametrize(
    ("target", "names"),
    [
        ({}, "must have a kind: one of bedrock, bedrock_inline, lambda, pick_up, sqs, webhook"),
        ("pick_up", "must have a kind"),
        ({"kind": "kafka"}, "must have a kind"),
        ({"kind": ["pick_up"]}, "must have a kind"),
        ({"kind": "pickup"}, "; pick_up was meant"),
        ({"kind": "lambda"}, "a lambda needs function"),
        ({"kind": "pick_up", "function": "f"}, "a pick_up has no function"),
        ({"kind": "lambda", "function": "arn:aws:lambda:eu-central-1:1:function:f"}, "function must be the name"),
        ({"kind": "lambda", "function": "f:live"}, "without ARN, version or alias"),
        ({"kind": "webhook"}, "a webhook needs secret, url"),
        ({**SQS, "queue": "decided"}, "queue must be the name of a FIFO queue, which ends in .fifo, not 'decided'"),
        ({**SQS, "queue": "https://sqs.eu-central-1.amazonaws.com/1/decided.fifo"}, "queue must be the name"),
        ({**SQS, "queue": f"{'q' * 76}.fifo"}, "queue must be the name"),
        ({**WEBHOOK, "url": "http://agents.example.com/placet"}, "url must be https://host/path"),
        ({**WEBHOOK, "url": "https://me:secret@agents.example.com/placet"}, "url must be https://host/path"),
        ({**WEBHOOK, "url": "https://agents.example.com/placet?key=secret"}, "without user, query or fragment"),
        ({**WEBHOOK, "url": "https://agents.example.com/placet\n"}, "url must be"),
        ({**WEBHOOK, "url": "https:///placet"}, "url must be"),
        (
            {**WEBHOOK, "secret": "arn:aws:secretsmanager:eu-central-1:1:secret:x"},
            "the name of a secret in Secrets Manager",
        ),
        (
            {**BEDROCK, "agent_id": "arn:aws:bedrock:eu-central-1:1:agent/AGENT12345"},
            "agent_id must be 1 to 10 letters",
        ),
        ({**BEDROCK, "alias_id": "TSTALIASID1"}, "alias_id must be 1 to 10 letters"),
        ({**BEDROCK, "session_ttl_s": 59}, "session_ttl_s must be 60 to 5400 seconds"),
        ({**BEDROCK, "session_ttl_s": 5401}, "session_ttl_s must be 60 to 5400 seconds"),
        ({**BEDROCK, "session_ttl_s": True}, "session_ttl_s must be 60 to 5400 seconds"),
        ({**BEDROCK, "session_ttl_s": "1800"}, "session_ttl_s must be 60 to 5400 seconds"),
        ({**BEDROCK, "verified": True}, "is verified, so it needs action_role"),
        ({**BEDROCK, "verified": "yes"}, "verified must be true or false"),
        ({**BEDROCK, "idempotent": 1}, "idempotent must be true or false"),
        ({**VERIFIED, "action_role": "path/actions"}, "action_role must be a role name without path"),
        ({**BEDROCK, "region": "Frankfurt"}, "region must be a region like"),
        (without(BEDROCK, "executor"), "a bedrock needs executor"),
        (without(BEDROCK, "alias_id"), "a bedrock needs alias_id"),
        ({**BEDROCK, "definition": "refund_desk"}, "a bedrock has no definition"),
        (without(INLINE, "definition"), "a bedrock_inline needs definition"),
        ({**INLINE, "definition": "../placet_policy"}, "definition must be the name of a definition"),
        ({**INLINE, "session_ttl_s": 5400}, "session_ttl_s must be 60 to 3600 seconds"),
    ],
)
def test_a_target_that_cannot_be_reached_is_named(target: Any, names: str) -> None:
    with pytest.raises(SettingsError, match=f"target of a.*{re.escape(names)}"):
        Settings.of({**GOOD, "agents": [{**AGENT, "target": target}]})


def test_what_resume_may_reach_is_read_from_the_registry() -> None:
    entries = [
        {**AGENT, "name": f"a{n}", "role": f"r{n}", "target": one}
        for n, one in enumerate((SQS, WEBHOOK, VERIFIED, INLINE))
    ]
    called = {**AGENT, "target": {"kind": "lambda", "function": "billing"}}
    settings = Settings.of({**GOOD, "agents": [*entries, called]})
    assert settings.target_functions == ("billing", "refund-executor")
    assert (settings.target_queues, settings.target_secrets) == (("decided.fifo",), ("placet/hook",))
    assert settings.aliases == (("AGENT12345", "TSTALIASID", "us-gov-west-1"),)
    assert [agent.name for agent in settings.inline_agents] == ["a3"]


def test_mail_and_prefix_are_required() -> None:
    with pytest.raises(SettingsError, match="mail_from"):
        Settings.of({"login_domain_prefix": "placet"})


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


@pytest.mark.parametrize(
    "wrong",
    [
        {"identity_providers": "Company"},
        {"identity_providers": ["COGNITO"]},
        {"identity_providers": ["a b"]},
        {"groups_function": "arn:aws:lambda:x"},
    ],
)
def test_what_names_no_provider_or_function_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(SettingsError):
        Settings.of({**GOOD, **wrong})


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


def test_what_ses_may_have_verified() -> None:
    deep = Settings.of({**GOOD, "mail_from": "p@a.mail.example.com"})
    assert deep.mail_identities == ("p@a.mail.example.com", "a.mail.example.com", "mail.example.com", "example.com")
    assert Settings.of(GOOD).mail_identities[1:] == (GOOD["mail_from"].rpartition("@")[2],)


@pytest.mark.parametrize(
    "wrong",
    [
        {"mail_from": "Placet <p@example.com>"},
        {"mail_from": "p@example"},
        {"mail_from": "p@Example.com"},
        {"mail_from": "p@example.com\n"},
        {"mail_from": "a@b@example.com"},
        {"pool_mail_identity": "ample.com"},
        {"pool_mail_identity": "com"},
        {"requests_per_second": {"robots": 5}},
        {"requests_per_second": {"agents": 0}},
        {"requests_per_second": {"agents": 1.5}},
        {"requests_per_second": {"agents": 20_000}},
        {"stream_parallelization": 0},
        {"stream_parallelization": 11},
        {"stream_parallelization": True},
    ],
)
def test_senders_and_rates_that_no_service_takes_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(SettingsError):
        Settings.of({**GOOD, **wrong})


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
