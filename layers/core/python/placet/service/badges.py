"""Badges: memberships by what a sign-in says, through the policy's own mapping, while the session lasts.

Nothing is read of them, and nothing written, where the policy maps no group; but an operator ends also what an earlier policy left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from placet.model.characters import is_blank
from placet.model.errors import Busy
from placet.model.pauses import Reviewer
from placet.model.people import is_comparable
from placet.policy.sign_in import groups_by
from placet.records import writes
from placet.records.badges import Badge, read_badge
from placet.records.ops import ConditionFailed, Op
from placet.service import sessions
from placet.service.loading import readable
from placet.service.ports import Ports

ATTEMPTS = 8
IN_ONE_WRITE = 20  # groups, of two items each: a transaction holds 100
MOST_SESSIONS = 16  # of one person, that a badge remembers; the newest


def signed_in(ports: Ports, person: Reviewer, said: Iterable[str], until_ms: int, session: str = "") -> frozenset[str]:
    """Somebody signed in: they have the badges that their sign-in gives them, and no other that an earlier one gave.

    Args:
        person: `sub`, name and address as the verified token says them.
        said: the provider's groups, as the token says them.
        until_ms: the end of the session; `session`: the name under which it is stored, or will be.

    Returns:
        the groups of the policy; none for who cannot be compared with a requester (`is_kept_out`).
    """
    if not ports.policy.sign_in_groups:
        return frozenset()
    groups = groups_by(ports.policy.sign_in_groups, said) if _is_complete(person) else frozenset()
    before, now = {one.group: one for one in stored(ports, person.sub) if one.until_ms}, ports.clock.now_ms()
    for gone in _some(before.keys() - groups):
        ports.table.write(writes.put_badges(ports.keys, person, gone, 0, now))
    for some in _some(groups):
        ops: list[Op] = []
        for group in some:
            known = _newest(before[group].sessions if group in before else {}, session, until_ms, now)
            ops += writes.put_badges(ports.keys, person, [group], until_ms, now, known)
        ports.table.write(ops)
    return groups


def _some(groups: Iterable[str]) -> Iterator[list[str]]:
    """Groups in the order of their names, as many at once as one write takes."""
    ordered = sorted(groups)
    return (ordered[at : at + IN_ONE_WRITE] for at in range(0, len(ordered), IN_ONE_WRITE))


def _newest(known: Mapping[str, int], session: str, until_ms: int, now_ms: int) -> dict[str, int]:
    """The sessions that say it, with a new one; what is over is forgotten, and the oldest of very many."""
    lasting = {name: end for name, end in known.items() if end > now_ms} | ({session: until_ms} if session else {})
    return dict(sorted(lasting.items(), key=lambda one: one[1])[-MOST_SESSIONS:])


def is_kept_out(ports: Ports, person: Reviewer, said: Iterable[str]) -> bool:
    """Whether a sign-in would make somebody a reviewer, and does not: nobody could say whether they ask for themselves."""
    return bool(groups_by(ports.policy.sign_in_groups, said)) and not _is_complete(person)


def _is_complete(person: Reviewer) -> bool:
    """As for who is entered by hand (`person_incomplete`)."""
    return "#" not in person.sub and not is_blank(person.sub) and is_comparable(person.email)


def signed_out(ports: Ports, sub: str, session: str) -> None:
    """A session is over: what it said of groups gives no right any more, unless another session of the person that lives said it.

    Whoever signed out is asked and mailed as if the time had run out. Before the session itself goes, so that a sign-out
    that failed between can be sent again.

    Args:
        session: the name under which it is stored.
    """
    if not ports.policy.sign_in_groups:
        return
    lives = {session: False}
    for _ in range(ATTEMPTS):
        lost = [one for one in stored(ports, sub) if not _left(ports, one, lives)]
        if not lost:
            return
    raise Busy


def _left(ports: Ports, one: Badge, lives: dict[str, bool]) -> bool:
    """A badge as the sessions leave it that live, which `lives` gathers; False when it has changed meanwhile."""
    now = ports.clock.now_ms()
    if not one.lasts(now):
        return True
    for name in one.sessions.keys() - lives.keys():
        found = sessions.named(ports, name)
        lives[name] = found is not None and found.sub == one.sub
    left = {name: end for name, end in one.sessions.items() if end > now and lives[name]}
    if left and left == one.sessions:
        return True  # of other browsers alone
    until, person = max(left.values(), default=now), Reviewer(one.sub, one.name, one.email)
    try:
        ports.table.write(writes.put_badges(ports.keys, person, [one.group], until, now, left, one))
    except ConditionFailed:
        return False
    return True


def end(ports: Ports, one: Badge) -> list[Op]:
    """What ends a badge at once, also one that is only remembered; the next sign-in may begin it again."""
    person = Reviewer(one.sub, one.name, one.email)
    return writes.put_badges(ports.keys, person, [one.group], 0, ports.clock.now_ms())


def of_person(ports: Ports, sub: str) -> list[Badge]:
    """What gives a person a right now, of the groups that today's policy maps."""
    if not ports.policy.sign_in_groups:
        return []
    now = ports.clock.now_ms()
    return [one for one in stored(ports, sub) if one.lasts(now) and one.group in ports.policy.sign_in_groups]


def of_group(ports: Ports, group: str) -> list[Badge]:
    """Who is asked of a group for their badge: also those whose session is over, who have to sign in again to decide."""
    if group not in ports.policy.sign_in_groups:
        return []
    now = ports.clock.now_ms()
    found = readable(ports, ports.table.query(ports.keys.badge_holders(group)), read_badge)
    return [one for one in found if one.is_remembered(now)]


def stored(ports: Ports, sub: str) -> list[Badge]:
    """Every badge that a person was ever given and is not cleaned up, whatever it means now."""
    if "#" in sub:
        return []  # no key holds such a name
    return readable(ports, ports.table.query(ports.keys.badges(sub)), read_badge)
