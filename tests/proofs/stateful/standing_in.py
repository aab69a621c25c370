"""The books' own answer to who may decide a call: by a membership of their own, or in the place of somebody who is away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from placet.records.ops import Item
from tests.proofs.stateful.house import House

STEPS = 3


@dataclass(frozen=True)
class Right:
    """A right to decide a call from `level` on.

    Attributes:
        instead_of: whose it is, when that is somebody who is away.
        people: everybody on the way from whom it comes to who uses it.
    """

    level: int
    instead_of: str
    people: frozenset[str]

    def hindrances(
        self, head: Item, call: Mapping[str, Any], votes: Mapping[str, tuple[str, str]], sub: str
    ) -> set[str]:
        """What stands against using it."""
        given = {one for voter, (_, away) in votes.items() if voter != sub for one in (voter, away)}
        facts = {
            "not_found": self.level > call.get("level", 0),
            "requester_may_not_decide": any(is_meant(head.get("requester"), one) for one in self.people),
            "owner_may_not_decide": any(is_meant(head.get("owner"), one) for one in self.people),
            "vote_given": bool(self.instead_of) and self.instead_of in given,
        }
        return {code for code, holds in facts.items() if holds}


def is_meant(written: str | None, sub: str) -> bool:
    """Whether a requester or owner is this person."""
    return written in (sub, f"{sub}@example.com")


def rights(house: House, sub: str, action_class: str) -> list[Right]:
    """All rights of a person to calls of a class, at this moment."""
    own = house.groups_of(sub)
    level = _level(house, action_class, own)
    found = [] if level is None else [Right(level, "", frozenset({sub}))]
    for way in _ways(house, sub) if own else ():
        level = _level(house, action_class, house.groups_of(way[0]))
        if level is not None and all(house.groups_of(one) for one in way):
            found.append(Right(level, way[0], frozenset(way)))
    return found


def asked(house: House, head: Item, call: Mapping[str, Any], level: int) -> set[str]:
    """Who is here and may decide a call at a level, and has not agreed: whoever's right it is, or the last of those who were
    named."""
    found, agreed = set(), {one for vote in _votes(house, head, call).items() for one in vote}
    for sub in house.people:
        mine = _level(house, call["class"], house.groups_of(sub))
        if mine is None or mine > level or _kept_out(head, sub) or sub in agreed:
            continue
        way = [sub, *_named(house, sub)]
        fits = all(house.groups_of(one) and not _kept_out(head, one) for one in way[1:])
        if house.delegate_of(way[-1]) is None and fits and way[-1] not in agreed:
            found.add(way[-1])
    return found


def _votes(house: House, head: Item, call: Mapping[str, Any]) -> dict[str, str]:
    """Who has agreed to what the call is now and might do so still, and in whose place: they may be away since."""

    def stands(voter: str, away: str) -> bool:
        mine = (one for one in rights(house, voter, call["class"]) if one.instead_of == away)
        return any(not one.hindrances(head, call, {}, voter) for one in mine)

    given = {
        voter: call.get("for", {}).get(voter, "") for voter, to in call.get("votes", {}).items() if to == call["digest"]
    }
    return {voter: away for voter, away in given.items() if stands(voter, away)}


def enough(house: House, head: Item, call: Mapping[str, Any], level: int) -> bool:
    """Whether they are as many as it takes, with those who have agreed."""
    return len(asked(house, head, call, level)) + len(_votes(house, head, call)) >= house.quorum(call["class"])


def decidable(house: House, head: Item) -> bool:
    """Whether one of the open calls of a pause can be decided by somebody, on whatever level."""
    return any(enough(house, head, call, 99) for call in head["calls"].values() if call["state"] == "pending")


def _kept_out(head: Item, sub: str) -> bool:
    return is_meant(head.get("requester"), sub) or is_meant(head.get("owner"), sub)


def _level(house: House, action_class: str, groups: set[str]) -> int | None:
    levels = [level for group, level in house.deployed.groups.get(action_class, {}).items() if group in groups]
    return min(levels, default=None)


def _named(house: House, sub: str) -> list[str]:
    """Those who were named one after the other, as long as each of them is away."""
    way = [sub]
    while len(way) <= STEPS and (named := house.delegate_of(way[-1])) and named not in way:
        way.append(named)
    return way[1:]


def _ways(house: House, sub: str) -> Iterator[tuple[str, ...]]:
    for away in house.people:
        way = [away, *_named(house, away)]
        if sub in way[1:]:
            yield tuple(way[: way.index(sub) + 1])


def next_moment(call: Mapping[str, Any]) -> int:
    """The next reminder, level or deadline of an open call that is shown."""
    reminded, level = call.get("reminded", 0), call.get("level", 0)
    ahead = (*call.get("remind_ms", ())[reminded : reminded + 1], *call.get("levels_ms", ())[level : level + 1])
    return int(min(*ahead, call["deadline_ms"], call["deadline_ms"]))
