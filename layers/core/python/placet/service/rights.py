"""Who may decide a call: the membership that gives the right, for the person who asks and for everybody who voted before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from placet.model.errors import NotFound, Unreadable
from placet.model.pauses import Reviewer
from placet.policy.classes import ActionClass
from placet.records.heads import Head, HeadCall
from placet.records.ops import Item
from placet.service import members
from placet.service.loading import head_in, item_of
from placet.service.ports import Ports


@dataclass(frozen=True)
class Right:
    """The membership that lets a reviewer decide a call."""

    action_class: ActionClass
    group: str
    level: int


def right_of(ports: Ports, reviewer: Reviewer, call: HeadCall) -> Right:
    """The membership that a decision would use. Raises NotFound when there is none."""
    right = find_right(ports, reviewer, call)
    if right is None:
        raise NotFound
    return right


def find_right(ports: Ports, reviewer: Reviewer, call: HeadCall) -> Right | None:
    """The membership through which a person may see and decide a call, now or once its level is reached; None without one."""
    return _right_to(ports, reviewer, call.action_class)


def head_for(ports: Ports, reviewer: Reviewer, pause: str) -> Head:
    """The head of a pause, for a person. Raises NotFound; and Unreadable, but only to who may see it by what is left of it."""
    item = item_of(ports, pause)
    try:
        return head_in(item)
    except Unreadable:
        if not any(_right_to(ports, reviewer, name) for name in _classes_in(item)):
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


def _right_to(ports: Ports, reviewer: Reviewer, name: str) -> Right | None:
    action_class = ports.policy.classes.get(name)
    found = action_class.level_of(reviewer.groups) if action_class else None
    return Right(action_class, found[1], found[0]) if action_class and found else None


def standing_votes(ports: Ports, head: Head, call: HeadCall) -> dict[str, str]:
    """The group through which each voter of a call could vote at this moment. Whoever may not any more has no vote either.

    A vote lasts as long as its voter's right. The record of the vote is not asked for the group, so that votes of every
    release are judged alike; the write that counts them checks these memberships.
    """
    found = {sub: find_right(ports, members.reviewer(ports, sub), call) for sub in call.votes}
    return {sub: right.group for sub, right in found.items() if right is not None and right.level <= call.level}
