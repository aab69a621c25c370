"""What follows from an absence for each of a person's groups, before it is written down."""

from __future__ import annotations

from dataclasses import dataclass

from placet.model.absences import Absence, Absences
from placet.model.pauses import Reviewer
from placet.policy.rules import Policy
from placet.service.asking import Groups, able, count, here


@dataclass(frozen=True)
class Follows:
    """One group while the person is away, at the moment at which fewest of it are here.

    Attributes:
        stays: names of those who are asked for themselves; `instead`: who is asked in the person's place; empty for nobody.
        quorum: the most that a class which asks this group needs. people: how many are left to decide; accounts with one address
            are one person's.
    """

    group: str
    stays: tuple[str, ...]
    instead: str
    quorum: int
    people: int


def follows(policy: Policy, looked: Groups, person: Reviewer, absence: Absence) -> tuple[Follows, ...]:
    """What an absence means for each group of a person that a class asks."""
    others = [one for one in looked.away.known.values() if one.sub != person.sub]
    # People come and go at the ends of absences only; between them nothing changes.
    ends = {moment for one in others for moment in (one.from_ms, one.until_ms)}
    moments = [absence.from_ms, *(moment for moment in sorted(ends) if absence.from_ms < moment < absence.until_ms)]
    found = []
    for group, quorum in sorted(_quorums(policy).items()):
        if group in person.groups:
            then = (_at(looked, group, quorum, person, Absences([*others, absence], moment)) for moment in moments)
            found.append(min(then, key=lambda one: one.people))
    return tuple(found)


def _at(looked: Groups, group: str, quorum: int, person: Reviewer, away: Absences) -> Follows:
    there = looked.then(away)
    members = able(looked.of(group), ())
    stays = here(there, {sub: one for sub, one in members.items() if sub != person.sub}, ())
    own = members.get(person.sub)
    instead = here(there, {person.sub: own}, ()) if own else {}
    new = [one.name for sub, one in instead.items() if sub not in stays]
    people = count({**instead, **stays})
    return Follows(group, tuple(one.name for one in stays.values()), new[0] if new else "", quorum, people)


def _quorums(policy: Policy) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in policy.classes.values():
        for level in one.levels:
            for group in level.groups:
                found[group] = max(found.get(group, 1), one.quorum)
    return found
