"""What the tools that look at an account know without CDK: the settings, and the stacks' outputs."""

from __future__ import annotations

from typing import Any

from infra.settings import Settings
from infra.settings_file import deployable
from placet.cli.session import session as session_in
from placet.client.errors import ClientError as NotSaid

__all__ = ["NotSaid", "deployed_settings", "outputs", "session_in"]


def deployed_settings() -> Settings:
    """The settings of this checkout, without an example. Raises SettingsError."""
    return deployable()


def outputs(cloudformation: Any, stack: str) -> dict[str, str]:
    """A deployed stack's outputs."""
    (found,) = cloudformation.describe_stacks(StackName=stack)["Stacks"]
    return {one["OutputKey"]: one["OutputValue"] for one in found.get("Outputs", [])}
