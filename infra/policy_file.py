"""The policy that will be deployed: read in the synth, with its mistakes said by file, line, tool and rule before anybody waits."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from infra import policy_clean, policy_runtime
from infra.definitions import definition_of
from infra.policy_words import said
from infra.registry import Agent, SettingsError
from placet.policy.mistakes import mistakes
from placet.policy.rules import Policy

POLICY = Path(__file__).resolve().parents[1] / "layers" / "policy" / "python" / "placet_policy.py"
CORE = Path(__file__).resolve().parents[1] / "layers" / "core" / "python"


def deployed_policy(path: Path = POLICY) -> Policy:
    """The policy in a file. Raises SettingsError when it has none, or cannot be run: with the line that was at fault."""
    path = path.resolve()
    spec = importlib.util.spec_from_file_location("placet_policy_of_the_synth", path)
    if spec is None or spec.loader is None:
        raise SettingsError(f"policy: {path.name} is no Python module")
    module = importlib.util.module_from_spec(spec)
    try:
        with policy_runtime.watched(path.parent) as opened:
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # one that ends the synth would end it without a word
        raise SettingsError(f"policy: {path.name}{said(path, error)}") from error
    found = getattr(module, "POLICY", None)
    if not isinstance(found, Policy):
        raise SettingsError(f"policy: {path.name} must define POLICY{_instead(module, found)}")
    if again := _again(path):
        raise SettingsError(
            f"policy: {path.name}, line {again[1]}: POLICY is written twice, and line {again[0]} is lost"
        )
    if opened:
        raise SettingsError(
            f"policy: {path.name}: reads {opened[0]}, which the functions do not have; put it beside the policy"
        )
    return found


def check_policy(policy: Policy, agents: Collection[Agent], path: Path = POLICY) -> None:
    """Refuses a policy that does not say what it seems to say. Raises SettingsError with all its mistakes."""
    found = [*policy_runtime.amiss(policy, path), *mistakes(policy, known_arguments(agents))]
    if found:
        raise SettingsError("\n".join(f"policy: {path.name}: {one}" for one in found))


def check_alone(policy: Policy, path: Path = POLICY) -> None:
    """Refuses a policy that takes something from the machine of the synth. Raises SettingsError with where it would differ."""
    if said := policy_clean.differs(path, policy, CORE, policy_runtime.not_there()):
        raise SettingsError(f"policy: {path.name}: {said}; write it into the policy, or into a file beside it")


def noted(policy: Policy, path: Path = POLICY) -> Iterator[str]:
    """What is no mistake and lets one pass: said by the synth, which goes on."""
    if not policy.groups:
        asked = ", ".join(f'"{one}"' for one in sorted(policy.asked_groups))
        yield (
            f"policy: {path.name}: Policy.of is given no groups, so a misspelt one is not noticed, and nobody would be asked: "
            f"write groups=frozenset({{{asked}}})"
        )


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


def _instead(module: ModuleType, found: object) -> str:
    """What stands where the policy should be."""
    if found is not None:
        return f", a Policy, written POLICY = Policy.of(...), and it is a {type(found).__name__}"
    others = sorted(name for name, value in vars(module).items() if isinstance(value, Policy))
    return f", and it defines {', '.join(others)}: call one POLICY" if others else ", written POLICY = Policy.of(...)"


def _again(path: Path) -> list[int]:
    """The lines at which POLICY is written, when there are several: the last one counts, and whoever reads the first is misled."""
    written = [
        node.lineno
        for node in ast.parse(path.read_bytes()).body
        if isinstance(node, ast.Assign | ast.AnnAssign) and "POLICY" in {ast.unparse(one) for one in _targets(node)}
    ]
    return written if len(written) > 1 else []


def _targets(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]
