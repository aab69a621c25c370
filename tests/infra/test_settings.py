"""Settings: what is refused, and what each changes in the templates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from infra.checks import Templates, findings
from infra.checks.template import flat, resources, text
from infra.settings import Settings, SettingsError
from tests.infra.conftest import synthesize

AGENT = {"name": "a", "role": "r", "owner": "o", "target": {"kind": "pick_up"}}
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
        ({"agents": [{**AGENT, "target": {"kind": "webhook"}}]}, "target of a"),
        ({"agents": [{**AGENT, "target": {"kind": "lambda"}}]}, "target of a"),
        ({"agents": [{"name": "a"}]}, "role"),
        ({"operators": ["path/olga"]}, "operators"),
        ({"operators": ["arn:aws:iam::1:role/olga"]}, "operators"),
        ({"operators": "olga"}, "operators must be a list"),
        ({"operators": ["olga", "r"]}, "an agent's role"),
    ],
)
def test_a_setting_that_cannot_be_deployed_is_named(change: dict[str, Any], names: str) -> None:
    with pytest.raises(SettingsError, match=names):
        Settings.from_context({**GOOD, **change})


def test_mail_and_prefix_are_required() -> None:
    with pytest.raises(SettingsError, match="mail_from"):
        Settings.from_context({"login_domain_prefix": "placet"})


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
        )
    )


def test_every_role_carries_the_boundary(templates: Templates, changed: Templates) -> None:
    assert all("CompanyBoundary" in text(one) for one in changed.of("AWS::IAM::Role").values())
    assert not any("PermissionsBoundary" in one for one in templates.of("AWS::IAM::Role").values())


def test_links_use_the_public_address(changed: Templates) -> None:
    functions = {verb: one["Environment"]["Variables"] for verb, _, one in changed.functions()}
    assert functions["notify"]["PLACET_BASE_URL"] == "https://inbox.example.com"
    (client,) = changed.of("AWS::Cognito::UserPoolClient").values()
    assert client["CallbackURLs"] == ["https://inbox.example.com/sign-in/callback"]
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
