"""Names that pauses wait under: agents and action classes. Those that an earlier assembly had and this one has not are told.

The names are metadata of the gateway's template, so the assembly that is deployed next is held against the one that was made
last, with nobody's account asked; what `make doctor` reads in the table is what really waits.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.settings import Settings
from placet.policy.rules import Policy

TEMPLATE = "PlacetGateway.template.json"
KEY = "PlacetNames"
EXAMPLE = "PlacetExample"  # beside it: this assembly was made from the example of the settings
_BACK = "or take the names back; `make doctor` says what waits. Silence this by deleting the folder of the assembly"


@dataclass(frozen=True)
class Names:
    """The agents and classes of one assembly, and those of earlier ones that it does not name any more."""

    agents: frozenset[str] = frozenset()
    classes: frozenset[str] = frozenset()
    gone_agents: frozenset[str] = frozenset()
    gone_classes: frozenset[str] = frozenset()

    @classmethod
    def of(cls, settings: Settings, policy: Policy, earlier: Names) -> Names:
        """What is named now, after what was named before."""
        agents, classes = frozenset(one.name for one in settings.agents), frozenset(policy.classes)
        return cls(
            agents,
            classes,
            (earlier.agents | earlier.gone_agents) - agents,
            (earlier.classes | earlier.gone_classes) - classes,
        )

    @property
    def metadata(self) -> dict[str, list[str]]:
        """As it stands in the template."""
        return {name: sorted(value) for name, value in vars(self).items()}

    def told(self) -> Iterator[str]:
        """A sentence for each name that is gone: what becomes of the pauses that wait under it, and what to do first."""
        for agent in sorted(self.gone_agents):
            yield (
                f"the registry does not name the agent {agent} any more. Once that is deployed, what is decided for it is not "
                f"executed and is listed as agent_gone (`placet stuck`); what waits for people still waits. First let its pick-up "
                f"list run empty, {_BACK}"
            )
        for name in sorted(self.gone_classes):
            yield (
                f"the policy does not name the class {name} any more. Once that is deployed, nobody may decide what waits in it: "
                f"it is listed as class_gone (`placet stuck`) until its deadline ends it. First give its tools to another class "
                f"and keep it until it is empty, {_BACK}"
            )


def last_made(output: str | Path | None, *, example: bool | None = None) -> Names:
    """The names of the assembly that was made last in a folder; none without one, or when it is from before they were kept.

    ``example`` asks for an assembly that was made from the example of the settings, or was not: neither follows the other.
    """
    folder = output or os.environ.get("CDK_OUTDIR")  # which the CDK command line sets
    if not folder:
        return Names()
    try:
        metadata: Any = json.loads((Path(folder) / TEMPLATE).read_text("utf-8"))["Metadata"]
        if example is not None and metadata.get(EXAMPLE, False) is not example:
            return Names()
        return read_names(metadata)
    except (OSError, ValueError, LookupError, TypeError):
        return Names()


def read_names(metadata: Any) -> Names:
    """The names in a template's metadata. Raises LookupError or TypeError when there are none."""
    found = metadata[KEY]
    return Names(**{name: frozenset(found[name]) for name in Names.__dataclass_fields__ if name in found})
