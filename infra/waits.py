"""Whether every run can wait as long as the policy lets its calls wait: looked at in the synth, before anybody waits in vain."""

from __future__ import annotations

import importlib.util
from collections.abc import Collection
from pathlib import Path

from infra.registry import Agent, SettingsError
from placet.model.frameworks import DAY_S, longest_wait_s
from placet.policy.rules import Policy

POLICY = Path(__file__).resolve().parents[1] / "layers" / "policy" / "python" / "placet_policy.py"


def deployed_policy(path: Path = POLICY) -> Policy:
    """The policy that will be deployed. Raises SettingsError when its file has none; its own errors pass."""
    spec = importlib.util.spec_from_file_location("placet_policy_of_the_synth", path)
    if spec is None or spec.loader is None:
        raise SettingsError(f"policy: {path.name} is no Python module")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = getattr(module, "POLICY", None)
    if not isinstance(found, Policy):
        raise SettingsError(f"policy: {path.name} must define POLICY")
    return found


def check_waits(policy: Policy, agents: Collection[Agent]) -> None:
    """Refuses a class whose calls may wait longer than a run of some agent can. Raises SettingsError."""
    for agent in agents:
        kept_s = longest_wait_s(agent.built_with, agent.keeps_runs_days * DAY_S)
        for one in policy.classes.values():
            if one.hard_maximum_s > kept_s:
                raise SettingsError(
                    f"policy: calls of the class {one.name} may wait {_days(one.hard_maximum_s)} (hard_maximum_s), "
                    f"and a paused run of {agent.name} is kept for {_days(kept_s)}: "
                    "lower hard_maximum_s, or keep runs longer and raise keeps_runs_days"
                )


def _days(seconds: int) -> str:
    return f"{seconds / DAY_S:g} days"
