"""The policy that will be deployed: read in the synth, with its mistakes said by file, line, tool and rule before anybody waits."""

from __future__ import annotations

import importlib.util
import traceback
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from infra.definitions import definition_of
from infra.registry import Agent, SettingsError
from placet.policy.mistakes import mistakes
from placet.policy.rules import Policy

POLICY = Path(__file__).resolve().parents[1] / "layers" / "policy" / "python" / "placet_policy.py"


def deployed_policy(path: Path = POLICY) -> Policy:
    """The policy in a file. Raises SettingsError when it has none, or cannot be run: with the line that was at fault."""
    path = path.resolve()
    spec = importlib.util.spec_from_file_location("placet_policy_of_the_synth", path)
    if spec is None or spec.loader is None:
        raise SettingsError(f"policy: {path.name} is no Python module")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise SettingsError(f"policy: {path.name}{_line(path, error)}: {_said(error)}") from error
    found = getattr(module, "POLICY", None)
    if not isinstance(found, Policy):
        raise SettingsError(f"policy: {path.name} must define POLICY")
    return found


def check_policy(policy: Policy, agents: Collection[Agent], path: Path = POLICY) -> None:
    """Refuses a policy that does not say what it seems to say. Raises SettingsError with all its mistakes."""
    if found := mistakes(policy, known_arguments(agents)):
        raise SettingsError("\n".join(f"policy: {path.name}: {one}" for one in found))


def known_arguments(agents: Collection[Agent], folder: Path | None = None) -> dict[str, frozenset[str]]:
    """What the tools take of which this deployment has the schemas: the functions of inline agents' definitions."""
    return dict(
        function
        for agent in agents
        if agent.kind == "bedrock_inline"
        for function in _functions(definition_of(agent, folder))
    )


def _functions(definition: Mapping[str, Any]) -> Iterator[tuple[str, frozenset[str]]]:
    for group in definition.get("actionGroups", ()):
        for function in group.get("functionSchema", {}).get("functions", ()):
            yield f"{group['actionGroupName']}.{function['name']}", frozenset(function.get("parameters", {}))


def _line(path: Path, error: Exception) -> str:
    if isinstance(error, SyntaxError):
        return f", line {error.lineno}"
    own = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f", line {own[-1]}" if own else ""


def _said(error: Exception) -> str:
    if isinstance(error, SyntaxError):
        return f"{error.msg}"
    return str(error) if isinstance(error, ValueError | TypeError) else f"{type(error).__name__}: {error}"
