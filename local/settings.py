"""Where the local mode listens and keeps its files; everything can be set by the environment."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from local.choosing import refuse_unusable
from local.errors import LocalError
from local.venvs import EMPTY

CHECKOUT = Path(__file__).resolve().parents[1]
REGION = "us-east-1"
DEMO_RULES = Path(__file__).with_name("agents") / "rules.py"
ACCOUNT = "000000000000"


@dataclass(frozen=True)
class LocalSettings:
    """One local Placet: four loopback ports and one folder."""

    gateway_port: int = 4566  # every AWS service, and the login pages
    steps_port: int = 4567  # the interpreter of the state machine
    api_port: int = 4568  # the deployed HTTP API under a name that every client resolves
    bedrock_port: int = 4569  # the Bedrock Agents runtime
    idle: int = 8  # environments of functions that are kept for the next call, of about 50 MB each
    home: Path = CHECKOUT / ".placet"
    run_name: str = ""  # of the folder; by itself it goes by the first port, so that two starts have two
    assembly: Path = CHECKOUT / "cdk.out"
    rules: Path | None = (
        None  # deployed in place of the shipped policy file, which they can read as `placet_shipped_policy`
    )

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> LocalSettings:
        """Read PLACET_PORT, PLACET_STEPS_PORT, PLACET_API_PORT, PLACET_BEDROCK_PORT and PLACET_HOME.

        Raises LocalError when one is no port, none that browsers open, or another one's, and when the home is empty.
        """
        default = cls()
        settings = cls(
            gateway_port=_port(environ, "PLACET_PORT", default.gateway_port),
            steps_port=_port(environ, "PLACET_STEPS_PORT", default.steps_port),
            api_port=_port(environ, "PLACET_API_PORT", default.api_port),
            bedrock_port=_port(environ, "PLACET_BEDROCK_PORT", default.bedrock_port),
            home=_home(environ, default.home),
        )
        refuse_unusable(settings.named_ports)
        return settings

    def on_free_ports(self) -> LocalSettings:
        """The same, on four free ports and in a folder of its own: for tests beside a running `make run`."""
        gateway, steps, api, bedrock = free_ports(4)
        return replace(
            self,
            gateway_port=gateway,
            steps_port=steps,
            api_port=api,
            bedrock_port=bedrock,
            idle=64,
        )

    def with_demo_rules(self) -> LocalSettings:
        """The same with the demo's rules beside the shipped ones: a quorum, and moments that are minutes away."""
        return replace(self, rules=DEMO_RULES)

    @property
    def ports(self) -> tuple[int, ...]:
        """All on which something listens."""
        return self.gateway_port, self.steps_port, self.api_port, self.bedrock_port

    @property
    def named_ports(self) -> dict[str, int]:
        """The same, by the variables that choose them."""
        return {
            "PLACET_PORT": self.gateway_port,
            "PLACET_STEPS_PORT": self.steps_port,
            "PLACET_API_PORT": self.api_port,
            "PLACET_BEDROCK_PORT": self.bedrock_port,
        }

    @property
    def run(self) -> Path:
        """Run state: what is there only while the stack is up, but for the logs of the last run."""
        usual = self.gateway_port == LocalSettings.gateway_port
        return self.home / (self.run_name or ("run" if usual else f"run-{self.gateway_port}"))

    @property
    def chosen(self) -> str:
        """What stands before a command that is meant for this start: `PLACET_PORT=4666 `; nothing for the usual port."""
        return "" if self.gateway_port == LocalSettings.gateway_port else f"PLACET_PORT={self.gateway_port} "

    @property
    def exchanged(self) -> Path:
        """Where the emulator finds the layers for this machine."""
        return self.run / "tmp" / "exchanged"

    @property
    def logs(self) -> Path:
        return self.run / "logs"

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.gateway_port}"

    @property
    def steps_endpoint(self) -> str:
        return f"http://127.0.0.1:{self.steps_port}"

    @property
    def bedrock_endpoint(self) -> str:
        return f"http://127.0.0.1:{self.bedrock_port}"

    @property
    def login_url(self) -> str:
        return f"http://localhost:{self.gateway_port}"

    @property
    def api_url(self) -> str:
        return f"http://localhost:{self.api_port}"


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on right now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def _home(environ: Mapping[str, str], default: Path) -> Path:
    given = environ.get("PLACET_HOME")
    if given == "":  # would be the folder in which the shell stands
        raise LocalError(*EMPTY)
    return Path(given) if given else default


def _port(environ: Mapping[str, str], name: str, default: int) -> int:
    text = environ.get(name, str(default))
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise LocalError(
            f"{name} is {text!r}, which is no port.", f"Set it to a number below 65536, or unset it ({default})."
        )
    return int(text)
