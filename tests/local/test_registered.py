"""Your own agent on this machine: its role comes from the registry that was synthesized, and a shell can be it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from local.agents_setup import ROLES, make_roles
from local.emulator.signatures import Key
from local.endpoint import Endpoint
from local.errors import LocalError, StepFailed
from local.registered import environment, roles
from local.settings import LocalSettings


@pytest.fixture
def settings(tmp_path: Path) -> LocalSettings:
    """An assembly whose registry has an agent more than the demo's."""
    agents = [{"name": "payables", "role": "payables-agent"}, {"name": "support-agent", "role": "placet-support-agent"}]
    function = {
        "Type": "AWS::Lambda::Function",
        "Properties": {"Environment": {"Variables": {"PLACET_AGENTS": json.dumps(agents)}}},
    }
    bare = {"Type": "AWS::Lambda::Function", "Properties": {}}
    (tmp_path / "one.template.json").write_text(json.dumps({"Resources": {"Bare": bare, "Capture": function}}))
    stack = {"type": "aws:cloudformation:stack", "properties": {"templateFile": "one.template.json"}}
    (tmp_path / "manifest.json").write_text(json.dumps({"artifacts": {"One": stack}}))
    return replace(LocalSettings().on_free_ports(), assembly=tmp_path)


def test_the_registry_that_was_synthesized_says_who_there_is(settings: LocalSettings) -> None:
    assert roles(settings) == {"payables": "payables-agent", "support-agent": "placet-support-agent"}


def test_an_agent_that_nobody_entered_is_said_with_those_that_there_are(settings: LocalSettings) -> None:
    with pytest.raises(LocalError, match="knows no agent 'payable', only payables, support-agent"):
        environment(settings, "payable")


def test_a_shell_can_be_an_operator_whose_session_names_one_person(
    settings: LocalSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str]] = []

    def assume(self: Endpoint, arn: str, session: str) -> Key:
        asked.append((arn.rpartition("/")[2], session))
        return Key("key", "secret", "token")

    monkeypatch.setattr(Endpoint, "assume", assume)
    assert "export AWS_ACCESS_KEY_ID=key" in environment(settings, "placet-operator")
    environment(settings, "payables")
    assert asked == [("placet-operator", "olga@example.com"), ("payables-agent", "payables")]


def test_who_is_no_agent_is_told_of_operators_and_root(settings: LocalSettings) -> None:
    with pytest.raises(LocalError) as told:
        environment(settings, "operator")
    assert "Operators are placet-operator; without a name it is root" in told.value.way_out


def test_nobody_who_answers_is_said_with_the_command(settings: LocalSettings) -> None:
    with pytest.raises(StepFailed, match=f"Start it.*PLACET_PORT={settings.gateway_port} make run"):
        environment(settings, "payables")


class Iam:
    """An account's IAM, and the place where it is."""

    def __init__(self) -> None:
        self.roles: dict[str, list[str]] = {}

    def client(self, service: str) -> Iam:
        assert service == "iam"
        return self

    def create_role(self, RoleName: str, AssumeRolePolicyDocument: str) -> None:
        assert RoleName not in self.roles
        self.roles[RoleName] = []

    def attach_role_policy(self, RoleName: str, PolicyArn: str) -> None:
        self.roles[RoleName].append(PolicyArn)


def test_every_agent_gets_its_role_once_with_the_right_to_be_one(settings: LocalSettings) -> None:
    iam = Iam()
    outputs = {
        "AgentAccessPolicyArn": "agents",
        "ActionAccessPolicyArn": "actions",
        "OperatorAccessPolicyArn": "operators",
    }
    make_roles(iam, outputs, roles(settings).values())  # type: ignore[arg-type]
    assert {name for name, policies in iam.roles.items() if policies == ["agents"]} == {
        "payables-agent",
        *ROLES.values(),
    }
