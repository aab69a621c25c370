"""Memberships by the claim of a sign-in: what the provider says, through the policy's own mapping, while the session lasts.

Nothing is read of them, and nothing written, where the policy maps no group.
"""

from __future__ import annotations

from collections.abc import Iterable

from placet.model.pauses import Reviewer
from placet.policy.sign_in import groups_by
from placet.records import writes
from placet.records.claims import Claimed, read_claimed
from placet.service.loading import readable
from placet.service.ports import Ports


def signed_in(ports: Ports, person: Reviewer, claimed: Iterable[str], until_ms: int) -> frozenset[str]:
    """Somebody signed in: they are in the groups that their claim gives them, and in no other that an earlier one gave.

    Args:
        person: `sub`, name and address as the verified token says them.
        claimed: the provider's groups, as the token says them.
        until_ms: the end of the session.

    Returns:
        the groups of the policy.
    """
    if not ports.policy.sign_in_groups:
        return frozenset()
    groups = groups_by(ports.policy.sign_in_groups, claimed)
    before = {one.group for one in _stored(ports, person.sub) if one.until_ms}
    now = ports.clock.now_ms()
    for one, until in ((before - groups, 0), (groups, until_ms)):
        if ops := writes.put_claims(ports.keys, person, one, until, now):
            ports.table.write(ops)
    return groups


def end(ports: Ports, person: Reviewer, group: str) -> None:
    """An operator ends a membership by a claim at once; the next sign-in may begin it again."""
    ports.table.write(writes.put_claims(ports.keys, person, [group], 0, ports.clock.now_ms()))


def of_person(ports: Ports, sub: str) -> list[Claimed]:
    """What gives a person a right now, of the groups that today's policy maps."""
    if not ports.policy.sign_in_groups:
        return []
    now = ports.clock.now_ms()
    return [one for one in _stored(ports, sub) if one.lasts(now) and one.group in ports.policy.sign_in_groups]


def of_group(ports: Ports, group: str) -> list[Claimed]:
    """Who is asked of a group by a claim: also those whose session is over, who have to sign in again to decide."""
    if group not in ports.policy.sign_in_groups:
        return []
    now = ports.clock.now_ms()
    found = readable(ports, ports.table.query(ports.keys.claimants(group)), read_claimed)
    return [one for one in found if one.is_remembered(now)]


def _stored(ports: Ports, sub: str) -> list[Claimed]:
    return readable(ports, ports.table.query(ports.keys.claims(sub)), read_claimed)
