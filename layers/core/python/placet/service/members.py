"""Who belongs to which group. Rights come from items, never from a token: what a sign-in says of groups is
one too, and lasts as long as its session."""

from __future__ import annotations

from placet.model.pauses import Reviewer
from placet.records import writes
from placet.records.people import read_member
from placet.service import badges
from placet.service.loading import readable
from placet.service.ports import Ports

MOST_CHARACTERS = 1_000  # of a `sub`; Cognito's are UUIDs


def add(ports: Ports, person: Reviewer, *groups: str) -> None:
    """Make a person a member of groups, in one write; again is the same."""
    now_ms = ports.clock.now_ms()
    ports.table.write([op for group in groups for op in writes.put_member(ports.keys, person, group, now_ms)])


def reviewer(ports: Ports, sub: str) -> Reviewer:
    """A signed-in person with the groups of this moment. Somebody who belongs to no group sees nothing."""
    if "#" in sub or len(sub) > MOST_CHARACTERS:
        return Reviewer(sub, "", "")  # no key holds such a name, so nobody ever became a member under it
    items = ports.table.query(ports.keys.person(sub), "G#")
    found = readable(ports, items, read_member)
    worn = badges.of_person(ports, sub)
    if not found and not worn:
        return Reviewer(sub, "", "")
    # A membership that cannot be read gives no right, but its address still tells who asks for himself.
    addresses = frozenset(item["email"] for item in items if isinstance(item.get("email"), str))
    addresses |= {one.email for one in worn}
    own, by_badge = frozenset(one.group for one in found), frozenset(one.group for one in worn)
    first, name = (found[0], found[0].name) if found else (worn[0], worn[0].shown)
    return Reviewer(sub, name, first.email, own | by_badge, addresses, by_badge - own)
