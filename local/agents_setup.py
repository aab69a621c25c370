"""What an account owner does for agents and operators: roles, the gateway's access policies, the agents' functions."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from local.agents.refund_desk import ACTIONS, AGENT, EXECUTOR, ROLE
from local.assets import zipped
from local.endpoint import Endpoint
from local.settings import ACCOUNT, CHECKOUT, LocalSettings

ROLES = {"support-agent": "placet-support-agent", "billing-agent": "placet-billing-agent", AGENT: ROLE}
OPERATOR = "placet-operator"
FUNCTIONS = {  # name → its role and its handler
    "placet-billing-agent": (ROLES["billing-agent"], "billing.handler"),
    EXECUTOR: (EXECUTOR, "refunds.executor"),
    ACTIONS: (ACTIONS, "refunds.actions"),
}
ACTING = (*ROLES.values(), EXECUTOR, ACTIONS)  # roles that do what was approved
SHIPPED = {  # what an agent is made of, below what
    CHECKOUT / "layers" / "core" / "python": ("placet/__init__.py", "placet/client"),
    CHECKOUT: ("local/__init__.py", "local/agents"),
}


def role_arn(role: str) -> str:
    return f"arn:aws:iam::{ACCOUNT}:role/{role}"


def make_roles(aws: Endpoint, outputs: Mapping[str, str], registered: Collection[str]) -> None:
    """One role per agent of the registry, the demo's and your own, those of the Bedrock agent's Lambdas, and the operator's."""
    for role in sorted({*ROLES.values(), *registered}):
        make_role(aws, role, outputs["AgentAccessPolicyArn"], Service="lambda.amazonaws.com")
    make_role(aws, EXECUTOR, Service="lambda.amazonaws.com")
    make_role(aws, ACTIONS, outputs["ActionAccessPolicyArn"], Service="lambda.amazonaws.com")
    make_role(aws, OPERATOR, outputs["OperatorAccessPolicyArn"])


def make_role(aws: Endpoint, role: str, *policies: str, **others: str) -> None:
    """A role that this machine's root may take."""
    iam = aws.client("iam")
    trusted = {"AWS": f"arn:aws:iam::{ACCOUNT}:root", **others}
    statement = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": trusted}
    trust = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    iam.create_role(RoleName=role, AssumeRolePolicyDocument=trust)
    for policy in policies:
        iam.attach_role_policy(RoleName=role, PolicyArn=policy)


def make_functions(aws: Endpoint, settings: LocalSettings) -> None:
    """The agent that is resumed by invocation, and the Lambdas of the Bedrock agent: nothing but placet.client in them."""
    functions, code = aws.client("lambda"), _code(settings)
    for name, (role, handler) in FUNCTIONS.items():
        functions.create_function(
            FunctionName=name,
            Runtime="python3.13",
            Role=role_arn(role),
            Handler=f"local.agents.{handler}",
            Code={"ZipFile": code},
            Timeout=60,
            MemorySize=256,
            Environment={"Variables": {"PLACET_URL": settings.api_url}},
        )
    for name in FUNCTIONS:
        functions.get_waiter("function_active_v2").wait(FunctionName=name, WaiterConfig={"Delay": 1})


def _code(settings: LocalSettings) -> bytes:
    """The zip: placet.client and the demo agents, nothing of the gateway."""
    with tempfile.TemporaryDirectory(dir=settings.run / "tmp") as folder:
        for root, parts in SHIPPED.items():
            for source in (root / part for part in parts):
                for file in [source] if source.is_file() else source.rglob("*.py"):
                    target = Path(folder) / file.relative_to(root)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(file.read_bytes())
        archive = zipped(Path(folder), settings.run / "tmp")
        return archive.read_bytes()


def agent_environment(settings: LocalSettings, credentials: Any) -> dict[str, str]:
    """What an agent process has to know, under the names that its SDKs read."""
    return {
        "PLACET_URL": settings.api_url,
        "AWS_ENDPOINT_URL": settings.endpoint,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": credentials.id,
        "AWS_SECRET_ACCESS_KEY": credentials.secret,
        "AWS_SESSION_TOKEN": credentials.token or "",
    }
