"""reassign: a reviewer hands a call to a person or a group of a later level. It widens who may decide, and moves nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from placet.model.absences import InPlaceOf, all_names
from placet.model.events import Event, EventName
from placet.model.pauses import ByBadge, Reviewer
from placet.records import clauses as c
from placet.records.calls import HeadCall
from placet.records.conditions import Clause
from placet.records.facts import acting
from placet.records.handing import Handed, to_group, to_person
from placet.records.heads import Head
from placet.records.keys import Keys
from placet.records.ops import Check, Op, update
from placet.records.writes.deciding import apart, right_checks, right_clauses
from placet.records.writes.places import placed
from placet.records.writes.telling import by_whom, generation_mark, put_event

HANDED = "handed"  # why somebody is mailed whom a colleague handed a call to


@dataclass(frozen=True)
class Hand:
    """One reviewer hands one call on.

    Attributes:
        by: who hands it on; `group`, `level`, `handed`, `in_place_of`: the right by which, as of a `Ballot`.
        to: `sub` of the person; empty for a group. `to_name`: as pages show them, or the group's name.
        to_group, to_level: the group by which the person may decide, or the group itself; and its level.
        to_names: every name of the person, as they are compared with requester and owner.
        told: who is mailed.
    """

    by: Reviewer
    call: HeadCall
    group: str
    level: int
    handed: str
    in_place_of: InPlaceOf | None
    to: str
    to_name: str
    to_group: str
    to_level: int
    to_names: frozenset[str]
    told: Sequence[str]

    @property
    def key(self) -> str:
        """Under which the call was handed on."""
        return to_person(self.to) if self.to else to_group(self.to_group)

    @property
    def names(self) -> frozenset[str]:
        """Of everybody who hands it on or gets it: none of them may be the requester or the owner."""
        return all_names(self.by.names, self.in_place_of) | self.to_names

    def made(self, now_ms: int) -> Handed:
        """What is written down of it."""
        return Handed(self.to_level, self.to_name, acting(self.by, self.in_place_of), now_ms)


def reassign(keys: Keys, head: Head, hand: Hand, epoch: int, now_ms: int) -> list[Op]:
    """The one conditional write by which somebody may decide before their level is reached. The deadline and the quorum stay, and
    so does whoever may decide already. The sweep comes at once, whatever is claimed, and has them mailed whom it names."""
    number, call = hand.call.number, hand.call
    handed = {**call.handed, hand.key: hand.made(now_ms)}
    after = [replace(one, handed=handed) if one.number == number else one for one in head.pending]
    move = placed(keys, head, after or [call], now_ms, hand.told)  # of none that is open the write is refused
    changes: dict[str, Any] = {f"calls.{number}.handed": {key: one.item for key, one in handed.items()}}
    changes |= {"card.handed": True, **move.set}
    changes |= {"mails_missed": sorted({*head.mails_missed, *hand.told})}
    if not head.mails_missed:
        changes["mails_why"] = HANDED
    return [
        update(keys.head(head.pause), [*_clauses(head, hand, epoch, now_ms), *move.clauses], set=changes),
        put_event(keys, head.pause, _fact(head.gen, hand), Event(EventName.REASSIGNED, now_ms, _fields(hand))),
        *_checks(keys, hand, now_ms),
    ]


def _clauses(head: Head, hand: Hand, epoch: int, now_ms: int) -> list[Clause]:
    number = hand.call.number
    return [
        c.call_pending(number),
        c.in_time(number, now_ms),
        c.not_cancelled(),
        *apart(head, hand.names),
        *right_clauses(number, hand.level, hand.handed),
        c.my_generation(head.gen),
        c.same_epoch(epoch),
    ]


def _checks(keys: Keys, hand: Hand, now_ms: int) -> list[Check]:
    """What the right to hand it on rests on, and that whoever gets it is in the group by which they may decide."""
    found = [*right_checks(keys, hand.by.sub, hand.group, hand.in_place_of, now_ms)]
    if hand.to:
        # By a sign-in that is over they have to come again: the write that decides asks for that.
        badge = isinstance(hand.to_group, ByBadge)
        key = keys.badge(hand.to, hand.to_group) if badge else keys.member(hand.to, hand.to_group)
        found.append(Check(key, (c.still_member(),)))
    return list({check.key: check for check in found}.values())


def _fields(hand: Hand) -> dict[str, Any]:
    return {
        "call": hand.call.number,
        **by_whom(hand.by, hand.in_place_of, hand.group),
        "to": hand.to,
        "to_name": hand.to_name,
        "to_group": str(hand.to_group),
    }


def _fact(gen: int, hand: Hand) -> str:
    """Its unique name: a call is handed to the same one once under one execution; a new one may forget to whom it was."""
    return f"{hand.call.number}#reassigned{generation_mark(gen)}#{hand.key}"
