"""The agents of the registry that was synthesized, and what a process has to know to be one of them here."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping

from botocore.exceptions import BotoCoreError, ClientError

from local.agents_setup import OPERATOR, agent_environment, role_arn
from local.assembly import read_assembly
from local.endpoint import Endpoint
from local.errors import LocalError, StepFailed
from local.roots import NONE, root_at
from local.run_state import nothing_runs
from local.settings import LocalSettings

OPERATES = "olga@example.com"  # who `placet undo` asks for: the session's name is to be an address


def roles(settings: LocalSettings) -> dict[str, str]:
    """By name of the agent, the role of its processes."""
    for stack in read_assembly(settings.assembly):
        for told in stack.told("PLACET_AGENTS"):
            return {one["name"]: one["role"] for one in json.loads(told)}
    return {}


def environment(settings: LocalSettings, name: str) -> str:
    """The lines that make a shell's processes this agent or operator for about an hour; raise LocalError when it is neither."""
    known = {**roles(settings), OPERATOR: OPERATOR}
    if name not in known:
        raise LocalError(
            f"The registry knows no agent {name!r}, only {', '.join(one for one in known if one != OPERATOR)}.",
            "Add it to agents in placet.toml (a copy of placet.example.toml), and start anew: make stop run. "
            f"Operators are {OPERATOR}; without a name it is root, for people's commands",
        )
    try:
        session = OPERATES if name == OPERATOR else name
        credentials = Endpoint(settings.endpoint).assume(role_arn(known[name]), session)
    except (BotoCoreError, ClientError) as error:
        raise StepFailed(
            f"Placet does not answer on port {settings.gateway_port} for {name!r}.",
            f"Start it, with the agent in the registry: {settings.chosen}make run",
        ) from error
    return _exports(agent_environment(settings, credentials))


def root_environment(settings: LocalSettings) -> str:
    """The lines that make a shell's processes the account's root here; raise StepFailed when nothing runs."""
    root = root_at(settings.endpoint)
    if root == NONE:
        raise nothing_runs(settings)
    return _exports(agent_environment(settings, root))


def _exports(told: Mapping[str, str]) -> str:
    return "\n".join(f"export {variable}={shlex.quote(value)}" for variable, value in told.items())
