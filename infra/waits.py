"""Whether every run can wait as long as the policy lets its calls wait: looked at in the synth, before anybody waits in vain."""

from __future__ import annotations

from collections.abc import Collection

from infra.registry import Agent, SettingsError
from placet.frameworks import longest_wait_s
from placet.frameworks.contract import DAY_S
from placet.policy.rules import Policy


def check_waits(policy: Policy, agents: Collection[Agent]) -> None:
    """Refuses a class whose calls may wait longer than a run of some agent can. Raises SettingsError."""
    for agent in agents:
        kept_s = longest_wait_s(agent.built_with, agent.keeps_runs_days * DAY_S)
        for one in policy.classes.values():
            if one.hard_maximum_s <= kept_s < one.hard_maximum_s + one.undo_s:
                raise SettingsError(
                    f"policy: calls of the class {one.name} may wait {_days(one.hard_maximum_s)} (hard_maximum_s) and are "
                    f"then held for {one.undo_s} seconds (undo_s), and a paused run of {agent.name} is kept for {_days(kept_s)}: "
                    "lower one of them, or keep runs longer and raise keeps_runs_days"
                )
            if one.hard_maximum_s > kept_s:
                raise SettingsError(
                    f"policy: calls of the class {one.name} may wait {_days(one.hard_maximum_s)} (hard_maximum_s), "
                    f"and a paused run of {agent.name} is kept for {_days(kept_s)}: "
                    "lower hard_maximum_s, or keep runs longer and raise keeps_runs_days"
                )


def check_undo(policy: Policy, agents: Collection[Agent]) -> None:
    """Refuses a policy that says how calls are taken back, where nobody could run that. Raises SettingsError."""
    if any(agent.executes for agent in agents):
        return
    for tool in policy.tools.values():
        if tool.undo is not None:
            raise SettingsError(
                f"policy: tool {tool.name} is taken back by {tool.undo.tool}, and no agent has an executor that could run it: "
                "name one in the registry (executor), or leave undo out"
            )


def _days(seconds: int) -> str:
    return f"{seconds / DAY_S:g} days"
