"""Who may decide a call: the membership that gives the right, one's own or that of a person who is away, for the person who asks
and for everybody who voted before."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from placet.model.absences import Absences, InPlaceOf, all_names
from placet.model.errors import NotFound, Unreadable
from placet.model.pauses import Reviewer
from placet.model.people import address_marks, is_anyone_of
from placet.policy.classes import ActionClass
from placet.records.calls import HeadCall
from placet.records.handing import to_group, to_person
from placet.records.heads import Head
from placet.records.ops import Item
from placet.service import members
from placet.service.absences import StoodInFor, absences, stood_in_for
from placet.service.loading import head_in, item_of
from placet.service.ports import Ports

MOST_CHECKS = 85  # of the rights of earlier voters in one write, which takes 100 items


@dataclass(frozen=True)
class Right:
    """The membership that lets a reviewer decide a call.

    Attributes:
        in_place_of: whose membership it is, when that is somebody else who is away.
        sub: of whose membership it is.
        names: of whoever uses it and whoever's it is, for the right of a vote that stands.
    """

    action_class: ActionClass
    group: str
    level: int
    in_place_of: InPlaceOf | None = None
    sub: str = ""
    names: frozenset[str] = frozenset()

    def handed(self, call: HeadCall) -> str:
        """The key under which the call was handed to whose right it is, where its level is not reached; empty when it was not."""
        if self.level <= call.level:
            return ""
        return next((key for key in (to_person(self.sub), to_group(self.group)) if key in call.handed), "")

    def is_reached(self, call: HeadCall) -> bool:
        """Whether it can be used now: its level is reached, or the call was handed to whose right it is."""
        return self.level <= call.level or bool(self.handed(call))

    @property
    def checks(self) -> int:
        """How many items a write checks for it."""
        return 1 + (len(self.in_place_of.steps) + len(self.in_place_of.members) if self.in_place_of else 0)


class Rights:
    """The rights of one person at this moment. Who is away is read only where their own groups do not suffice."""

    def __init__(self, ports: Ports, reviewer: Reviewer, known: Absences | None = None) -> None:
        self._ports = ports
        self._reviewer = reviewer
        self._known = known

    def of(self, head: Head, call: HeadCall) -> Right | None:
        """The right through which a person may see and decide a call, now or once its level is reached; None without one.

        Their own before another's, and one that can be used before one that cannot: its level is not reached, it is the
        requester's or the owner's, or somebody from whom it comes has a vote. A vote may have ended, the others may not.
        """
        if (used := self._voted_by(head, call)) is not None:
            return used
        first, voted = None, None
        for right in self._to(call.action_class, call.handed):
            if _usable(head, call, right):
                if not _has_vote(call, right, self._reviewer.sub):
                    return right
                voted = voted or right
            first = first or right
            if self._is_kept_out(head):
                break
        return voted or first

    def _voted_by(self, head: Head, call: HeadCall) -> Right | None:
        """The right by which this person has voted, as long as it can be used."""
        if self._reviewer.sub not in call.votes:
            return None
        right = self.in_place_of(call.stand_ins.get(self._reviewer.sub, ""), call)
        return right if right is not None and right.is_reached(call) else None

    def any_to(self, classes: set[str]) -> bool:
        """Whether there is a right to decide calls of one of these classes."""
        return any(next(self._to(name), None) is not None for name in classes)

    def in_place_of(self, away: str, call: HeadCall) -> Right | None:
        """The right of one person who is away, or their own when `away` is empty."""
        found = (right for right in self._to(call.action_class, call.handed) if _whose(right) == away)
        return min(found, key=lambda right: (not right.is_reached(call), right.level), default=None)

    def _is_kept_out(self, head: Head) -> bool:
        return is_anyone_of(head.kept_out, self._reviewer.names)

    def _to(self, name: str, handed: Collection[str] = ()) -> Iterator[Right]:
        action_class = self._ports.policy.classes.get(name)
        if action_class is None:
            return
        yield from _of(action_class, self._reviewer, None, handed)
        for one in self._stood_in_for:
            yield from _of(action_class, one.person, one.place, handed)

    @cached_property
    def _stood_in_for(self) -> tuple[StoodInFor, ...]:
        return stood_in_for(self._ports, self._reviewer, self._known)


def _of(
    action_class: ActionClass, person: Reviewer, place: InPlaceOf | None, handed: Collection[str]
) -> Iterator[Right]:
    """The rights of one person: by the group of their lowest level, and by every other of theirs that the call was handed to."""
    lowest = action_class.level_of(person.groups)
    if lowest is None:
        return
    yield Right(action_class, person.membership(lowest[1]), lowest[0], place, person.sub)
    for level, step in enumerate(action_class.levels):
        for group in step.groups:
            if group in person.groups and to_group(group) in handed and (level, group) != lowest:
                yield Right(action_class, person.membership(group), level, place, person.sub)


def _usable(head: Head, call: HeadCall, right: Right) -> bool:
    place = right.in_place_of
    return right.is_reached(call) and (place is None or not is_anyone_of(head.kept_out, place.names))


def _has_vote(call: HeadCall, right: Right, sub: str) -> bool:
    """Whether somebody from whom a right comes to who uses it, by whatever account, has a vote that another one gave."""
    place = right.in_place_of
    if place is None or not call.votes:
        return False
    others = {mark for mark, voter in call.marks.items() if voter != sub}
    return any(call.voted(away) for away, _ in place.steps) or not others.isdisjoint(address_marks(place.names))


def _whose(right: Right) -> str:
    return right.in_place_of.sub if right.in_place_of else ""


def right_of(ports: Ports, reviewer: Reviewer, head: Head, call: HeadCall) -> Right:
    """The membership that a decision would use. Raises NotFound when there is none."""
    right = Rights(ports, reviewer).of(head, call)
    if right is None:
        raise NotFound
    return right


def head_for(ports: Ports, reviewer: Reviewer, pause: str) -> Head:
    """The head of a pause, for a person. Raises NotFound; and Unreadable, but only to who may see it by what is left of it."""
    item = item_of(ports, pause)
    try:
        return head_in(item)
    except Unreadable:
        if not Rights(ports, reviewer).any_to(_classes_in(item)):
            raise NotFound from None
        raise


def _classes_in(item: Item) -> set[str]:
    """The classes that a head of any shape still names."""
    calls, card = item.get("calls"), item.get("card")
    found: list[Any] = (
        [one.get("class") for one in calls.values() if isinstance(one, dict)] if isinstance(calls, dict) else []
    )
    told = card.get("classes") if isinstance(card, dict) else None
    return {name for name in (*found, *(told if isinstance(told, list) else ())) if isinstance(name, str)}


def seen_by(ports: Ports, reviewer: Reviewer, pause: str) -> Head:
    """The head of a pause that a person may see: they may decide a call of it, now or once it is widened to them, or could have.

    Raises NotFound, Unreadable.
    """
    head = head_for(ports, reviewer, pause)
    held = Rights(ports, reviewer)
    if not any(held.of(head, call) for call in head.calls):
        raise NotFound
    return head


def standing_votes(ports: Ports, head: Head, call: HeadCall) -> dict[str, Right]:
    """The right through which each voter of a call could vote at this moment. Whoever may not any more has no vote either.

    A vote lasts as long as its voter's right, and one that was given for somebody who is away as long as that person's right and
    absence. The record of the vote is not asked for the group, so that votes of every release are judged alike; the write that
    counts them checks these rights.
    """
    found: dict[str, Right] = {}
    known = absences(ports) if call.stand_ins else None
    for sub in sorted(call.votes, key=lambda voter: (voter in call.stand_ins, voter)):
        voter = members.reviewer(ports, sub)
        rights = Rights(ports, voter, known)
        right = rights.in_place_of(call.stand_ins.get(sub, ""), call)
        spent = sum(one.checks for one in found.values())
        if right is not None and right.is_reached(call) and spent + right.checks <= MOST_CHECKS:
            found[sub] = replace(right, names=all_names(voter.names, right.in_place_of))
    return found
