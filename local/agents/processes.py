"""The support agent's processes, each in the agent's own environment and under its own role, started by exec and nothing else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import uuid
from typing import Any

import boto3

from local.venvs import VENVS
from placet.client import Gateway

MODULE = "local.agents.support"
PATIENCE_S = 300.0  # on a machine that has other things to do


class AgentFailed(Exception):
    """A process of the agent ended otherwise than it should have; the message carries its last words."""


class SupportProcesses:
    """Args:
    environment: what an agent process is told: PLACET_URL and its credentials.
    """

    def __init__(self, environment: dict[str, str]) -> None:
        self._environment = {"PATH": os.environ.get("PATH", ""), **environment}

    def start(self, scenario: str) -> dict[str, Any]:
        """Start a conversation in a process that ends as soon as it waits. Gives its one event."""
        return self._run("--scenario", scenario, "--thread", _thread(scenario))[-1]

    def start_and_kill(self, scenario: str) -> dict[str, Any]:
        """Start one in a process that stays, and SIGKILL it once it waits."""
        process = self.spawn("--scenario", scenario, "--thread", _thread(scenario), "--stay")
        try:
            line = process.stdout.readline() if process.stdout else ""
        finally:
            process.send_signal(signal.SIGKILL)
            _, errors = process.communicate()
        if not line:
            raise AgentFailed(errors[-2000:])
        if process.returncode != -signal.SIGKILL:
            raise AgentFailed(f"the process ended with {process.returncode} before it could be killed")
        return dict(json.loads(line))

    def go_on(self, thread: str, patience_s: float = PATIENCE_S) -> dict[str, Any]:
        """A new process picks decided pauses up until this thread has ended. Gives its last event."""
        return self._run("--pick-up", "--thread", thread, "--patience", str(patience_s), timeout=patience_s + 60)[-1]

    def _run(self, *arguments: str, timeout: float = PATIENCE_S) -> list[dict[str, Any]]:
        process = self.spawn(*arguments)
        try:
            out, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, errors = process.communicate()
        finally:
            process.kill()  # nothing is left behind when the demo itself is ended
        if process.returncode or not out.strip():
            raise AgentFailed(f"{' '.join(arguments)}: exit {process.returncode}\n{errors[-3000:]}")
        return [json.loads(line) for line in out.splitlines()]

    def spawn(self, *arguments: str) -> subprocess.Popen[str]:
        """One process of the agent."""
        return subprocess.Popen(  # noqa: S603 - our own module, our own interpreter
            [VENVS["agent"].python, "-P", "-m", MODULE, *arguments],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


def session_as(stack: Any, agent: str) -> boto3.Session:
    """A session with the credentials of an agent's role."""
    credentials = stack.agent_credentials(agent)
    return boto3.Session(credentials.id, credentials.secret, credentials.token, region_name="us-east-1")


def gateway_as(stack: Any, agent: str) -> Gateway:
    """The gateway under an agent's role, for looking at its own pauses."""
    return Gateway(stack.api_url, "us-east-1", session_as(stack, agent))


def _thread(scenario: str) -> str:
    return f"{scenario}-{uuid.uuid4().hex[:8]}"
