"""reassign: a reviewer hands a call on to a person or a group whom the policy lets decide its class at any level.

It widens who may decide now, by people whom the policy names for this class anyway, and takes nobody's right away; the deadline
and the quorum stay. Requester and owner get nothing by it, under none of their names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from placet.model.acting import Acting
from placet.model.errors import Busy, Conflict, Gone, Invalid, NotAllowed, NotFound, NotYet
from placet.model.pauses import ByBadge, Reviewer, split_call_id
from placet.model.people import is_anyone_of, is_same_person
from placet.policy.classes import ActionClass
from placet.records import writes
from placet.records.calls import HeadCall
from placet.records.handing import MOST_HANDED, Handed
from placet.records.heads import Head
from placet.records.ops import ConditionFailed
from placet.records.people import Member
from placet.service import members
from placet.service.asking import Groups, People, able, here
from placet.service.loading import call_of, not_frozen
from placet.service.ports import Ports
from placet.service.refusals import restored
from placet.service.rights import Right, head_for, right_of, standing_votes
from placet.service.standing import Hindrance, has_vote, hindrance
from placet.service.timely import write_timely

ATTEMPTS = 8
Votes = Mapping[str, Right]  # those that stand
STILL_MAY = "agreed_already"  # who has agreed may ask for the other person that the call needs


@dataclass(frozen=True)
class Reassigned:
    """The stored answer: `to` is the `sub` of a person, empty for a group."""

    call: str
    to: str
    group: str
    to_name: str
    by_name: Acting
    at_ms: int
    replayed: bool


@dataclass(frozen=True)
class _Target:
    """Whom a call is to be handed to; `told`: who is there to be mailed of it."""

    sub: str
    name: str
    group: str
    level: int
    names: frozenset[str]
    told: tuple[str, ...]


def reassign(ports: Ports, reviewer: Reviewer, call: str, *, to: str = "", group: str = "") -> Reassigned:
    """Hand a call on. Again to the same is the same.

    Args:
        to: `sub` or mail address of a person; or `group`: the name of a group.

    Raises:
        NotFound: absent, or not this person's to decide.
        Invalid: `reassign_unclear`, `reassign_unknown`, `reassign_self`.
        NotAllowed: `requester_may_not_decide`, `owner_may_not_decide`, `reassign_kept_out`.
        Conflict: `already_decided`, `person_ambiguous`, `reassign_away`, `reassign_agreed`, `reassign_too_often`, `pause_listed`,
            `epoch_differs`.
        Gone: `deadline_passed`. NotYet: the call is in nobody's queue yet. Busy, Frozen.
    """
    if bool(to) == bool(group):
        raise Invalid("reassign_unclear", "Name either a person or a group.")
    pause, number = split_call_id(call)
    not_frozen(ports)
    for _ in range(ATTEMPTS):
        head = head_for(ports, reviewer, pause)
        current = call_of(head, number)
        right = right_of(ports, reviewer, head, current)
        standing = standing_votes(ports, head, current)
        check_may_reassign(ports, head, hindrance(head, current, right, reviewer, standing, ports.clock.now_ms()))
        target = _target(ports, reviewer, head, standing, right.action_class, to, group)
        hand = _hand(reviewer, current, right, target)
        if (known := current.handed.get(hand.key)) is not None:
            return _answer(call, hand, known, replayed=True)
        if len(current.handed) >= MOST_HANDED:
            raise Conflict("reassign_too_often", f"A call is handed on at most {MOST_HANDED} times.", limit=MOST_HANDED)
        try:
            now = write_timely(ports, partial(writes.reassign, ports.keys, head, hand, ports.epoch))
        except ConditionFailed:
            continue  # decided, handed on or gone meanwhile: it is judged as it is now
        ports.log("reassigned", {"call": call, "to_group": not hand.to})
        return _answer(call, hand, hand.made(now), replayed=False)
    raise Busy


def check_may_reassign(ports: Ports, head: Head, against: Hindrance | None) -> None:
    """Let somebody pass who may decide the call now, or has agreed to it. Raises as `reassign`."""
    if against is not None and against.code != STILL_MAY:
        _refuse(against)
    if not head.notified_ms:
        raise NotYet  # another call of it was asked for anew: it stands in nobody's queue
    if head.stuck:
        raise Conflict("pause_listed", "This pause is on the stuck list: an operator has to see to it first.")
    if head.epoch < ports.epoch:
        raise restored()


def _refuse(against: Hindrance) -> None:
    if against.code in ("requester_may_not_decide", "owner_may_not_decide"):
        raise NotAllowed(against.code, against.says)
    if against.code == "deadline_passed":
        raise Gone(against.code, against.says)
    if against.code == "not_shown_yet":
        raise NotYet
    if against.code == "not_widened":
        raise NotFound
    raise Conflict(against.code, against.says)


def candidates(ports: Ports, reviewer: Reviewer, head: Head, call: HeadCall) -> tuple[list[Member], list[str]]:
    """Whom a call could be handed to: people of every level of its class, but requester, owner and who asks; and its groups."""
    action_class = ports.policy.classes.get(call.action_class)
    if action_class is None:
        return [], []
    looked = Groups(ports)
    people = able(looked.members(action_class, len(action_class.levels) - 1), head.kept_out)
    standing = standing_votes(ports, head, call)
    found = [one for one in people.values() if not _is_me(one, reviewer) and not _has_voted(standing, one)]
    return sorted(found, key=lambda one: one.name.casefold()), _groups(action_class)


def _target(
    ports: Ports, reviewer: Reviewer, head: Head, standing: Votes, one: ActionClass, to: str, group: str
) -> _Target:
    looked = Groups(ports)
    return (
        _of_group(looked, reviewer, head, standing, one, group)
        if group
        else _person(ports, looked, reviewer, head, standing, one, to)
    )


def _person(
    ports: Ports, looked: Groups, reviewer: Reviewer, head: Head, standing: Votes, one: ActionClass, named: str
) -> _Target:
    """The one person of the class's groups whom a text names."""
    known = looked.members(one, len(one.levels) - 1)
    if any(_is_me(who, reviewer) for who in known if _is_named(who, named)):
        raise Invalid("reassign_self", "You may decide it yourself.")
    subs = {who.sub for who in known if _is_named(who, named)}
    if len(subs) > 1:
        raise Conflict("person_ambiguous", "This names several people. Give the sub of one.", people=sorted(subs))
    if not subs:
        raise Invalid(
            "reassign_unknown", f"Nobody of this name is in a group that decides {one.name}.", groups=_groups(one)
        )
    (sub,) = subs
    theirs = [who for who in known if who.sub == sub]
    person = members.reviewer(ports, sub)
    person = replace(person, sub=sub, name=theirs[0].name, email=theirs[0].email)
    found = one.level_of({who.group for who in theirs}) or (0, theirs[0].group)
    if is_anyone_of(head.kept_out, {*person.names, *(who.email for who in theirs)}):
        raise NotAllowed("reassign_kept_out", f"{person.name} asked for this call, or answers for its agent.")
    if has_vote(standing, person.names):
        raise Conflict("reassign_agreed", f"{person.name} has a vote on this call already.")
    level, group = found
    member = next(who for who in theirs if who.group == group)
    told = _there(looked, {person.sub: member}, reviewer, head, standing)
    if not told:
        raise Conflict("reassign_away", f"{person.name} is away, and nobody else stands in.")
    group = ByBadge(group) if member.badge_until_ms else group
    names = person.names | {who.email for who in theirs}
    return _Target(person.sub, person.name, group, level, names, told)


def _of_group(looked: Groups, reviewer: Reviewer, head: Head, standing: Votes, one: ActionClass, group: str) -> _Target:
    if group not in _groups(one):
        raise Invalid("reassign_unknown", f"No level of {one.name} asks this group.", groups=_groups(one))
    people = able(looked.of(group), head.kept_out)
    left = {sub: who for sub, who in people.items() if not _has_voted(standing, who)}
    told = _there(looked, left, reviewer, head, standing)
    if not told:
        raise Conflict("reassign_away", "Nobody else of this group is here who may decide this call.")
    level = next(number for number, step in enumerate(one.levels) if group in step.groups)
    return _Target("", group, group, level, frozenset(), told)


def _there(looked: Groups, people: People, reviewer: Reviewer, head: Head, standing: Votes) -> tuple[str, ...]:
    """Who of these people, or in their place, is there to be told, and has no vote that stands."""
    found = here(looked, people, head.kept_out, [one.names for one in standing.values()])
    return tuple(
        sorted(sub for sub, one in found.items() if not _is_me(one, reviewer) and not _has_voted(standing, one))
    )


def _is_named(one: Member, named: str) -> bool:
    return named == one.sub or is_same_person(named, (one.sub, one.email))


def _is_me(one: Member, reviewer: Reviewer) -> bool:
    """Whether an account is the reviewer's: this one, or another with an address of theirs."""
    return one.sub == reviewer.sub or is_same_person(one.email, reviewer.names)


def _has_voted(standing: Votes, one: Member) -> bool:
    return has_vote(standing, (one.sub, one.email))


def _groups(one: ActionClass) -> list[str]:
    return list(dict.fromkeys(group for level in one.levels for group in level.groups))


def _hand(reviewer: Reviewer, call: HeadCall, right: Right, target: _Target) -> writes.Hand:
    return writes.Hand(
        by=reviewer,
        call=call,
        group=right.group,
        level=right.level,
        handed=right.handed(call),
        in_place_of=right.in_place_of,
        to=target.sub,
        to_name=target.name,
        to_group=target.group,
        to_level=target.level,
        to_names=target.names,
        told=target.told,
    )


def _answer(call: str, hand: writes.Hand, known: Handed, *, replayed: bool) -> Reassigned:
    return Reassigned(call, hand.to, hand.to_group, known.to_name, known.by_name, known.at_ms, replayed)
