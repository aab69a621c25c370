"""The policy that will be deployed: read in the synth, with its mistakes said by file, line, tool and rule before anybody waits."""

from __future__ import annotations

import importlib.util
import re
import sys
import traceback
from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from infra import policy_runtime
from infra.definitions import definition_of
from infra.registry import Agent, SettingsError
from placet.policy.mistakes import mistakes
from placet.policy.rules import Policy

POLICY = Path(__file__).resolve().parents[1] / "layers" / "policy" / "python" / "placet_policy.py"
RENAMED = {"lease_s": "claim_s"}  # fields of a policy: a lease is of a decided pause, a claim of a call
LONGEST = 120  # characters of a line that are shown


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
        raise SettingsError(f"policy: {path.name}{_what(path, error)}") from error
    found = getattr(module, "POLICY", None)
    if not isinstance(found, Policy):
        raise SettingsError(f"policy: {path.name} must define POLICY")
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


def _what(path: Path, error: BaseException) -> str:
    """The line that was at fault, why, and what it says."""
    number, text = _line(path, error), ""
    if isinstance(error, SyntaxError):
        text = error.text or ""
    elif number and not isinstance(error, ValueError | TypeError):  # of these our own sentence says what was written
        text = path.read_text("utf-8").splitlines()[number - 1]
    where = f", line {number}" if number else ""
    return f"{where}: {_said(path, error)}{f', in: {text.strip()[:LONGEST]}' if text.strip() else ''}"


def _line(path: Path, error: BaseException) -> int:
    """The line of the file; 0 when none is known to be at fault."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return error.lineno or 0
    own = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return (own[-1] if own else 0) or 0


def _said(path: Path, error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        elsewhere = error.filename and error.filename != str(path)
        return f"{Path(str(error.filename)).name}, line {error.lineno}: {error.msg}" if elsewhere else error.msg
    if isinstance(error, SystemExit):
        return "it ends the program, and a policy only says what there is"
    if isinstance(error, ImportError):
        return f"{type(error).__name__}: {error.msg.partition(' (/')[0]}{_meant(error)}"
    if isinstance(error, TypeError) and (renamed := [name for name in RENAMED if f"argument '{name}'" in str(error)]):
        return f"{error}; it is called {RENAMED[renamed[0]]} now"
    return str(error) if isinstance(error, ValueError | TypeError) else f"{type(error).__name__}: {error}"


def _meant(error: ImportError) -> str:
    """What a misspelt name of an imported module was to be."""
    wanted = re.match(r"cannot import name '(\w+)'", error.msg)
    there = [name for name in dir(sys.modules.get(error.name or "")) if not name.startswith("_")] if wanted else []
    near = get_close_matches(wanted[1], there, n=1) if wanted else []
    return f"; {near[0]} was meant" if near else ""
