"""Whom a call is put to: the members of its levels' groups who may decide it, and whether they are enough."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from placet.model.absences import Absences
from placet.model.pauses import Reviewer
from placet.model.people import among, how_many, is_same_person
from placet.policy.classes import ActionClass
from placet.records.calls import HeadCall
from placet.records.handing import to_group, to_person
from placet.records.heads import Head
from placet.records.people import Member, read_member
from placet.service import badges, members
from placet.service.absences import absences
from placet.service.loading import readable
from placet.service.ports import Ports
from placet.service.rights import standing_votes

GROUP_EMPTY, TOO_FEW = (
    "group_empty",
    "too_few_people",
)  # reasons for which a pause is listed, and for which a level is passed
NOBODY = (GROUP_EMPTY, TOO_FEW)
People = Mapping[str, Member]


class Groups:
    """The members of groups as they are now; each group is read once, so one of these lasts for one look and no longer."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._members: dict[str, list[Member]] = {}
        self._named: dict[str, Reviewer] = {}

    def members(self, action_class: ActionClass, level: int) -> list[Member]:
        """Everybody in the groups of a class up to a level; who is in several of them stands there several times."""
        groups = dict.fromkeys(group for step in action_class.levels[: level + 1] for group in step.groups)
        return [member for group in groups for member in self.of(group)]

    @cached_property
    def away(self) -> Absences:
        """Who is away."""
        return absences(self._ports)

    def then(self, away: Absences) -> Groups:
        """The same groups with other people away: at another moment, or as an absence would have it."""
        made = Groups(self._ports)
        made._members, made._named, made.away = self._members, self._named, away
        return made

    def person(self, sub: str) -> Reviewer:
        """Somebody who was named to stand in."""
        if sub not in self._named:
            self._named[sub] = members.reviewer(self._ports, sub)
        return self._named[sub]

    def of(self, group: str) -> list[Member]:
        """Everybody in one group."""
        if group not in self._members:
            stored = self._ports.table.query(self._ports.keys.group(group))
            found = readable(self._ports, stored, read_member)
            own = {member.sub for member in found}
            found += [
                Member(one.sub, group, one.shown, one.email, one.until_ms)
                for one in badges.of_group(self._ports, group)
                if one.sub not in own
            ]
            self._members[group] = found
        return self._members[group]


def asked(ports: Ports, groups: Groups, head: Head, call: HeadCall, level: int | None = None) -> People:
    """Who is here and may decide a call at its level, or at another one, or was handed it, by `sub`: neither the requester nor the
    owner, under any address, nor who has agreed. For somebody who is away, and has not agreed, stands whoever they named."""
    return _asked(ports, groups, head, call, level, _agreed(ports, head, call))


def _asked(
    ports: Ports, groups: Groups, head: Head, call: HeadCall, level: int | None, agreed: Sequence[frozenset[str]]
) -> People:
    action_class = ports.policy.classes.get(call.action_class)
    if action_class is None:
        return {}
    kept_out = head.kept_out
    found = groups.members(action_class, call.level if level is None else level)
    people = able([*found, *_handed(groups, action_class, call)], kept_out)
    return here(groups, _without(people, agreed), kept_out, agreed)


def _agreed(ports: Ports, head: Head, call: HeadCall) -> list[frozenset[str]]:
    """The names of each voter whose vote for what the call is now stands, with those of everybody in whose place it was given."""
    if not call.votes:
        return []
    return [one.names for sub, one in standing_votes(ports, head, call).items() if call.votes[sub] == call.digest]


def _without(people: People, agreed: Iterable[frozenset[str]]) -> People:
    """These people without those of whom one has agreed: a vote is a person's, whatever account it was given with."""
    has_agreed = among(agreed)
    return {sub: one for sub, one in people.items() if not has_agreed((sub, one.email))}


def _handed(groups: Groups, action_class: ActionClass, call: HeadCall) -> list[Member]:
    """Whoever the call was handed to, as far as they are in a group of its class."""
    if not call.handed:
        return []
    known = groups.members(action_class, len(action_class.levels) - 1)
    return [one for one in known if to_person(one.sub) in call.handed or to_group(one.group) in call.handed]


def there(groups: Groups, action_class: ActionClass, level: int, kept_out: tuple[str, ...]) -> People:
    """Who is here and may decide calls of a class up to a level, but for those whom a requester or an owner may mean."""
    return here(groups, able(groups.members(action_class, level), kept_out), kept_out)


def here(groups: Groups, people: People, kept_out: Iterable[str], agreed: Iterable[frozenset[str]] = ()) -> People:
    """These people without those who are away, and with those who stand in for them and may: of everybody who was named on the way
    nobody is kept out, nor has agreed, for they would have two votes."""
    found = {sub: one for sub, one in people.items() if groups.away.of(sub) is None}
    has_agreed = among(agreed)
    for sub, one in people.items():
        if sub not in found and (named := [groups.person(who) for who in groups.away.instead_of(sub)]):
            last, written = named[-1], tuple(kept_out)
            kept = any(is_same_person(text, person.names) for text in written for person in named)
            kept = kept or any(has_agreed(person.names) for person in named)
            if all(person.groups for person in named) and not kept:
                found.setdefault(last.sub, Member(last.sub, one.group, last.name, last.email))
    return found


def able(members: Iterable[Member], kept_out: Iterable[str]) -> People:
    """These people without those whom a requester or an owner may mean."""
    people: dict[str, list[Member]] = {}
    for member in members:
        people.setdefault(member.sub, []).append(member)
    written = tuple(kept_out)
    return {sub: found[-1] for sub, found in people.items() if not _is_meant(written, sub, found)}


def _is_meant(written: Iterable[str], sub: str, memberships: list[Member]) -> bool:
    names = {sub, *(member.email for member in memberships)}
    return any(is_same_person(text, names) for text in written)


def count(people: People) -> int:
    """How many people these are: several accounts with one address are one person's."""
    return how_many((sub, one.email) for sub, one in people.items())


def shortage(ports: Ports, groups: Groups, head: Head, call: HeadCall, level: int | None = None) -> str:
    """Why the people of a call's level, or of another one, cannot decide it: GROUP_EMPTY, TOO_FEW; empty when they can, with the
    votes that stand."""
    agreed = _agreed(ports, head, call)
    accounts = ((sub, one.email) for sub, one in _asked(ports, groups, head, call, level, agreed).items())
    people = how_many([*accounts, *agreed])
    if people >= call.quorum:
        return ""
    return TOO_FEW if people else GROUP_EMPTY


def first_level(ports: Ports, groups: Groups, head: Head, call: HeadCall) -> int:
    """The first level from a call's own on whose people can decide it; its own when none's can."""
    for level in range(call.level, _last(ports, call) + 1):
        if not shortage(ports, groups, head, call, level):
            return level
    return call.level


def _last(ports: Ports, call: HeadCall) -> int:
    """A call's last level by today's policy, or its own where that is beyond it."""
    action_class = ports.policy.classes.get(call.action_class)
    return max(len(action_class.levels) - 1 if action_class else 0, call.level)


def may_widen(ports: Ports, groups: Groups, head: Head) -> bool:
    """Whether an open call cannot be decided by those who are asked now, and can by those of a later level."""
    return any(first_level(ports, groups, head, call) > call.level for call in head.pending)


def nobody_left(ports: Ports, groups: Groups, head: Head) -> str:
    """Why nobody on any level can decide an open call of a pause; empty while one of them can be decided."""
    short = [shortage(ports, groups, head, call, _last(ports, call)) for call in head.pending]
    return short[0] if short and all(short) else ""


def reviewers_of(ports: Ports, head: Head, groups: Groups | None = None) -> People:
    """Whose decision an open call of a pause waits for at the level it has reached, by `sub`: those who are mailed."""
    looked = groups or Groups(ports)
    return {sub: one for call in head.pending for sub, one in asked(ports, looked, head, call).items()}
