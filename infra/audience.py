"""Whom an installation concerns, as it stands in the metadata of the gateway's template: agents, operators, and who decides what.

So a deploy can say beforehand what it changes for whom, from the template that is deployed and the one that would be.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from infra.settings import Settings
from placet.policy.classes import ActionClass
from placet.policy.rules import Policy

KEY = "PlacetAudience"
Audience = Mapping[str, Any]


def audience(settings: Settings, policy: Policy) -> dict[str, Any]:
    """As it stands in the template."""
    return {
        "policy": policy.version,
        "agents": {
            one.name: {
                "role": one.role,
                "owner": one.owner,
                "target": json.dumps(dict(one.target), sort_keys=True, separators=(",", ":")),
                "action_role": one.action_role,
                "executor": one.executes,
            }
            for one in settings.agents
        },
        "operators": sorted(settings.operators),
        "classes": {name: _class(one) for name, one in sorted(policy.classes.items())},
    }


def _class(one: ActionClass) -> dict[str, Any]:
    groups: dict[str, int] = {}
    for level in one.levels:
        for group in level.groups:
            groups.setdefault(group, level.after_s)
    return {
        "groups": groups,
        "quorum": one.quorum,
        "deadline_s": one.deadline_s,
        "may_edit": one.may_edit,
        "undo_s": one.undo_s,
    }


def changes(was: Audience, now: Audience) -> Iterator[str]:
    """A sentence for each change that somebody notices; none when there is none."""
    if was.get("policy") != now["policy"]:
        yield f"the policy is of version {now['policy']}, not {was.get('policy')}"
    yield from _agents(was.get("agents", {}), now["agents"])
    old, new = set(was.get("operators", ())), set(now["operators"])
    for role in sorted(new - old):
        yield f"operators: the role {role} may see what is stuck and repair it"
    for role in sorted(old - new):
        yield f"operators: the role {role} is turned away"
    yield from _classes(was.get("classes", {}), now["classes"])


def _agents(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted(new.keys() - old.keys()):
        one = new[name]
        yield (
            f"agent {name} is added: the role {one['role']} may hand its calls in, {one['owner']} decides none of them, and what "
            f"is decided goes to {one['target']}"
        )
    for name in sorted(old.keys() - new.keys()):
        yield (
            f"agent {name} is removed: the role {old[name]['role']} is turned away, and what is decided for it is not executed and "
            "is listed as agent_gone"
        )
    for name in sorted(old.keys() & new.keys()):
        for field, value in new[name].items():
            if (before := old[name].get(field, "")) != value:
                yield f"agent {name}: {field} is {value or 'nothing'}, not {before or 'nothing'}"


def _classes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted(new.keys() - old.keys()):
        yield f"class {name} is added: {_deciders(new[name])}"
    for name in sorted(old.keys() - new.keys()):
        yield f"class {name} is removed: nobody may decide what waits in it, and it is listed as class_gone until its deadline"
    for name in sorted(old.keys() & new.keys()):
        was, now = old[name], new[name]
        for group in sorted(now["groups"].keys() | was["groups"].keys()):
            before, after = was["groups"].get(group), now["groups"].get(group)
            if after is None:
                yield f"class {name}: people of {group} may not decide it any more, nor what waits in it"
            elif before is None:
                yield f"class {name}: people of {group} may decide it, {_from(after)}"
            elif before != after:
                yield f"class {name}: people of {group} may decide it {_from(after)}, not {_from(before)}"
        for field in ("quorum", "deadline_s", "may_edit", "undo_s"):
            if was.get(field) != now[field]:
                yield f"class {name}: {field} is {_said(now[field])}, not {_said(was.get(field))}"


def _deciders(one: Mapping[str, Any]) -> str:
    people = ", ".join(f"{group} {_from(after)}" for group, after in one["groups"].items())
    return f"{one['quorum']} of {people} decide within {one['deadline_s']} s"


def _from(after_s: int) -> str:
    return f"after {after_s} s" if after_s else "from the beginning"


def _said(value: Any) -> str:
    return "nothing" if value is None else "true" if value is True else "false" if value is False else str(value)
