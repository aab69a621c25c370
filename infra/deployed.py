"""What the tools that look at an account know without CDK: the settings, and the stacks' outputs."""

from __future__ import annotations

import ipaddress
from typing import Any
from urllib.parse import urlsplit

from infra import regions
from infra.settings import Settings
from infra.settings_file import deployable
from placet.cli.session import session
from placet.client.errors import ClientError as NotSaid

__all__ = ["NotSaid", "deployed_settings", "is_here", "outputs", "session_in"]


def deployed_settings() -> Settings:
    """The settings of this checkout, without an example. Raises SettingsError."""
    return deployable()


def session_in(region: str | None = None) -> Any:
    """The session of `placet.cli.session`. Raises NotSaid too where its region is none of AWS."""
    made = session(region)
    if said := regions.amiss(made.region_name):
        raise NotSaid(
            f"{said}. Name it with AWS_REGION=eu-central-1, --region where the command has it, or in the profile."
        )
    return made


def outputs(cloudformation: Any, stack: str) -> dict[str, str]:
    """A deployed stack's outputs."""
    (found,) = cloudformation.describe_stacks(StackName=stack)["Stacks"]
    return {one["OutputKey"]: one["OutputValue"] for one in found.get("Outputs", [])}


def is_here(url: str) -> bool:
    """Whether an address is this machine's own: an emulator speaks plain HTTP."""
    host = urlsplit(url).hostname or ""
    if not url.startswith("http://"):
        return False
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
