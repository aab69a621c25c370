"""What the tools that look at an account know without CDK: the settings, and the stacks' outputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from infra.settings import Settings

ROOT = Path(__file__).resolve().parent.parent


def deployed_settings() -> Settings:
    """The settings in cdk.json."""
    return Settings.from_context(json.loads((ROOT / "cdk.json").read_text("utf-8"))["context"]["placet"])


def outputs(cloudformation: Any, stack: str) -> dict[str, str]:
    """A deployed stack's outputs."""
    (found,) = cloudformation.describe_stacks(StackName=stack)["Stacks"]
    return {one["OutputKey"]: one["OutputValue"] for one in found.get("Outputs", [])}
