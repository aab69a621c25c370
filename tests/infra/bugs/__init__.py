"""Check → bugs that it has to find, in a module for each of `infra.checks`."""

from __future__ import annotations

from tests.infra.bugs import account, data, edge, flow, functions, lasting, operating, registry
from tests.infra.planting import Bug

BUGS: dict[str, list[Bug]] = {
    name: bugs
    for room in (data, lasting, operating, functions, flow, registry, edge, account)
    for name, bugs in room.BUGS.items()
}
