"""The list of differences is complete, and each one does what it says on the deployed product."""

from __future__ import annotations

import json
import re
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from local import agents_setup, arrangements, differences, layers
from local.assembly import Asset, Stack
from local.deploy import prepare
from local.deployment import Deployment
from local.emulator import exchanges, machines
from local.endpoint import Endpoint
from local.settings import LocalSettings

ALLOWED = {
    "login page branding",
    "second factor",
    "rules of the demo",
    "layers",
    "layers' bytes",
    "addresses",
    "address of the API",
    "sign-in callback",
    "time to live",
    "mail identity",
    "state machine",
}
DEMO_FUNCTIONS = set(agents_setup.FUNCTIONS)
HERE = exchanges.Places(
    endpoint="http://127.0.0.1:1",
    login="http://localhost:1",
    api="http://localhost:2",
    steps="http://127.0.0.1:3",
    bedrock="http://127.0.0.1:4",
    exchanged="/nowhere",
)


def test_no_other_difference_is_allowed():
    assert {one.name for one in differences.DIFFERENCES} == ALLOWED


def test_each_says_why_and_is_printed():
    printed = "\n".join(differences.lines())
    for one in differences.DIFFERENCES:
        assert one.why.endswith(".")
        assert f"{one.name} " in printed
        assert one.why in printed


def test_what_is_deployed_is_changed_nowhere_else():
    """Everything that the emulator exchanges or the deployer arranges is in the list, and templates are written by no module."""
    listed = {one.made_by for one in differences.DIFFERENCES}
    arranged = {arrangements.exchange_layers, arrangements.lay_rules, arrangements.verify_mail_identity}
    assert listed == {*exchanges.EXCHANGES, *arranged}
    public = {
        one for name, one in vars(arrangements).items() if getattr(one, "__module__", "") == arrangements.__name__
    }
    assert {one for one in public if not one.__name__.startswith("_")} == arranged
    package = Path(arrangements.__file__).parent
    changes = re.compile(r"update_function|\.template = |\.template\[[^]]+\] = |del stack\.template|\.body = ")
    assert [path.name for path in package.glob("*.py") if changes.search(path.read_text())] == []


def test_what_is_uploaded_is_what_was_synthesized(stack):
    """The very bytes: templates by what CloudFormation says, and no asset is read from anywhere but the assembly."""
    cloudformation = stack.client("cloudformation")
    for one in prepare(stack.settings).stacks:
        asked = cloudformation.get_template(StackName=one.name, TemplateStage="Original")["TemplateBody"]
        assert (json.loads(asked) if isinstance(asked, str) else asked) == one.template
        assert json.loads(one.body) == one.template
        assert all(asset.source.parent == stack.settings.assembly for asset in one.assets)


def test_an_address_that_a_function_names_itself_is_kept():
    told = {"AWS_ENDPOINT_URL_SFN": "http://relay", "PLACET_BASE_URL": "https://placet.example.org"}
    assert exchanges.local_addresses(told, HERE) == {
        "PLACET_BASE_URL": HERE.api,
        "AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME": HERE.bedrock,
    }


def test_only_the_keys_of_cognito_are_taken_from_here():
    keys = "https://cognito-idp.eu-central-1.amazonaws.com/pool/.well-known/jwks.json"
    here = exchanges.local_addresses({"PLACET_JWKS_URL": keys}, HERE)
    assert here["PLACET_JWKS_URL"] == "http://127.0.0.1:1/pool/.well-known/jwks.json"
    assert "PLACET_JWKS_URL" not in exchanges.local_addresses({"PLACET_JWKS_URL": "https://other.example.org/x"}, HERE)


def test_a_type_that_the_emulator_learns_is_taken_off_the_list():
    with pytest.raises(RuntimeError, match="knows AWS::Cognito::ManagedLoginBranding by now"):
        exchanges.accept_unknown_types({"AWS::Cognito::ManagedLoginBranding": {}}, HERE)


@dataclass
class Context:
    principal_account: str
    service_context: dict


def test_the_interpreter_says_whose_account_it_asks_for_and_nobody_else_does():
    """The machine's role trusts the service for this account only (`aws:SourceAccount`)."""
    seen = []
    trusted = machines.for_the_service(lambda _document, _caller, context: seen.append(context.service_context) or True)
    here = Context("000000000000", {"sts:externalid": None})
    assert trusted({}, "arn:aws:iam::000000000000:root", here)
    assert trusted({}, "arn:aws:iam::000000000000:role/other", here)
    assert seen == [{"aws:sourceaccount": "000000000000", "sts:externalid": None}, {"sts:externalid": None}]


def test_functions_do_not_see_where_the_emulator_finds_things():
    environ = {exchanges.PLACES: json.dumps(vars(HERE)), "OTHER": "1"}
    assert exchanges.Places.taken_from(environ) == HERE
    assert environ == {"OTHER": "1"}


def made_through(exchange, kind, props):
    """What the emulator makes, and updates, of a resource with these properties."""
    seen = []
    handlers = {
        kind: {
            "create": lambda _id, props, _stack: seen.append(props) or ("made", {}),
            "update": lambda _made, _old, new, _stack: seen.append(new) or ("made", {}),
        }
    }
    before = json.dumps(props)
    exchange(handlers, HERE)
    handlers[kind]["create"]("Logical", props, "Stack")
    handlers[kind]["update"]("made", props, props, "Stack")
    assert json.dumps(props) == before  # the stack still shows what its template says
    created, updated = seen
    assert created == updated
    return created


@pytest.mark.parametrize("url", ["https://placet.example.com/sign-in/callback", "http://localhost:2/sign-in/callback"])
def test_callbacks_keep_their_path(url):
    made = made_through(exchanges.come_back_here, "AWS::Cognito::UserPoolClient", {"CallbackURLs": [url], "Other": 1})
    assert made == {"CallbackURLs": ["http://localhost:2/sign-in/callback"], "Other": 1}


def test_a_programs_callback_stays_on_its_own_machine():
    asked = {"CallbackURLs": ["http://localhost:8976/callback"]}
    assert made_through(exchanges.come_back_here, "AWS::Cognito::UserPoolClient", asked) == asked


@pytest.fixture
def deployment(tmp_path):
    settings = replace(LocalSettings(), home=tmp_path / "home")
    return Deployment(settings, [], Endpoint("http://127.0.0.1:1"))


def exchanged(deployment, assets):
    """What the emulator would find for these assets."""
    deployment.stacks[:] = [Stack("Gateway", {}, b"", assets)]
    arrangements.exchange_layers(deployment)
    return {path.name: path.resolve() for path in deployment.settings.exchanged.iterdir()}


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
    assets = [Asset(folder, True, "bucket", f"{folder.name}.zip") for folder in (wheels, sources, code)]
    for _ in range(2):
        found = exchanged(deployment, assets)
    assert installed == [layers.REQUIREMENTS]
    assert set(found) == {"asset.wheels.zip", "asset.sources.zip"}
    assert [asset.source for asset in assets] == [wheels, sources, code]
    with zipfile.ZipFile(found["asset.sources.zip"]) as archive:
        names = [name for name in archive.namelist() if "__pycache__" in name]
        assert archive.read("python/placet/one.py") == b"ONE = 1\n"
        assert "399" not in names[0]
        assert archive.read(names[0])[4] == 1  # compiled by content, and not compared with it again


def test_rules_of_the_settings_are_laid_over_the_shipped_ones_and_nothing_else_is(deployment, tmp_path):
    shipped, code = tmp_path / "asset.policy", tmp_path / "asset.code"
    (shipped / "python" / "placet_agents").mkdir(parents=True)
    (shipped / "python" / "placet_policy.py").write_text("POLICY = 'shipped'\n")
    (shipped / "python" / "placet_agents" / "a.json").write_text("{}")
    (code / "python").mkdir(parents=True)
    rules = tmp_path / "rules.py"
    rules.write_text("from placet_shipped_policy import POLICY as SHIPPED\n")
    assert arrangements.lay_rules(deployment.settings, shipped) == shipped
    here = replace(deployment.settings, rules=rules)
    assert arrangements.lay_rules(here, code) == code
    laid = {arrangements.lay_rules(here, shipped) for _ in range(2)}.pop() / "python"
    assert (laid / "placet_policy.py").read_text() == rules.read_text()
    assert (laid / "placet_shipped_policy.py").read_text() == "POLICY = 'shipped'\n"
    assert (laid / "placet_agents" / "a.json").is_file()
    assert (shipped / "python" / "placet_policy.py").read_text() == "POLICY = 'shipped'\n"


def environments(stack):
    functions = stack.client("lambda").list_functions()["Functions"]
    return {one["FunctionName"]: one["Environment"]["Variables"] for one in functions}


def test_the_configuration_of_functions_is_as_deployed(stack):
    for name, variables in environments(stack).items():
        if name in DEMO_FUNCTIONS:
            continue
        assert not {one for one in variables if one.startswith("AWS_ENDPOINT_URL")}
        assert "127.0.0.1" not in json.dumps(variables)
        assert variables.get("PLACET_BASE_URL", stack.api_url) == stack.api_url  # the API's own address


def test_outputs_are_what_a_template_asks_for_and_the_api_answers_there(stack):
    assert stack.outputs["ApiUrl"] == stack.api_url
    assert stack.outputs["LoginUrl"].endswith(".amazoncognito.com")


def test_time_to_live_is_on(stack):
    answer = stack.client("dynamodb").describe_time_to_live(TableName=stack.table_name)
    assert answer["TimeToLiveDescription"] == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}


def test_the_machine_in_the_interpreter_is_the_deployed_one(stack):
    arn = stack.outputs["MachineArn"]
    here = stack.client("stepfunctions").describe_state_machine(stateMachineArn=arn)
    there = Endpoint(stack.settings.steps_endpoint).client("stepfunctions").describe_state_machine(stateMachineArn=arn)
    assert json.loads(here["definition"]) == json.loads(there["definition"])
    assert here["roleArn"] == there["roleArn"]


def test_the_interpreter_may_take_the_machines_role_as_it_is_deployed(stack):
    role = stack.client("stepfunctions").describe_state_machine(stateMachineArn=stack.outputs["MachineArn"])["roleArn"]
    assert stack.aws.assume(role, "states").token
    (trust,) = stack.client("iam").get_role(RoleName=role.rsplit("/")[-1])["Role"]["AssumeRolePolicyDocument"][
        "Statement"
    ]
    assert trust["Principal"] == {"Service": "states.amazonaws.com"}
    assert trust["Condition"] == {"StringEquals": {"aws:SourceAccount": "000000000000"}}


def test_a_second_deployment_of_the_same_changes_nothing(stack):
    before = dict(stack.outputs)
    stack.deploy()
    assert stack.outputs == before
