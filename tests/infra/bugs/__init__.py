"""Check → bugs that it has to find, in a module for each of `infra.checks`."""

from __future__ import annotations

from tests.infra.bugs import (
    account,
    alarms,
    brakes,
    data,
    edge,
    flow,
    functions,
    lasting,
    operating,
    people,
    reach,
    registry,
    stack,
    waiting,
)
from tests.infra.planting import Bug

BUGS: dict[str, list[Bug]] = {
    name: bugs
    for room in (
        account,
        alarms,
        brakes,
        data,
        edge,
        flow,
        functions,
        lasting,
        operating,
        people,
        reach,
        registry,
        stack,
        waiting,
    )
    for name, bugs in room.BUGS.items()
}
