"""The whole product on this machine, as a context manager: start, deploy, seed; and an end that leaves nothing behind."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from types import TracebackType
from typing import Any

from local import agents_setup
from local.agents.executions import make_tables
from local.browser import Browser
from local.deploy import deploy, prepare
from local.emulator.signatures import Key
from local.endpoint import Endpoint
from local.errors import LocalError
from local.folders import is_ours
from local.outbox import Mail, read_outbox
from local.people import Reviewer
from local.processes import Emulators
from local.registered import roles
from local.reviewing import Reviewing
from local.seed import seed_members, seed_people
from local.settings import LocalSettings
from local.sign_in import access_token, sign_in
from local.sizes import Memory, memory_of


def silent(_line: str) -> None:
    """Progress that nobody reads."""


class LocalStack:
    """A running Placet. Use it in a ``with``; every attribute is there once it is entered.

    ``say`` gets one line per step of the start. Raises LocalError with a sentence and a way out.
    """

    def __init__(self, settings: LocalSettings | None = None, say: Callable[[str], None] = silent) -> None:
        self.settings = settings or LocalSettings.from_environment()
        self.aws = Endpoint(self.settings.endpoint)
        self.outputs: dict[str, str] = {}
        self._say = say
        self._emulators = Emulators(self.settings)
        self._reviewers: dict[str, Reviewer] = {}

    def __enter__(self) -> LocalStack:
        try:
            self.start()
            self.deploy()
            self.seed()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Boot the emulators; nothing is deployed yet."""
        self._say("start: booting the AWS emulator, the state machine's interpreter and Bedrock's runtime")
        self._emulators.start()
        if left := self._emulators.left:
            shown = ", ".join(map(str, left[:3])) + (f" and {len(left) - 3} more" if left[3:] else "")
            self._say(f"start: left as it is, for it has no mark of ours: {shown}; an earlier version's can be removed")

    def deploy(self) -> None:
        """Create or update the stacks from what `make synth` wrote."""
        deployment = prepare(self.settings)
        for stack in deployment.stacks:
            self._say(f"deploy: {stack.name}, {len(stack.template['Resources'])} resources")
        self.outputs = deploy(deployment)

    def seed(self) -> None:
        """People, memberships, the demo agents' roles and what of them lives in Lambda."""
        registered = roles(self.settings)
        agents = {*agents_setup.ROLES, *registered}
        self._say(f"seed: reviewers, an operator, and {len(agents)} agents with their roles")
        self._reviewers = seed_people(self.aws, self.outputs["UserPoolId"])
        seed_members(self.aws, self.table_name, self._reviewers)
        agents_setup.make_roles(self.aws, self.outputs, registered.values())
        make_tables(self.aws.client("dynamodb"), self.aws.client("iam"), list(agents_setup.ACTING))
        agents_setup.make_functions(self.aws, self.settings)

    def stop(self) -> None:
        """End every process and remove the run state; safe to call twice."""
        self._emulators.stop()

    def discard(self) -> None:
        """End every process and remove the logs too: for tests."""
        self.stop()
        if is_ours(self.settings.run):
            shutil.rmtree(self.settings.run, ignore_errors=True)

    @property
    def alive(self) -> bool:
        return self._emulators.alive()

    @property
    def memory(self) -> Memory:
        """What all its processes take now, this one among them."""
        return memory_of(self._emulators.group)

    @property
    def endpoint(self) -> str:
        """Where every AWS service answers."""
        return self.settings.endpoint

    @property
    def api_url(self) -> str:
        """Root of the deployed HTTP API, without a slash at the end."""
        return self.settings.api_url

    @property
    def table_name(self) -> str:
        return self.outputs["TableName"]

    def client(self, service: str, role: str | None = None) -> Any:
        """A boto3 client as the account's root, or under the IAM role of this name."""
        credentials = self.aws.assume(agents_setup.role_arn(role), "local") if role else None
        return self.aws.client(service, credentials)

    def agent_credentials(self, name: str) -> Key:
        """Temporary credentials of a demo agent (``support-agent``, ``billing-agent``, ``refund-desk``)."""
        if name not in agents_setup.ROLES:
            raise LocalError(f"There is no demo agent {name!r}.", f"There are {', '.join(agents_setup.ROLES)}.")
        return self.aws.assume(agents_setup.role_arn(agents_setup.ROLES[name]), name)

    def operator_credentials(self, name: str = "olga") -> Key:
        """Temporary credentials of the operators' role; ``name`` is who the audit trail says it was."""
        return self.aws.assume(agents_setup.role_arn(agents_setup.OPERATOR), name)

    def agent_environment(self, name: str) -> dict[str, str]:
        """The environment for a process that is this agent."""
        told = agents_setup.agent_environment(self.settings, self.agent_credentials(name))
        return {**told, "TMPDIR": str(self.settings.run / "tmp")}

    def reviewer(self, username: str) -> Reviewer:
        """One of the seeded people (``maria``, ``jonas``, ``olga``)."""
        return self._reviewers[username]

    def sign_in(self, username: str) -> Browser:
        """A browser in which this person has signed in through the real pages."""
        return sign_in(self.api_url, self.reviewer(username))

    def access_token(self, username: str) -> str:
        """This person's access token, for the JSON routes."""
        callback = f"{self.api_url}/sign-in/callback"
        return access_token(self.settings.login_url, self.outputs["ClientId"], callback, self.reviewer(username))

    def reviewing(self, username: str) -> Reviewing:
        """This person at work through the JSON routes."""
        return Reviewing(self.api_url, self.access_token(username))

    def outbox(self) -> list[Mail]:
        """Every mail that would have been sent since the start, oldest first."""
        return read_outbox(self.settings.endpoint)
