"""What an assembly was made from and where it belongs, in a file beside its templates: so one that was made earlier is known too.

The manifest says where it belongs as well, in CDK's own words: any CDK command line, and one that reads nothing of ours, then
deploys it into that account and region and no other. One of an example belongs to the local mode's account, which AWS gives nobody.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from infra.lock_file import NAMED
from infra.names import EXAMPLE, TEMPLATE
from infra.registry import SettingsError
from infra.settings_file import SettingsFile

FILE = "made-from.json"
OF_EXAMPLE = "example"
VARIABLE = "PLACET_INSTALLATION"
BY_CLI = "CDK_CLI_VERSION"  # which the CDK command line sets, and `make synth` takes away
NOBODYS = "000000000000"  # the account of the local mode (local/settings.py)
ANYWHERE = "unknown-region"  # CDK's word for the region of the credentials
MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Made:
    """What an assembly was made from.

    Attributes:
        settings: "example", or the digest of the values of a file of settings.
        examples: keys whose values are an example's, which no account takes.
        installation: "account/region" that it belongs to; empty when nobody said.
    """

    settings: str = ""
    examples: tuple[str, ...] = ()
    installation: str = ""

    @classmethod
    def of(cls, file: SettingsFile, installation: str) -> Made:
        """What a synth makes of a file of settings."""
        if file.is_example:
            return cls(OF_EXAMPLE)
        return cls(settings_digest(file), tuple(file.example_keys), installation)

    @property
    def is_example(self) -> bool:
        return self.settings == OF_EXAMPLE or bool(self.examples)

    @property
    def environment(self) -> str:
        """Where it belongs, as CDK's manifest says it; empty for wherever the credentials are."""
        if self.is_example:
            return f"aws://{NOBODYS}/{ANYWHERE}"
        return f"aws://{self.installation}" if self.installation else ""


def settings_digest(file: SettingsFile) -> str:
    """Of what a file of settings says, whatever its comments, order and lines."""
    said = json.dumps(file.values, sort_keys=True, default=str)
    return f"sha256:{hashlib.sha256(said.encode()).hexdigest()}"


def named_installation(environ: Mapping[str, str] = os.environ) -> str:
    """Which account and region a synth is for: what somebody says, or what the CDK command line knows of its credentials.

    Empty when nobody says. Raises SettingsError for what is no account with its region.
    """
    if said := environ.get(VARIABLE, ""):
        if not NAMED.fullmatch(said):
            raise SettingsError(f"{VARIABLE} must be an account and a region, 123456789012/eu-central-1, not {said!r}")
        return said
    found = f"{environ.get('CDK_DEFAULT_ACCOUNT', '')}/{environ.get('CDK_DEFAULT_REGION', '')}"
    return found if environ.get(BY_CLI) and NAMED.fullmatch(found) else ""


def write_made(assembly: Path, made: Made) -> None:
    """Say in an assembly what it was made from, and in its manifest where it belongs."""
    (assembly / FILE).write_text(json.dumps(asdict(made), indent=1) + "\n", "utf-8")
    if not made.environment:
        return
    manifest = json.loads((assembly / MANIFEST).read_text("utf-8"))
    for artifact in manifest["artifacts"].values():
        if artifact["type"] == "aws:cloudformation:stack":
            artifact["environment"] = made.environment
    (assembly / MANIFEST).write_text(json.dumps(manifest, indent=1), "utf-8")


def read_made(assembly: Path) -> Made:
    """What an assembly was made from; one of an older release says no more than whether it was the example."""
    try:
        found = json.loads((assembly / FILE).read_text("utf-8"))
        return Made(str(found["settings"]), tuple(map(str, found["examples"])), str(found["installation"]))
    except (OSError, ValueError, LookupError, TypeError):
        return Made(OF_EXAMPLE) if _metadata(assembly).get(EXAMPLE) else Made()


def _metadata(assembly: Path) -> Mapping[str, Any]:
    try:
        found = json.loads((assembly / TEMPLATE).read_text("utf-8")).get("Metadata", {})
    except (OSError, ValueError, AttributeError):
        return {}
    return found if isinstance(found, dict) else {}
