"""All that the gateway knows of each framework, in a room each; none knows another, and a pause loads only its own.

One line of `NAMES` registers a room. A descriptor is small; what reads and answers pauses is loaded when it is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from placet.frameworks.contract import YEAR_S, Framework
from placet.model.errors import Invalid
from placet.model.frameworks import OWN

NAMES = ("langchain", "bedrock")


@cache
def framework(name: str) -> Framework:
    """What there is to know of one, also of one that has no room yet. Raises KeyError for any other name."""
    if is_taken(name):
        room = "own" if name == OWN else name
        found: Framework = import_module(f"{__name__}.{room}").FRAMEWORK
        return found
    from placet.frameworks.planned import PLANNED

    return PLANNED[name]


@cache
def frameworks() -> Mapping[str, Framework]:
    """All that one can choose, those of this release first."""
    from placet.frameworks.planned import PLANNED

    return {**{name: framework(name) for name in NAMES}, **PLANNED}


def adapter_of(name: str) -> Framework:
    """What reads and answers pauses of the framework that an agent named. Raises Invalid `framework_unknown`."""
    if not is_taken(name):
        raise Invalid("framework_unknown", f"This gateway knows the frameworks: {', '.join(sorted(NAMES))}.")
    return framework(name)


def is_taken(name: str) -> bool:
    """Whether this release can read and answer pauses of this framework."""
    return name == OWN or name in NAMES


def is_by_gateway(name: str) -> bool:
    """Whether pauses of this framework are the gateway's own to capture."""
    return is_taken(name) and framework(name).by_gateway


def handed_in() -> list[str]:
    """Names of the frameworks whose pauses agents hand in, in order."""
    return sorted(name for name in NAMES if not framework(name).by_gateway)


def longest_wait_s(name: str, keeps_runs_s: int = 0) -> int:
    """The longest that a paused run can wait, in seconds.

    Args:
        name: of a framework of the table. Raises KeyError for any other.
        keeps_runs_s: how long the agent's saver keeps a paused run, from the registry; 0 when nobody said.
    """
    found = framework(name)
    return min(keeps_runs_s, YEAR_S) if found.saver_bounds and keeps_runs_s else found.waits_s
