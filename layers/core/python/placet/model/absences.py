"""Who is away and who stands in: pure, over the absences as they are stored.

A person who is away may name one delegate. The delegate decides what that person may decide, for as long as the absence lasts and
the person's own right stands. A delegate who is away too may have named another one: a way of at most MOST_STEPS people, in which
nobody stands twice, so that a circle leads nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

MOST_STEPS = 3  # from the person who is away to the one who decides
LONGEST_MS = 366 * 86_400_000  # of one absence
MOST_STOOD_IN_FOR = 20  # people in whose place one person may be named at once
MOST_LOOKED_UP = (
    2 * MOST_STOOD_IN_FOR
)  # ways that are followed to one person: who names them at one moment is not counted twice


@dataclass(frozen=True)
class Absence:
    """One person is away from `from_ms` on until `until_ms`; `delegate` is the `sub` of who stands in, empty for nobody.

    Attributes:
        by: who wrote it down: the person's own `sub`, or an operator as `role/name`.
    """

    sub: str
    name: str
    from_ms: int
    until_ms: int
    delegate: str
    delegate_name: str
    by: str = ""

    def lasts(self, now_ms: int) -> bool:
        """Whether the person is away at a moment."""
        return self.from_ms <= now_ms < self.until_ms

    def meets(self, other: Absence) -> bool:
        """Whether both are away at some moment."""
        return self.from_ms < other.until_ms and other.from_ms < self.until_ms


@dataclass(frozen=True)
class InPlaceOf:
    """What lets one person use another's right, beside that right itself.

    Attributes:
        sub, name: of the person who is away.
        steps: (who is away, whom they named), from that person to the one who decides.
        members: (person, group): a membership of everybody who was named on the way; who left stands in for nobody.
        names: every name of everybody on the way, as they are compared with requester and owner.
    """

    sub: str
    name: str
    steps: tuple[tuple[str, str], ...]
    members: tuple[tuple[str, str], ...]
    names: frozenset[str]


def all_names(own: frozenset[str], away: InPlaceOf | None) -> frozenset[str]:
    """Every name of those by whose right a person acts: their own, and of everybody on the way to the one in whose place."""
    return own | away.names if away else own


class Absences:
    """The absences of a tenant at one moment."""

    def __init__(self, found: Iterable[Absence], now_ms: int) -> None:
        self.now_ms = now_ms
        self.known = {one.sub: one for one in found if one.until_ms > now_ms and one.from_ms < one.until_ms}

    def of(self, sub: str) -> Absence | None:
        """The absence of somebody who is away now."""
        found = self.known.get(sub)
        return found if found is not None and found.lasts(self.now_ms) else None

    def ways_to(self, sub: str) -> list[tuple[Absence, ...]]:
        """Every way that ends at a person: the absences from somebody who is away to the one who named this person."""
        found: list[tuple[Absence, ...]] = []
        ends: list[tuple[Absence, ...]] = [()]
        for _ in range(MOST_STEPS):
            ends = [(one, *way) for way in ends for one in self._that_name(way[0].sub if way else sub, sub, way)]
            found += ends
        return found[:MOST_LOOKED_UP]

    def instead_of(self, sub: str) -> tuple[str, ...]:
        """The people who were named one after the other, the last of whom is here and is asked instead of somebody who is away.

        Empty when nobody is: none was named, or all of them are away.
        """
        named: list[str] = []
        away = self.of(sub)
        while away is not None and away.delegate and away.delegate not in (sub, *named) and len(named) < MOST_STEPS:
            named.append(away.delegate)
            away = self.of(away.delegate)
        return tuple(named) if away is None else ()

    def circle(self, new: Absence) -> bool:
        """Whether somebody would stand in for themselves if this absence were written down."""
        return new.sub == new.delegate or new.sub in self._onwards(new)

    def length(self, new: Absence) -> int:
        """The steps of the longest way that would lead through this absence."""
        return self._before(new.sub, new, {new.sub}) + 1 + len(self._onwards(new))

    def load(self, new: Absence) -> int:
        """For how many people the busiest of those whom this absence leads to would stand in, as far as their absences meet it."""
        return max(len(self._led_to(sub, new)) for sub in (new.delegate, *self._onwards(new)))

    def _led_to(self, sub: str, new: Absence) -> set[str]:
        """Everybody whose right would come to a person, one step or several."""
        beside = [one for one in self.known.values() if one.sub != new.sub and one.meets(new)] + [new]
        found: set[str] = set()
        ends = {sub}
        for _ in range(MOST_STEPS):
            ends = {one.sub for one in beside if one.delegate in ends} - found - {sub}
            found |= ends
        return found

    def _onwards(self, new: Absence) -> list[str]:
        """Whom a delegate leads to, as far as their absences meet the new one."""
        found: list[str] = []
        sub = new.delegate
        while (one := self.known.get(sub)) and one.sub != new.sub and one.meets(new) and one.delegate:
            sub = one.delegate
            if sub in found:
                break
            found.append(sub)
        return found

    def _before(self, sub: str, new: Absence, seen: set[str]) -> int:
        named_by = [
            one for one in self.known.values() if one.delegate == sub and one.sub not in seen and one.meets(new)
        ]
        return max((1 + self._before(one.sub, new, {*seen, one.sub}) for one in named_by), default=0)

    def _that_name(self, sub: str, last: str, way: tuple[Absence, ...]) -> list[Absence]:
        met = {last, *(one.sub for one in way)}
        named_by = (one for one in self.known.values() if one.delegate == sub and one.sub not in met)
        return sorted((one for one in named_by if one.lasts(self.now_ms)), key=lambda one: one.sub)
