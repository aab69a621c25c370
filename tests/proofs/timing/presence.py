"""Who was there at a moment, and who stood in for whom: read from what people did, and knows nothing of the product's code."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from placet.policy import ActionClass

STEPS = 3  # on which a right is handed on at most


@dataclass(frozen=True)
class Away:
    """From `at` on it is known that a person is away for a time, and who stands in; empty for nobody."""

    at: int
    sub: str
    since: int
    until: int
    delegate: str


class Asks(Protocol):
    """What is asked of a call."""

    @property
    def action_class(self) -> ActionClass: ...
    @property
    def requester(self) -> str: ...


class Presence:
    """Everybody's comings and goings.

    Attributes:
        when: the moments at which something of it changed.
    """

    def __init__(self, groups: Iterable[tuple[int, str, frozenset[str]]], away: Iterable[Away]) -> None:
        self._groups: defaultdict[str, list[tuple[int, frozenset[str]]]] = defaultdict(list)
        self._away: defaultdict[str, list[Away]] = defaultdict(list)
        moments: set[int] = set()
        for at, group, subs in groups:
            self._groups[group].append((at, subs))
            moments.add(at)
        for one in away:
            self._away[one.sub].append(one)
            moments |= {one.at, one.since, one.until}
        self.when = sorted(moments)
        self._asked: dict[tuple[str, int, str, int, frozenset[str]], frozenset[str]] = {}

    def between(self, since: int, until: int) -> list[int]:
        """The moments after one and up to another at which somebody came or went."""
        return self.when[bisect_right(self.when, since) : bisect_right(self.when, until)]

    def entitled(self, call: Asks, level: int, at: int) -> frozenset[str]:
        """Whose own right it is to decide a call at a level, here or not."""
        groups = (group for step in call.action_class.levels[: level + 1] for group in step.groups)
        return frozenset().union(*(self._members(group, at) for group in groups)) - {call.requester}

    def asked(self, call: Asks, level: int, at: int, agreed: frozenset[str] = frozenset()) -> frozenset[str]:
        """Who is here and may decide it: they themselves, or the last of those who were named one after the other. Neither who has
        agreed, nor by the right of one who has, whoever gave that vote, nor by one that comes through one who has."""
        kind = (call.action_class.name, level, call.requester, bisect_right(self.when, at), agreed)
        if kind not in self._asked:
            entitled = self.entitled(call, level, at) - agreed
            found = (self._instead(sub, call.requester, at, agreed) for sub in entitled)
            self._asked[kind] = frozenset(sub for sub in found if sub) - agreed
        return self._asked[kind]

    def enough(self, call: Asks, level: int, at: int) -> bool:
        """Whether they are as many as it takes."""
        return len(self.asked(call, level, at)) >= call.action_class.quorum

    def enough_all_along(self, call: Asks, level: int, since: int, until: int) -> bool:
        """Whether they were so from one moment to another."""
        return all(self.enough(call, level, at) for at in (since, *self.between(since, until)))

    def may(self, call: Asks, level: int, at: int, sub: str, instead_of: str) -> bool:
        """Whether somebody had the right to decide: their own, or that of one who was away and led to them."""
        if (instead_of or sub) not in self.entitled(call, level, at):
            return False
        return not instead_of or (sub in self._led_to(instead_of, at, call.requester) and sub != call.requester)

    def on_the_way(self, sub: str, instead_of: str, at: int) -> frozenset[str]:
        """Everybody by whose right somebody decides: they themselves, and whoever was named on the way to them."""
        if not instead_of:
            return frozenset({sub})
        named = [instead_of, *self._named(instead_of, at)]
        return frozenset(named[: named.index(sub) + 1])

    # --- who is away ----------------------------------------------------------------------------------------------------

    def _members(self, group: str, at: int) -> frozenset[str]:
        return next((subs for moment, subs in reversed(self._groups[group]) if moment <= at), frozenset())

    def _belongs(self, sub: str, at: int) -> bool:
        return any(sub in self._members(group, at) for group in self._groups)

    def _absence(self, sub: str, at: int) -> Away | None:
        last = next((one for one in reversed(self._away[sub]) if one.at <= at), None)
        return last if last is not None and last.since <= at < last.until else None

    def _led_to(self, sub: str, at: int, but: str) -> list[str]:
        """Those to whom a right leads, one after the other, as far as each of them is somebody who may use it."""
        found: list[str] = []
        for named in self._named(sub, at):
            if named == but or not self._belongs(named, at):
                break
            found.append(named)
        return found

    def _named(self, sub: str, at: int) -> Iterator[str]:
        seen = [sub]
        while len(seen) <= STEPS and (gone := self._absence(seen[-1], at)) and gone.delegate:
            if gone.delegate in seen:
                return
            seen.append(gone.delegate)
            yield gone.delegate

    def _instead(self, sub: str, requester: str, at: int, agreed: frozenset[str]) -> str:
        """Who is asked for somebody's right: they themselves if they are here; empty for nobody."""
        if self._absence(sub, at) is None:
            return sub
        led = self._led_to(sub, at, requester)
        return led[-1] if led and not agreed & {*led} and self._absence(led[-1], at) is None else ""


def are_enough(votes: Collection[tuple[str, str]], quorum: int) -> bool:
    """Whether so many of these votes, each (who, in whose place), are of people of whom none is in two of them."""
    if quorum == 0:
        return True
    left = list(votes)
    while left:
        sub, instead_of = left.pop()
        people = {sub, instead_of or sub}
        if are_enough([one for one in left if not people & {one[0], one[1] or one[0]}], quorum - 1):
            return True
    return False
