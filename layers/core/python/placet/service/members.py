"""Who belongs to which group. Rights come from these items, never from a token's group claim."""

from __future__ import annotations

from placet.model.pauses import Reviewer
from placet.records import writes
from placet.service.ports import Ports


def add(ports: Ports, person: Reviewer, group: str) -> None:
    """Make a person a member of a group; again is the same."""
    ports.table.write(writes.put_member(ports.keys, person, group, ports.clock.now_ms()))


def reviewer(ports: Ports, sub: str) -> Reviewer:
    """A signed-in person with the groups of this moment. Somebody who belongs to no group sees nothing."""
    items = ports.table.query(ports.keys.person(sub), "G#")
    if not items:
        return Reviewer(sub, "", "")
    groups = frozenset(item["sk"].removeprefix("G#") for item in items)
    addresses = frozenset(item["email"] for item in items)
    return Reviewer(sub, items[0]["name"], items[0]["email"], groups, addresses)
