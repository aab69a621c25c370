"""What a deploy would change, told before it: account, people and agents, pauses that wait, resources and rights."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from infra.audience import KEY, changes
from infra.doors import BY_HAND, closed, told
from infra.doors import KEY as DOORS
from infra.policy_version import clashes, forgotten
from infra.settings import Settings

STACKS = ("PlacetData", "PlacetGateway")
Template = Mapping[str, Any]


@dataclass(frozen=True)
class Stack:
    """One stack: its template as it is deployed, None before it is, and as it would be."""

    name: str
    was: Template | None
    now: Template

    @property
    def resources(self) -> tuple[list[str], list[str], list[str]]:
        """Logical ids that are added, removed and changed."""
        old, new = (self.was or {}).get("Resources", {}), self.now["Resources"]
        changed = [name for name in old.keys() & new.keys() if _plain(old[name]) != _plain(new[name])]
        return sorted(new.keys() - old.keys()), sorted(old.keys() - new.keys()), sorted(changed)

    @property
    def rights(self) -> list[str]:
        """Those of them that are roles and policies."""
        known = {**(self.was or {}).get("Resources", {}), **self.now["Resources"]}
        return sorted(
            name for names in self.resources for name in names if known[name]["Type"].startswith("AWS::IAM::")
        )


def stacks(cloudformation: Any, assembly: Path) -> list[Stack]:
    """Both stacks. Raises ClientError."""
    return [
        Stack(name, deployed(cloudformation, name), json.loads((assembly / f"{name}.template.json").read_text("utf-8")))
        for name in STACKS
    ]


def deployed(cloudformation: Any, stack: str) -> Template | None:
    """A stack's template as it was deployed; None when there is no such stack. Raises ClientError."""
    try:
        body = cloudformation.get_template(StackName=stack, TemplateStage="Original")["TemplateBody"]
    except ClientError as error:
        if error.response["Error"]["Code"] == "ValidationError":
            return None
        raise
    return dict(json.loads(body) if isinstance(body, str) else body) if body else None


def sentences(settings: Settings, both: list[Stack]) -> Iterator[str]:
    """What changes, for people first."""
    gateway = both[1]
    now = gateway.now["Metadata"][KEY]
    if gateway.was is None:
        yield f"this is the first deploy here: agents {_names(now['agents'])}; classes {_names(now['classes'])}"
    else:
        was = gateway.was.get("Metadata", {})
        if KEY not in was:
            yield "the release that is deployed did not write down its agents and classes, so they are not compared"
        else:
            yield from changes(was[KEY], now)
        yield from told(settings, was.get(DOORS, {}))
    for one in both:
        added, removed, changed = one.resources
        if added or removed or changed:
            yield f"{one.name}: {len(added)} resources are added, {len(removed)} removed, {len(changed)} changed"
        if one.was is not None and one.rights:
            yield f"{one.name}: rights change in {', '.join(one.rights)}"
        if one.was is not None and removed:
            yield f"{one.name}: removed are {', '.join(removed)}"


def stops(
    settings: Settings, both: list[Stack], real: Callable[[Template], tuple[Template, str]] | None = None
) -> Iterator[str]:
    """What would strand something that is deployed, whatever the lock says.

    ``real`` is asked where a door is closed that is opened by hand: what stands there by now, and the user pool's id. What it
    raises is raised.
    """
    if (template := both[1].was) is not None:
        was = template.get("Metadata", {}).get(DOORS, {})
        found = dict(closed(settings, was))
        if real is not None and found.keys() & BY_HAND:
            found = {name: sentence for name, sentence in closed(settings, *real(was)) if name in found}
        yield from (f"{name}: {sentence}" for name, sentence in found.items())
        now = both[1].now["Metadata"].get(DOORS, {})
        yield from (f"policy: {sentence}" for sentence in (*clashes(was, now), *forgotten(was, now)))


def _plain(resource: Mapping[str, Any]) -> str:
    """A resource without what CDK notes beside it."""
    return json.dumps({key: value for key, value in resource.items() if key != "Metadata"}, sort_keys=True)


def _names(found: Mapping[str, Any]) -> str:
    return ", ".join(found) or "none"
