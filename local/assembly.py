"""The cloud assembly that ``make synth`` wrote: its stacks in the order of deployment, and their assets."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from local.errors import StepFailed
from local.settings import ACCOUNT, REGION

PLACEHOLDERS = {"${AWS::AccountId}": ACCOUNT, "${AWS::Region}": REGION, "${AWS::Partition}": "aws"}


@dataclass
class Asset:
    """One file or folder that CloudFormation reads from the asset bucket."""

    source: Path
    zipped: bool
    bucket: str
    key: str


@dataclass
class Stack:
    """One stack as it was synthesized.

    Attributes:
        template: to look into; what is deployed is ``body``, the very bytes of its file.
    """

    name: str
    template: dict[str, Any]
    body: bytes
    assets: list[Asset]
    outputs: dict[str, str] = field(default_factory=dict)

    def resources(self, kind: str) -> dict[str, dict[str, Any]]:
        """Logical id → definition of every resource of this type."""
        return {name: one for name, one in self.template.get("Resources", {}).items() if one["Type"] == kind}

    def told(self, variable: str) -> set[str]:
        """What the stack's functions are told by this environment variable, as far as it is known before a deployment."""
        functions = self.resources("AWS::Lambda::Function").values()
        told = (one["Properties"].get("Environment", {}).get("Variables", {}).get(variable) for one in functions)
        return {one for one in told if isinstance(one, str)}


def read_assembly(folder: Path) -> list[Stack]:
    """The stacks, each after those it depends on; raise StepFailed when nothing was synthesized."""
    manifest = folder / "manifest.json"
    if not manifest.exists():
        raise StepFailed(f"{folder} holds no synthesized stacks.", "Write them: make synth")
    artifacts = json.loads(manifest.read_text())["artifacts"]
    return [_read_stack(folder, name, artifacts[name]) for name in _ordered(artifacts)]


def _ordered(artifacts: dict[str, Any]) -> list[str]:
    stacks = [name for name, one in artifacts.items() if one["type"] == "aws:cloudformation:stack"]
    done: list[str] = []

    def visit(name: str) -> None:
        for needed in artifacts[name].get("dependencies", []):
            if needed in stacks and needed not in done:
                visit(needed)
        if name not in done:
            done.append(name)

    for name in stacks:
        visit(name)
    return done


def _read_stack(folder: Path, name: str, artifact: dict[str, Any]) -> Stack:
    body = (folder / artifact["properties"]["templateFile"]).read_bytes()
    listed = folder / f"{name}.assets.json"
    files = json.loads(listed.read_text())["files"] if listed.exists() else {}
    assets = [
        Asset(
            folder / one["source"]["path"],
            one["source"]["packaging"] == "zip",
            _here(to["bucketName"]),
            to["objectKey"],
        )
        for one in files.values()
        for to in one["destinations"].values()
        if not one["source"]["path"].endswith(".template.json")  # it is the stack's body
    ]
    return Stack(artifact["properties"].get("stackName", name), json.loads(body), body, assets)


def _here(text: str) -> str:
    for placeholder, value in PLACEHOLDERS.items():
        text = text.replace(placeholder, value)
    return text
