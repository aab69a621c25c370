"""An account for the rehearsal: empty at first, deployed into by the real command line, operated by the real commands."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from infra import cdk
from local import agents_setup, arrangements
from local.deploy import prepare
from local.people import PEOPLE, Person, Reviewer
from local.settings import ACCOUNT, CHECKOUT, REGION, LocalSettings
from local.stack import LocalStack
from tests.proofs.rehearsing.assemblies import digest

STACKS = ("PlacetData", "PlacetGateway")
ENVIRONMENT = f"aws://{ACCOUNT}/{REGION}"
DECIDERS = ("maria", "jonas")
DONE = {"CREATE_COMPLETE", "UPDATE_COMPLETE"}


@dataclass(frozen=True)
class Ended:
    """A command that has ended: its exit code and everything that it said."""

    code: int
    said: str

    def taken(self, what: str) -> str:
        """What it said; AssertionError with its last lines when it failed."""
        assert self.code == 0, f"{what} ended with {self.code}: {' / '.join(self.said.strip().splitlines()[-6:])}"
        return self.said


class Account(LocalStack):
    """The running emulators, with nothing in them until something is deployed."""

    def __init__(self, settings_file: Path, say: Callable[[str], None]) -> None:
        super().__init__(LocalSettings.from_environment().on_free_ports(), say)
        self.settings_file = settings_file

    @property
    def environment(self) -> dict[str, str]:
        """What a terminal of this account's owner has: root's keys, one region, the rehearsal's settings, no browser."""
        root, known = self.aws.root, ("PATH", "LANG", "LC_ALL", "PYTHONPATH")
        return {name: os.environ[name] for name in known if name in os.environ} | {
            "HOME": str(self.settings.run),
            "CI": "true",
            "COLUMNS": "200",
            "AWS_ACCESS_KEY_ID": root.id,
            "AWS_SECRET_ACCESS_KEY": root.secret,
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ENDPOINT_URL_SFN": self.settings.steps_endpoint,
            "AWS_EC2_METADATA_DISABLED": "true",
            "PLACET_SETTINGS": str(self.settings_file),
            "PLACET_URL": self.api_url,
        }

    def run(self, words: list[str], environment: dict[str, str] | None = None, folder: Path = CHECKOUT) -> Ended:
        """Run a command to its end, however it ends."""
        told = environment or self.environment
        done = subprocess.run(words, env=told, cwd=folder, capture_output=True, text=True, timeout=600)
        return Ended(done.returncode, done.stdout + done.stderr)

    def python(self, *words: str, folder: Path = CHECKOUT, **more: str) -> Ended:
        """``python -m …`` as the account's owner, with more variables."""
        return self.run([sys.executable, "-m", *words], self.environment | more, folder)

    def cdk(self, *words: str) -> Ended:
        """The pinned CDK command line. Its own look-ups of the interpreter's address would be of no service that it uses."""
        return self.run([*cdk.command(), "--no-notices", *words], cdk.environment(self.environment))

    def of(self, assembly: Path) -> LocalSettings:
        """The settings of this start, with another assembly."""
        return replace(self.settings, assembly=assembly)

    def cdk_deploy(self, assembly: Path) -> Ended:
        """``cdk deploy --all`` of an assembly as it is; layers for this machine are laid ready beside it."""
        arrangements.exchange_layers(prepare(self.of(assembly)))
        ended = self.cdk(
            "deploy", "--all", "--app", str(assembly), "--require-approval", "never", "--progress", "events"
        )
        self.outputs = {key: value for name in STACKS for key, value in self.stack_outputs(name).items()}
        return ended

    def cdk_deploy_unchanged(self, assembly: Path) -> Ended:
        """The same; AssertionError when manifest, templates or assets are not afterwards what they were before."""
        before = digest(assembly)
        ended = self.cdk_deploy(assembly)
        assert digest(assembly) == before, f"the deploy changed {assembly.name}"
        return ended

    def described(self, name: str) -> dict[str, Any]:
        """A stack as CloudFormation tells it; raises ClientError when there is none."""
        return dict(self.client("cloudformation").describe_stacks(StackName=name)["Stacks"][0])

    def stack_outputs(self, name: str) -> dict[str, str]:
        return {one["OutputKey"]: one["OutputValue"] for one in self.described(name).get("Outputs", [])}

    def statuses(self) -> dict[str, str]:
        """By stack, what CloudFormation says of it."""
        return {name: str(self.described(name)["StackStatus"]) for name in STACKS}

    def template(self, name: str) -> Any:
        """The template that is deployed."""
        body = self.client("cloudformation").get_template(StackName=name)["TemplateBody"]
        return json.loads(body) if isinstance(body, str) else body

    def resources(self, stack: str) -> dict[str, set[str]]:
        """By type, the physical ids of a stack's resources."""
        found: dict[str, set[str]] = {}
        for page in self.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=stack):
            for one in page["StackResourceSummaries"]:
                found.setdefault(one["ResourceType"], set()).add(one["PhysicalResourceId"])
        return found

    def functions(self) -> dict[str, str]:
        """By function of the gateway, a digest of its code, layers and configuration."""
        found = {}
        for page in self.client("lambda").get_paginator("list_functions").paginate():
            for one in page["Functions"]:
                parts = [
                    one["CodeSha256"],
                    one.get("Layers", []),
                    one.get("Environment"),
                    one["Timeout"],
                    one["Handler"],
                ]
                found[one["FunctionName"]] = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
        return found

    def events(self, name: str) -> list[dict[str, Any]]:
        """Of a stack, oldest first."""
        pages = self.client("cloudformation").get_paginator("describe_stack_events").paginate(StackName=name)
        return [one for page in pages for one in page["StackEvents"]][::-1]

    def sign_up(self, person: Person) -> Reviewer:
        """A reviewer by the command, which makes the account too; how they choose a password at first is cut short."""
        words = ["--json", "reviewers", "add", *person.groups, "--email", person.email, "--name", person.name]
        said = self.python("placet.cli", *words, "--username", person.username).taken("reviewers add")
        login = {"UserPoolId": self.outputs["UserPoolId"], "Username": person.username}
        self.client("cognito-idp").admin_set_user_password(**login, Password=person.password, Permanent=True)
        sub = json.loads(said)["sub"]
        return Reviewer(person.username, person.password, sub, person.email, person.name, person.groups)

    def enter_reviewers(self) -> None:
        """The people of the local mode who decide."""
        self._reviewers = {person.username: self.sign_up(person) for person in PEOPLE if person.username in DECIDERS}

    def make_roles(self, roles: list[str]) -> None:
        """What the owner does for agents and operators: their roles, with the policies of the outputs."""
        for role in roles:
            agents_setup.make_role(self.aws, role, self.outputs["AgentAccessPolicyArn"])
        agents_setup.make_role(self.aws, agents_setup.OPERATOR, self.outputs["OperatorAccessPolicyArn"])
