"""people: who is asked now, who is away and who stands in, which groups have nobody here; who joins a group, and who leaves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from placet.model.absences import Absence
from placet.model.entered import wrong_address, wrong_name, wrong_sub
from placet.model.errors import Conflict, Invalid, NotFound, NotNamed
from placet.model.pauses import Reviewer
from placet.model.people import is_same_person
from placet.policy.classes import ActionClass
from placet.records import writes
from placet.records.mailboxes import read_mailbox
from placet.records.ops import ConditionFailed
from placet.records.people import Member
from placet.service import badges, members
from placet.service.asking import Groups, able, count, here
from placet.service.loading import readable
from placet.service.not_named import nobody
from placet.service.ports import Ports


@dataclass(frozen=True)
class Asked:
    """Somebody who is asked, and in whose place; the same person may stand in several groups."""

    name: str
    in_place_of: str = ""


@dataclass(frozen=True)
class GroupView:
    """A group of reviewers.

    Attributes:
        asked: who is here, or stands in.
        away: members who are away now.
        problem: why nobody of it is asked now: `empty`, `away` (everybody), or empty.
    """

    name: str
    people: tuple[Member, ...]
    asked: tuple[Asked, ...]
    away: tuple[Absence, ...]
    problem: str


@dataclass(frozen=True)
class LevelView:
    """One level of a class: who is asked from `after_s` on beside those before."""

    after_s: int
    groups: tuple[GroupView, ...]


@dataclass(frozen=True)
class ClassView:
    """Who is asked for calls of a class.

    Attributes:
        people: how many of those who are here, or stand in, may decide once every level is reached; `short`: whether they are fewer
            than its quorum.
    """

    name: str
    quorum: int
    levels: tuple[LevelView, ...]
    people: int

    @property
    def short(self) -> bool:
        """Whether those who are here could not decide it, whatever level is reached."""
        return self.people < self.quorum


@dataclass(frozen=True)
class Silent:
    """A reviewer whose address takes no mail since `since_ms`: `why` is `bounced`, `complained` or, as it once was, `rejected`."""

    sub: str
    name: str
    address: str
    why: str
    since_ms: int


@dataclass(frozen=True)
class People:
    """What the page shows."""

    classes: tuple[ClassView, ...]
    groups: tuple[GroupView, ...]
    absences: tuple[Absence, ...]
    silent: tuple[Silent, ...]
    as_of_ms: int


def people(ports: Ports, looked: Groups | None = None) -> People:
    """Who is asked for each class as things are now, every absence that is or will be, and whose mail comes back."""
    looked = looked or Groups(ports)
    names = sorted(groups_asked(ports))
    groups = {name: _group(looked, name) for name in names}
    known = sorted(looked.away.known.values(), key=lambda one: (one.from_ms, one.sub))
    classes = tuple(_class(looked, one, groups) for one in ports.policy.classes.values())
    silent = _silent(ports, {member.sub: member for name in names for member in looked.of(name)})
    return People(classes, tuple(groups.values()), tuple(known), silent, ports.clock.now_ms())


def _silent(ports: Ports, known: dict[str, Member]) -> tuple[Silent, ...]:
    boxes = ports.table.get_many([ports.keys.mailbox(sub) for sub in sorted(known)])
    found = []
    for sub, member in sorted(known.items()):
        item = boxes.get(ports.keys.mailbox(sub))
        for box in readable(ports, [item] if item else [], read_mailbox):
            if box.refused:
                found.append(Silent(sub, member.name, box.address or member.email, box.refused, box.refused_ms))
    return tuple(found)


def _group(looked: Groups, name: str) -> GroupView:
    found = tuple(looked.of(name))
    asked = []
    for member in found:
        for sub, there in here(looked, {member.sub: member}, ()).items():
            asked.append(Asked(there.name, member.name if sub != member.sub else ""))
    away = tuple(one for member in found if (one := looked.away.of(member.sub)) is not None)
    problem = "" if asked else "away" if found else "empty"
    return GroupView(name, found, tuple(asked), away, problem)


def _class(looked: Groups, one: ActionClass, groups: dict[str, GroupView]) -> ClassView:
    levels = tuple(LevelView(step.after_s, tuple(groups[name] for name in step.groups)) for step in one.levels)
    able_now = here(looked, able(looked.members(one, len(one.levels) - 1), ()), ())
    return ClassView(one.name, one.quorum, levels, count(able_now))


def person_of(ports: Ports, named: str) -> Reviewer:
    """The reviewer whom a `sub` or a mail address names, among the groups of the policy.

    Raises NotNamed `person_unknown`; Conflict `person_ambiguous` when it names several.
    """
    person = members.reviewer(ports, _sub_of(ports, named))
    if not person.groups:
        raise nobody(_known(ports), named)
    return person


def _known(ports: Ports) -> list[Member]:
    """Every member of a group of the policy, once for each group."""
    looked = Groups(ports)
    return [member for name in sorted(groups_asked(ports)) for member in looked.of(name)]


def _sub_of(ports: Ports, named: str) -> str:
    """The `sub` that is meant, also of who is only asked to sign in again; what names nobody as it is.

    A `sub` as it is written names its person, whoever else the text may mean.
    """
    known = _known(ports)
    if any(member.sub == named for member in known):
        return named
    found = {member.sub for member in known if is_same_person(named, (member.sub, member.email))}
    if len(found) > 1:
        raise Conflict("person_ambiguous", "This names several people. Give the sub of one.", people=sorted(found))
    return found.pop() if found else named


def delegate_of(ports: Ports, named: str) -> str:
    """The `sub` of a delegate; empty for nobody. Raises Invalid `delegate_unknown`, Conflict `person_ambiguous`."""
    if not named:
        return ""
    try:
        return person_of(ports, named).sub
    except NotFound:
        raise Invalid("delegate_unknown", "The delegate belongs to no group of reviewers.") from None


def enter(ports: Ports, by: str, groups: Sequence[str], person: Reviewer) -> None:
    """Make a person a member of groups of the policy, of all or, when the write fails, of none; again is the same.

    Raises Invalid: `group_unknown`, `person_incomplete`.
    """
    for group in groups:
        check_group(ports, group)
    check_person(person)
    members.add(ports, person, *groups)
    for group in groups:
        ports.log("reviewer_added", {"by": by, "group": group})


def check_person(person: Reviewer) -> None:
    """Raises Invalid `person_incomplete` for somebody who could not be mailed, shown or told apart as they are entered."""
    for wrong in (wrong_address(person.email), wrong_name(person.name), wrong_sub(person.sub)):
        if wrong:
            raise Invalid("person_incomplete", wrong)


def leave(ports: Ports, by: str, named: str, *groups: str) -> Reviewer:
    """Take a person out of groups, whatever put them into them: entered by hand, said by a sign-in, or only remembered of one.
    What they have not decided through one, they decide no more, and they are not asked. `brought_back_by` says what undoes it.

    All of it or, when the write fails, nothing.

    Raises NotNamed `person_unknown`, or `not_in_group` when they are in none of them; Conflict `person_ambiguous`.
    """
    person = members.reviewer(ports, _sub_of(ports, named))
    entered = [group for group in groups if group in person.groups - person.badges]
    worn = [one for one in badges.stored(ports, person.sub) if one.group in groups and one.until_ms]
    ops = [op for group in entered for op in writes.drop_member(ports.keys, person.sub, group)]
    ops += [op for one in worn for op in badges.end(ports, one)]
    if not ops:
        if not person.groups:
            raise nobody(_known(ports), named)
        said = f"{person.name} is not in {' or '.join(groups)}; they are in {', '.join(sorted(person.groups))}."
        raise NotNamed("not_in_group", said, groups=sorted(person.groups))
    ports.table.write(ops)
    for group in groups:
        if group in entered or group in {one.group for one in worn}:
            ports.log("reviewer_removed", {"by": by, "group": group})
    return person if person.name else replace(person, name=worn[0].shown, email=worn[0].email)


def brought_back_by(ports: Ports, group: str) -> tuple[str, ...]:
    """The groups of the company's sign-in whose people are in a group of the policy again as soon as they sign in."""
    return tuple(ports.policy.sign_in_groups.get(group, ()))


def accept_mail(ports: Ports, by: str, named: str) -> tuple[Reviewer, bool]:
    """Take a person's address back into use once it takes mail again: the next mail goes there.

    Returns:
        the person, and whether mail to them was refused until now; again is the same.

    Raises NotNamed `person_unknown`; Conflict `person_ambiguous`.
    """
    person = person_of(ports, named)
    try:
        ports.table.write(writes.accept_mail(ports.keys, person.sub))
    except ConditionFailed:
        return person, False
    ports.log("mail_accepted", {"by": by, "person": person.sub})
    return person, True


def check_group(ports: Ports, group: str) -> None:
    """Raises Invalid `group_unknown` for one that no class of the policy asks."""
    if group not in (known := groups_asked(ports)):
        raise Invalid("group_unknown", f"No class of the policy asks this group. It asks: {', '.join(sorted(known))}.")


def groups_asked(ports: Ports) -> frozenset[str]:
    """The groups that classes of the policy ask."""
    return frozenset(name for one in ports.policy.classes.values() for step in one.levels for name in step.groups)


def groups_of(ports: Ports, sub: str) -> frozenset[str]:
    """The groups that a person is in now, however they came into them."""
    return members.reviewer(ports, sub).groups
