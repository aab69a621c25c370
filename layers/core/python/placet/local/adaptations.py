"""What the differences do; each takes the deployment and the stack that is being deployed."""

from __future__ import annotations

import json
from typing import Any

from botocore.exceptions import ClientError

from placet.local.assembly import Stack
from placet.local.deployment import Deployment
from placet.local.errors import StepFailed
from placet.local.layers import for_this_machine, holds_rules, is_layer, with_rules
from placet.local.settings import ACCOUNT, REGION

UNKNOWN_TYPES = ("AWS::Cognito::ManagedLoginBranding",)
ISSUERS = f"https://cognito-idp.{REGION}.amazonaws.com"


def write_stack_outputs(deployment: Deployment, stack: Stack) -> None:
    """Replace every Fn::GetStackOutput by the value that the named stack gave."""
    stack.template = _resolved(stack.template, {one.name: one.outputs for one in deployment.stacks})


def _resolved(node: Any, outputs: dict[str, dict[str, str]]) -> Any:
    if isinstance(node, list):
        return [_resolved(one, outputs) for one in node]
    if not isinstance(node, dict):
        return node
    asked = node.get("Fn::GetStackOutput")
    if asked is None:
        return {key: _resolved(value, outputs) for key, value in node.items()}
    try:
        return outputs[asked["StackName"]][asked["OutputName"]]
    except KeyError:
        raise StepFailed(f"The template asks for the unknown output {asked}.", "Look at it: make synth") from None


def drop_unknown_types(deployment: Deployment, stack: Stack) -> None:
    """Take out the resource types that the emulator refuses; nothing refers to them."""
    for kind in UNKNOWN_TYPES:
        for logical_id in stack.resources(kind):
            del stack.template["Resources"][logical_id]


def demand_no_second_factor(deployment: Deployment, stack: Stack) -> None:
    """Let people sign in with their password alone."""
    for pool in stack.resources("AWS::Cognito::UserPool").values():
        pool["Properties"]["MfaConfiguration"] = "OFF"
        pool["Properties"].pop("EnabledMfas", None)


def lay_rules(deployment: Deployment, stack: Stack) -> None:
    """Put the rules of the settings where the shipped policy file is read from; without any nothing is changed."""
    rules = deployment.settings.rules
    for asset in stack.assets:
        if rules is not None and asset.zipped and holds_rules(asset.source):
            asset.source = with_rules(asset.source, rules, deployment.settings.home / "cache")


def remake_layers(deployment: Deployment, stack: Stack) -> None:
    """Put this machine's wheels and compiled modules where the layers' assets are read from."""
    for asset in stack.assets:
        if asset.zipped and is_layer(asset.source):
            asset.source = for_this_machine(asset.source, deployment.settings.home / "cache")


def set_addresses(deployment: Deployment, stack: Stack) -> None:
    """Give every function of the stack the addresses that differ here."""
    functions = deployment.aws.client("lambda")
    settings = deployment.settings
    for logical_id in stack.resources("AWS::Lambda::Function"):
        name = deployment.physical_id(stack, logical_id)
        variables = functions.get_function_configuration(FunctionName=name).get("Environment", {}).get("Variables", {})
        local = {"AWS_ENDPOINT_URL_SFN": settings.steps_endpoint}
        if "PLACET_BASE_URL" in variables:
            local["PLACET_BASE_URL"] = settings.api_url
        if "PLACET_LOGIN_URL" in variables:
            local["PLACET_LOGIN_URL"] = settings.login_url
        if "PLACET_JWKS_URL" in variables:
            local["PLACET_JWKS_URL"] = variables["PLACET_JWKS_URL"].replace(ISSUERS, settings.endpoint)
        functions.update_function_configuration(FunctionName=name, Environment={"Variables": variables | local})


def set_bedrock(deployment: Deployment, stack: Stack) -> None:
    """Tell the functions that know the agent registry where Bedrock's runtime is."""
    functions = deployment.aws.client("lambda")
    for logical_id, one in stack.resources("AWS::Lambda::Function").items():
        if "PLACET_AGENTS" not in one["Properties"].get("Environment", {}).get("Variables", {}):
            continue
        name = deployment.physical_id(stack, logical_id)
        variables = functions.get_function_configuration(FunctionName=name)["Environment"]["Variables"]
        local = {"AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME": deployment.settings.bedrock_endpoint}
        functions.update_function_configuration(FunctionName=name, Environment={"Variables": variables | local})


def set_callbacks(deployment: Deployment, stack: Stack) -> None:
    """Point the client's callback and logout addresses at the local inbox, path by path."""
    for client in stack.resources("AWS::Cognito::UserPoolClient").values():
        for field in ("CallbackURLs", "LogoutURLs"):
            urls = client["Properties"].get(field, [])
            client["Properties"][field] = [deployment.settings.api_url + _path(url) for url in urls]


def _path(url: Any) -> str:
    """The path of an address, also of one that the template joins from the API's own and a path."""
    text = url if isinstance(url, str) else url["Fn::Join"][1][-1]
    return "/" + text.split("://")[-1].partition("/")[2]


def enable_time_to_live(deployment: Deployment, stack: Stack) -> None:
    """Switch on what the template asks for."""
    tables = deployment.aws.client("dynamodb")
    for logical_id, table in stack.resources("AWS::DynamoDB::Table").items():
        asked = table["Properties"].get("TimeToLiveSpecification")
        if asked:
            name = deployment.physical_id(stack, logical_id)
            current = tables.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
            if current.get("TimeToLiveStatus") != "ENABLED":
                tables.update_time_to_live(TableName=name, TimeToLiveSpecification=asked)


def verify_mail_identity(deployment: Deployment, stack: Stack) -> None:
    """Verify the sender that the functions were given."""
    functions = stack.resources("AWS::Lambda::Function").values()
    variables = [one["Properties"].get("Environment", {}).get("Variables", {}) for one in functions]
    for sender in {one["PLACET_MAIL_FROM"] for one in variables if "PLACET_MAIL_FROM" in one}:
        deployment.aws.client("ses").verify_email_identity(EmailAddress=sender)


def move_state_machines(deployment: Deployment, stack: Stack) -> None:
    """Copy each machine to the interpreter, under the same ARN, and let the interpreter take the machine's role."""
    here, there = deployment.aws.client("stepfunctions"), deployment.steps.client("stepfunctions")
    for logical_id in stack.resources("AWS::StepFunctions::StateMachine"):
        machine = here.describe_state_machine(stateMachineArn=deployment.physical_id(stack, logical_id))
        _trust_the_interpreter(deployment, machine["roleArn"].rsplit("/", 1)[-1])
        body = {"definition": machine["definition"], "roleArn": machine["roleArn"]}
        try:
            there.create_state_machine(name=machine["name"], type=machine.get("type", "STANDARD"), **body)
        except ClientError as error:
            if error.response["Error"]["Code"] != "StateMachineAlreadyExists":
                raise
            there.update_state_machine(stateMachineArn=machine["stateMachineArn"], **body)


def _trust_the_interpreter(deployment: Deployment, role: str) -> None:
    iam = deployment.aws.client("iam")
    policy = iam.get_role(RoleName=role)["Role"]["AssumeRolePolicyDocument"]
    statement = {
        "Sid": "LocalInterpreter",
        "Effect": "Allow",
        "Action": "sts:AssumeRole",
        "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"},
    }
    others = [one for one in policy["Statement"] if one.get("Sid") != statement["Sid"]]
    policy["Statement"] = [*others, statement]
    iam.update_assume_role_policy(RoleName=role, PolicyDocument=json.dumps(policy))
