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
        names: under what a call is handed to whose right it is: as a person, or with one of their groups.
    """

    level: int
    instead_of: str
    people: frozenset[str]
    names: frozenset[str]

    def is_reached(self, call: Mapping[str, Any]) -> bool:
        """Whether it can be used now: its level is reached, or the call was handed to whose right it is."""
        return self.level <= call.get("level", 0) or bool(self.names & call.get("handed", {}).keys())

    def hindrances(
        self, house: House, head: Item, call: Mapping[str, Any], votes: Mapping[str, tuple[str, str]], sub: str
    ) -> set[str]:
        """What stands against using it: a vote of anybody from whom it comes, or who was named on the way of one, among it."""
        given = {one for voter, (_, away) in votes.items() if voter != sub for one in (voter, away)}
        beside = {voter: away for voter, (_, away) in votes.items() if sub not in (voter, away)}
        met = people_of(house, beside) & {sub, *self.people}
        facts = {
            "not_found": not self.is_reached(call),
            "requester_may_not_decide": any(is_meant(head.get("requester"), one) for one in self.people),
            "owner_may_not_decide": any(is_meant(head.get("owner"), one) for one in self.people),
            "vote_given": bool(met) or (bool(self.instead_of) and self.instead_of in given),
        }
        return {code for code, holds in facts.items() if holds}


def is_meant(written: str | None, sub: str) -> bool:
    """Whether a requester or owner is this person."""
    return written in (sub, f"{sub}@example.com")


def rights(house: House, sub: str, action_class: str) -> list[Right]:
    """All rights of a person to calls of a class, at this moment."""
    own = house.groups_of(sub)
    level = _level(house, action_class, own)
    found = [] if level is None else [Right(level, "", frozenset({sub}), _names(house, action_class, sub))]
    for way in _ways(house, sub) if own else ():
        level = _level(house, action_class, house.groups_of(way[0]))
        if level is not None and all(house.groups_of(one) for one in way):
            found.append(Right(level, way[0], frozenset(way), _names(house, action_class, way[0])))
    return found


def asked(house: House, head: Item, call: Mapping[str, Any], level: int) -> set[str]:
    """Who is here and may decide a call at a level, or was handed it, and has not agreed: whoever's right it is, or the last of
    those who were named."""
    found, agreed = set(), agreed_to(house, head, call)
    for sub in house.people:
        mine = _level(house, call["class"], house.groups_of(sub))
        handed = _names(house, call["class"], sub) & call.get("handed", {}).keys()
        if mine is None or (mine > level and not handed) or _kept_out(head, sub) or sub in agreed:
            continue
        if here := stands_for(house, head, sub, agreed):
            found.add(here)
    return found


def stands_for(house: House, head: Item, sub: str, agreed: set[str]) -> str:
    """Who is here for somebody's right: they themselves, or the last of those who were named, none of whom has agreed; empty for
    nobody."""
    way = [sub, *_named(house, sub)]
    fits = not agreed & {*way} and all(house.groups_of(one) and not _kept_out(head, one) for one in way[1:])
    return way[-1] if fits and house.delegate_of(way[-1]) is None else ""


def votes_of(house: House, head: Item, call: Mapping[str, Any]) -> dict[str, str]:
    """Who has agreed to what the call is now and might do so still, and in whose place: they may be away since."""

    def stands(voter: str, away: str) -> bool:
        mine = (one for one in rights(house, voter, call["class"]) if one.instead_of == away)
        return any(not one.hindrances(house, head, call, {}, voter) for one in mine)

    given = {
        voter: call.get("for", {}).get(voter, "") for voter, to in call.get("votes", {}).items() if to == call["digest"]
    }
    return {voter: away for voter, away in given.items() if stands(voter, away)}


def agreed_to(house: House, head: Item, call: Mapping[str, Any]) -> set[str]:
    """Everybody who has a vote that stands: by whom it was given, in whose place, and who was named between the two."""
    return people_of(house, votes_of(house, head, call))


def people_of(house: House, votes: Mapping[str, str]) -> set[str]:
    """Everybody who has one of these votes: who gave it, in whose place, and who was named between the two."""
    between = (way for voter, away in votes.items() for way in _ways(house, voter) if way[0] == away)
    return {*votes, *(away for away in votes.values() if away), *(one for way in between for one in way)}


def enough(house: House, head: Item, call: Mapping[str, Any], level: int) -> bool:
    """Whether they are as many as it takes, with those who have agreed."""
    return len(asked(house, head, call, level)) + len(votes_of(house, head, call)) >= house.quorum(call["class"])


def decidable(house: House, head: Item) -> bool:
    """Whether one of the open calls of a pause can be decided by somebody, on whatever level."""
    return any(enough(house, head, call, 99) for call in head["calls"].values() if call["state"] == "pending")


def _kept_out(head: Item, sub: str) -> bool:
    return is_meant(head.get("requester"), sub) or is_meant(head.get("owner"), sub)


def _level(house: House, action_class: str, groups: set[str]) -> int | None:
    levels = [level for group, level in house.deployed.groups.get(action_class, {}).items() if group in groups]
    return min(levels, default=None)


def _names(house: House, action_class: str, sub: str) -> frozenset[str]:
    """Under what a call of a class is handed to somebody."""
    known = house.deployed.groups.get(action_class, {})
    return frozenset({f"U#{sub}", *(f"G#{group}" for group in house.groups_of(sub) if group in known)})


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


def level_seen(call: Mapping[str, Any]) -> int:
    """The highest level whose people have to find an open call: that which it has reached, or was handed to."""
    return max([call.get("level", 0), *(one["level"] for one in call.get("handed", {}).values())])


def next_moment(call: Mapping[str, Any]) -> int:
    """The next reminder, level or deadline of an open call that is shown."""
    reminded, level = call.get("reminded", 0), call.get("level", 0)
    ahead = (*call.get("remind_ms", ())[reminded : reminded + 1], *call.get("levels_ms", ())[level : level + 1])
    return int(min(*ahead, call["deadline_ms"], call["deadline_ms"]))
