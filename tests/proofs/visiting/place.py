"""A start of the local mode with something worth stealing behind each of its ports."""

from __future__ import annotations

import io
import json
import shutil
import textwrap
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local.emulator.signatures import Key
from local.endpoint import Endpoint
from local.processes import Emulators
from local.settings import LocalSettings

ROLE = "arn:aws:iam::000000000000:role/visited"
TABLE, SECRET = "secrets", "what-nobody-may-read"
PASSWORD = "Maria-decides-2026"
PAGE = """
    import os, boto3
    def handler(event, context):
        if event.get("steps"):
            steps = boto3.client("stepfunctions", endpoint_url=event["steps"])
            return len(steps.list_state_machines()["stateMachines"])
        if event["requestContext"]["http"]["method"] == "POST":
            return {"statusCode": 201, "body": "captured"}
        headers = {"content-type": "text/html", "access-control-allow-origin": "*"}
        return {"statusCode": 200, "headers": headers, "body": f'<a id="login" href="{os.environ["LOGIN"]}">Sign in</a>'}
"""


@dataclass(frozen=True)
class Place:
    """What a proof of the doors knows of a start."""

    settings: LocalSettings
    group: int
    pool: str
    client: str

    @property
    def aws(self) -> Endpoint:
        return Endpoint(self.settings.endpoint)

    @property
    def role(self) -> Key:
        """Keys of a role that may scan the table and use the API."""
        return self.aws.assume(ROLE, "visitor")

    @property
    def login(self) -> str:
        """Where people sign in."""
        return f"/oauth2/authorize?client_id={self.client}&response_type=code&scope=openid&redirect_uri={self.callback}"

    @property
    def callback(self) -> str:
        return f"{self.settings.api_url}/callback"

    def state(self) -> dict[str, Any]:
        """What an attack would have changed."""
        runtime = json.loads(Endpoint(self.settings.bedrock_endpoint).open("/_bedrock/state"))
        steps = Endpoint(self.settings.steps_endpoint).client("stepfunctions")
        return {
            "items": self.aws.client("dynamodb").scan(TableName=TABLE)["Items"],
            "functions": [one["FunctionName"] for one in self.aws.client("lambda").list_functions()["Functions"]],
            "machines": [one["name"] for one in steps.list_state_machines()["stateMachines"]],
            "faults": runtime["faults"],
            "turns": runtime["log"],
        }

    def listening(self) -> set[int]:
        """The ports on which a process of this start listens (Linux)."""
        held = {link for pid in _members(self.group) for link in _links(pid)}
        tables = [Path(f"/proc/net/{name}").read_text().splitlines()[1:] for name in ("tcp", "tcp6")]
        rows = [line.split() for table in tables for line in table]
        return {int(row[1].rpartition(":")[2], 16) for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in held}


def _members(group: int) -> Iterator[Path]:
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if int(process.joinpath("stat").read_text().rpartition(")")[2].split()[2]) == group:
                yield process
        except OSError:
            continue


def _links(process: Path) -> Iterator[str]:
    try:
        for one in process.joinpath("fd").iterdir():
            yield str(one.readlink())
    except OSError:
        return


@contextmanager
def opened() -> Iterator[Place]:
    """Start, put something in, and leave nothing behind."""
    settings = LocalSettings().on_free_ports()
    emulators = Emulators(settings)
    try:
        emulators.start()
        yield _furnished(settings, emulators.group or 0)
    finally:
        emulators.stop()
        shutil.rmtree(settings.run, ignore_errors=True)


def _furnished(settings: LocalSettings, group: int) -> Place:
    aws = Endpoint(settings.endpoint)
    _role(aws.client("iam"))
    dynamodb = aws.client("dynamodb")
    key = {"AttributeName": "pk"}
    dynamodb.create_table(
        TableName=TABLE,
        KeySchema=[{**key, "KeyType": "HASH"}],
        AttributeDefinitions=[{**key, "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    dynamodb.put_item(TableName=TABLE, Item={"pk": {"S": SECRET}})
    machine = {"StartAt": "End", "States": {"End": {"Type": "Succeed"}}}
    steps = Endpoint(settings.steps_endpoint).client("stepfunctions")
    steps.create_state_machine(name="machine", definition=json.dumps(machine), roleArn=ROLE)
    pool, client = _people(aws.client("cognito-idp"), settings)
    place = Place(settings, group, pool, client)
    _api(aws, place)
    return place


def _role(iam: Any) -> None:
    trusted = {"AWS": "arn:aws:iam::000000000000:root", "Service": "lambda.amazonaws.com"}
    trust = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": trusted}
    iam.create_role(
        RoleName="visited", AssumeRolePolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    )
    right = {"Effect": "Allow", "Action": ["dynamodb:Scan", "execute-api:Invoke", "states:*"], "Resource": "*"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [right]})
    iam.put_role_policy(RoleName="visited", PolicyName="rights", PolicyDocument=document)


def _people(cognito: Any, settings: LocalSettings) -> tuple[str, str]:
    pool = cognito.create_user_pool(PoolName="people")["UserPool"]["Id"]
    client = cognito.create_user_pool_client(
        UserPoolId=pool,
        ClientName="inbox",
        CallbackURLs=[f"{settings.api_url}/callback"],
        AllowedOAuthFlows=["code"],
        AllowedOAuthScopes=["openid"],
        AllowedOAuthFlowsUserPoolClient=True,
        SupportedIdentityProviders=["COGNITO"],
    )["UserPoolClient"]["ClientId"]
    cognito.admin_create_user(UserPoolId=pool, Username="maria", MessageAction="SUPPRESS")
    cognito.admin_set_user_password(UserPoolId=pool, Username="maria", Password=PASSWORD, Permanent=True)
    return pool, client


def _api(aws: Endpoint, place: Place) -> None:
    """An API with a page for everybody and a route for IAM, and the function behind both."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        archive.writestr("module.py", textwrap.dedent(PAGE))
    function = aws.client("lambda").create_function(
        FunctionName="page",
        Runtime="python3.13",
        Role=ROLE,
        Handler="module.handler",
        Code={"ZipFile": body.getvalue()},
        Environment={"Variables": {"LOGIN": place.settings.login_url + place.login}},
    )["FunctionArn"]
    apis = aws.client("apigatewayv2")
    one = apis.create_api(Name="visited", ProtocolType="HTTP")["ApiId"]
    target = apis.create_integration(
        ApiId=one, IntegrationType="AWS_PROXY", IntegrationUri=function, PayloadFormatVersion="2.0"
    )["IntegrationId"]
    for route, kind in (("GET /", "NONE"), ("GET /callback", "NONE"), ("POST /v1/pauses", "AWS_IAM")):
        apis.create_route(ApiId=one, RouteKey=route, Target=f"integrations/{target}", AuthorizationType=kind)
    apis.create_stage(ApiId=one, StageName="$default", AutoDeploy=True)
