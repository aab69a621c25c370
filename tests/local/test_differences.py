"""The list of differences is complete, and each one does what it says on the deployed product."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from placet.local import adaptations, agents_setup, differences, layers
from placet.local.assembly import Asset, Stack
from placet.local.deployment import Deployment
from placet.local.endpoint import Endpoint
from placet.local.errors import StepFailed
from placet.local.settings import LocalSettings

ALLOWED = {
    "cross-stack values",
    "login page branding",
    "second factor",
    "rules of the demo",
    "layers",
    "addresses",
    "bedrock agents",
    "sign-in callback",
    "time to live",
    "mail identity",
    "state machine",
}
DEMO_FUNCTIONS = set(agents_setup.FUNCTIONS)
LOCAL_ADDRESSES = {
    "AWS_ENDPOINT_URL_SFN",
    "AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME",
    "PLACET_BASE_URL",
    "PLACET_LOGIN_URL",
    "PLACET_JWKS_URL",
}


def test_no_other_difference_is_allowed():
    assert {one.name for one in differences.DIFFERENCES} == ALLOWED


def test_each_says_why_in_one_sentence_and_is_printed():
    printed = "\n".join(differences.lines())
    for one in differences.DIFFERENCES:
        assert one.why.endswith(".")
        assert f"{one.name} " in printed
        assert one.why in printed


def test_what_is_deployed_is_changed_nowhere_else():
    """Every function that changes something is in the list, and templates are written by no other module."""
    made = {name for name, value in vars(adaptations).items() if callable(value) and not name.startswith("_")}
    listed = {one.apply.__name__ for one in differences.DIFFERENCES}
    imported = {"for_this_machine", "holds_rules", "is_layer", "with_rules"}
    imported |= {"Any", "ClientError", "Deployment", "Stack", "StepFailed"}
    assert made - imported == listed
    package = Path(adaptations.__file__).parent
    changes = re.compile(r"update_function|\.template = |\.template\[[^]]+\] = |del stack\.template")
    writers = {path.name for path in package.glob("*.py") if changes.search(path.read_text())}
    assert writers == {"adaptations.py"}


@pytest.fixture
def deployment():
    made = Stack("Data", {"Resources": {}}, [], outputs={"Table": "t-1"})
    return Deployment(LocalSettings(), [made], Endpoint("http://127.0.0.1:1"), Endpoint("http://127.0.0.1:2"))


def test_cross_stack_values_are_written_in(deployment):
    asked = {"Fn::GetStackOutput": {"StackName": "Data", "OutputName": "Table"}}
    stack = Stack("Gateway", {"Resources": {"F": {"Type": "T", "Env": [{"X": asked}, "y"]}}}, [])
    adaptations.write_stack_outputs(deployment, stack)
    assert stack.template["Resources"]["F"]["Env"] == [{"X": "t-1"}, "y"]


def test_an_unknown_cross_stack_value_stops_the_deployment(deployment):
    asked = {"Fn::GetStackOutput": {"StackName": "Data", "OutputName": "Other"}}
    with pytest.raises(StepFailed, match="Other"):
        adaptations.write_stack_outputs(deployment, Stack("Gateway", {"X": asked}, []))


def test_people_sign_in_with_a_password_alone_and_nothing_else_of_the_pool_changes(deployment):
    properties = {"MfaConfiguration": "ON", "EnabledMfas": ["SOFTWARE_TOKEN_MFA"], "UserPoolTier": "ESSENTIALS"}
    stack = Stack("Data", {"Resources": {"P": {"Type": "AWS::Cognito::UserPool", "Properties": properties}}}, [])
    adaptations.demand_no_second_factor(deployment, stack)
    assert properties == {"MfaConfiguration": "OFF", "UserPoolTier": "ESSENTIALS"}


def test_only_the_branding_is_dropped(deployment):
    resources = {"Style": {"Type": "AWS::Cognito::ManagedLoginBranding"}, "Key": {"Type": "AWS::KMS::Key"}}
    stack = Stack("Gateway", {"Resources": dict(resources)}, [])
    adaptations.drop_unknown_types(deployment, stack)
    assert list(stack.template["Resources"]) == ["Key"]


@pytest.mark.parametrize(
    "url",
    [
        "https://placet.example.com/sign-in/callback",
        {"Fn::Join": ["", [{"Fn::GetAtt": ["Api", "ApiEndpoint"]}, "/sign-in/callback"]]},
    ],
)
def test_callbacks_keep_their_path(deployment, url):
    client = {"Type": "AWS::Cognito::UserPoolClient", "Properties": {"CallbackURLs": [url]}}
    stack = Stack("Gateway", {"Resources": {"Client": client}}, [])
    adaptations.set_callbacks(deployment, stack)
    assert client["Properties"]["CallbackURLs"] == ["http://localhost:4568/sign-in/callback"]


def test_layers_keep_their_modules_and_get_this_machines_wheels(deployment, monkeypatch, tmp_path):
    installed = []
    monkeypatch.setattr(layers, "_install", lambda target, pins: (target.mkdir(), installed.append(pins)))
    monkeypatch.setattr(layers, "CHECKOUT", tmp_path)
    wheels, sources, code = tmp_path / "asset.wheels", tmp_path / "asset.sources", tmp_path / "asset.code"
    (wheels / "python" / "pydantic-2.dist-info").mkdir(parents=True)
    (sources / "python" / "placet" / "__pycache__").mkdir(parents=True)
    (sources / "python" / "placet" / "one.py").write_text("ONE = 1\n")
    (sources / "python" / "placet" / "__pycache__" / "one.cpython-399.pyc").write_text("for another machine")
    code.mkdir()
    assets = [Asset(folder, True, "bucket", folder.name) for folder in (wheels, sources, code)]
    here = replace(deployment, settings=replace(deployment.settings, home=tmp_path / "home"))
    for _ in range(2):
        adaptations.remake_layers(here, Stack("Gateway", {}, [replace(asset) for asset in assets]))
    adaptations.remake_layers(here, Stack("Gateway", {}, assets))
    assert installed == [layers.REQUIREMENTS]
    assert assets[2].source == code
    package = assets[1].source / "python" / "placet"
    assert (package / "one.py").read_text() == "ONE = 1\n"
    (compiled,) = (package / "__pycache__").iterdir()
    assert "399" not in compiled.name
    assert compiled.read_bytes()[4] == 1  # compiled by content, and not compared with it again


def test_rules_of_the_settings_are_laid_over_the_shipped_ones_and_nothing_else_is(deployment, tmp_path):
    shipped, code = tmp_path / "asset.policy", tmp_path / "asset.code"
    (shipped / "python" / "placet_agents").mkdir(parents=True)
    (shipped / "python" / "placet_policy.py").write_text("POLICY = 'shipped'\n")
    (shipped / "python" / "placet_agents" / "a.json").write_text("{}")
    (code / "python").mkdir(parents=True)
    rules = tmp_path / "rules.py"
    rules.write_text("from placet_shipped_policy import POLICY as SHIPPED\n")
    assets = [Asset(folder, True, "bucket", folder.name) for folder in (shipped, code)]
    adaptations.lay_rules(deployment, Stack("Gateway", {}, assets))
    assert [asset.source for asset in assets] == [shipped, code]
    here = replace(deployment, settings=replace(deployment.settings, home=tmp_path / "home", rules=rules))
    for _ in range(2):
        again = [replace(asset) for asset in assets]
        adaptations.lay_rules(here, Stack("Gateway", {}, again))
    assert again[1].source == code
    laid = again[0].source / "python"
    assert (laid / "placet_policy.py").read_text() == rules.read_text()
    assert (laid / "placet_shipped_policy.py").read_text() == "POLICY = 'shipped'\n"
    assert (laid / "placet_agents" / "a.json").is_file()
    assert (shipped / "python" / "placet_policy.py").read_text() == "POLICY = 'shipped'\n"


def environments(stack):
    functions = stack.client("lambda").list_functions()["Functions"]
    return {one["FunctionName"]: one["Environment"]["Variables"] for one in functions}


def test_functions_know_the_local_addresses_and_nothing_else_of_this_mode(stack):
    for name, variables in environments(stack).items():
        if name in DEMO_FUNCTIONS:
            continue
        assert variables["AWS_ENDPOINT_URL_SFN"] == stack.settings.steps_endpoint
        assert variables.get("PLACET_BASE_URL", stack.api_url) == stack.api_url
        bedrock = stack.settings.bedrock_endpoint if "PLACET_AGENTS" in variables else None
        assert variables.get("AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME") == bedrock
        local = {key for key, value in variables.items() if "localhost" in value or "127.0.0.1" in value}
        assert local <= LOCAL_ADDRESSES


def test_the_login_page_and_the_key_set_are_the_local_ones(stack):
    (signing,) = [one for one in environments(stack).values() if "PLACET_LOGIN_URL" in one]
    pool = stack.outputs["UserPoolId"]
    assert signing["PLACET_LOGIN_URL"] == stack.settings.login_url
    assert signing["PLACET_JWKS_URL"] == f"{stack.endpoint}/{pool}/.well-known/jwks.json"
    assert signing["PLACET_ISSUER"] == f"https://cognito-idp.us-east-1.amazonaws.com/{pool}"


def test_time_to_live_is_on(stack):
    answer = stack.client("dynamodb").describe_time_to_live(TableName=stack.table_name)
    assert answer["TimeToLiveDescription"] == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}


def test_the_machine_in_the_interpreter_is_the_deployed_one(stack):
    arn = stack.outputs["MachineArn"]
    here = stack.client("stepfunctions").describe_state_machine(stateMachineArn=arn)
    there = Endpoint(stack.settings.steps_endpoint).client("stepfunctions").describe_state_machine(stateMachineArn=arn)
    assert json.loads(here["definition"]) == json.loads(there["definition"])
    assert here["roleArn"] == there["roleArn"]


def test_a_second_deployment_of_the_same_changes_nothing(stack):
    before = dict(stack.outputs)
    stack.deploy()
    assert stack.outputs == before
