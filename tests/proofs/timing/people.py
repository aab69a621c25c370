"""The people of the quarter: they join and leave groups, go away for a while, name who stands in for them, and come back."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Protocol

from placet.model.errors import Invalid, NotFound
from placet.model.pauses import Reviewer
from placet.records.ops import Delete
from placet.service import members
from placet.service.away import away, back
from tests.gateway import Gateway
from tests.proofs.timing.cast import EVERYBODY, GROUPS
from tests.proofs.timing.presence import Away

LEAVING = ("one", "group", "one for two", "groups", "all but one")
GOING = (
    "nobody stands in",
    "a colleague stands in",
    "another group stands in",
    "a chain",
    "a whole group",
    "a group for which one stands in",
    "who named somebody leaves",
    "who was named leaves",
    "two who name each other",
    "back early",
    "one for two",
    "two votes of one right",
)
ASKS_TWO = (
    "one for two",
    "two votes of one right",
)  # kinds of leaving and going for which pauses wait that want two people
HOUR_MS = 3_600_000


class World(Protocol):
    """What people live in."""

    gateway: Gateway
    random: random.Random
    changed: bool

    @property
    def now(self) -> int: ...
    def at(self, moment: int, what: Callable[[], Any]) -> None: ...
    def count(self, kind: str) -> None: ...
    def tries(self, sub: str, kind: str = "", *, agrees: bool = False) -> None: ...


class People:
    """Who is in which group and who is away, and every change of it as people saw it.

    Attributes:
        groups: (moment, group, members).
        away: every absence that was written down.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self.groups: list[tuple[int, str, frozenset[str]]] = []
        self.away: list[Away] = []
        for group, subs in GROUPS.items():
            for sub in subs:
                self._joins(group, sub)

    def leave(self, kind: str) -> None:
        """One person, all but one of a group, a whole group, or everybody in several; all come back in half an hour to a day."""
        drawn = self._world.random
        groups = drawn.sample(list(GROUPS), {"groups": 3}.get(kind, 1))
        groups = ["board", "floor"] if kind == "one for two" else groups
        back_at = self._world.now + int((0.5 + drawn.random() * 20) * HOUR_MS)
        self._world.count(f"left: {kind}")
        for group in groups:
            subs = list(GROUPS[group])
            drawn.shuffle(subs)
            most = len(subs) - 1 if kind == "all but one" or (kind, group) == ("one for two", "floor") else len(subs)
            for sub in subs[: 1 if kind == "one" else most]:
                self._leaves_for(group, sub, back_at)

    def go_away(self, kind: str) -> None:
        """Somebody says that they are not here, from now or soon on, and perhaps who decides instead."""
        drawn = self._world.random
        since = self._world.now + (0 if drawn.random() < 0.5 else int(drawn.random() * 3 * HOUR_MS))
        until = since + int((2 + drawn.random() * 30) * HOUR_MS)
        group = "floor" if kind == "two votes of one right" else drawn.choice(list(GROUPS))
        subs = sorted(drawn.sample(GROUPS[group], len(GROUPS[group])), key=self._belongs, reverse=True)
        others = sorted(drawn.sample([one for one in EVERYBODY if one not in subs], 3), key=self._belongs, reverse=True)
        if kind == "two who name each other":
            subs = sorted(drawn.sample(EVERYBODY, len(EVERYBODY)), key=self._belongs, reverse=True)
        self._world.count(f"away: {kind}")
        if kind in ("a colleague stands in", "two who name each other"):
            self._goes(subs[0], since, until, subs[1])
        if kind == "two who name each other":
            self._goes(subs[1], since, until, subs[0])
        elif kind == "nobody stands in":
            self._goes(subs[0], since, until)
        elif kind == "a chain":
            for sub, named in zip((subs[0], *others), others, strict=False):
                self._goes(sub, since, until, named)
        elif kind == "a whole group":
            for sub in subs:
                self._goes(sub, since, until)
        elif kind == "one for two":  # one person is left, whom all others named
            for sub in (*GROUPS["floor"], *GROUPS["board"][1:]):
                self._goes(sub, since, until, GROUPS["board"][0])
        elif kind != "a colleague stands in":
            named = subs[1:] if kind == "a group for which one stands in" else []
            for sub in (subs[0], *named):
                self._goes(sub, since, until, others[0])
        half = (since + until) // 2
        if kind == "two votes of one right" and self._belongs(others[0]) and self._belongs(subs[0]):
            self._world.at(since + 1, lambda: self._both_vote(subs[0], others[0]))
        if kind == "who named somebody leaves":
            self._world.at(half, lambda: self._leaves_for(group, subs[0], until + HOUR_MS))
            self._world.at(half, lambda: self._tries_in_vain(others[0]))
        elif kind == "who was named leaves":
            mine = next(name for name, those in GROUPS.items() if others[0] in those)
            self._world.at(half, lambda: self._leaves_for(mine, others[0], until + HOUR_MS))
            self._world.at(half, lambda: self._tries_in_vain(others[0]))
        elif kind == "back early":
            self._world.at(half, lambda: self._is_back(subs[0]))

    # --- what they do ----------------------------------------------------------------------------------------------------

    def _goes(self, sub: str, since: int, until: int, named: str = "") -> None:
        ports = self._world.gateway.ports
        try:
            away(ports, members.reviewer(ports, sub), since, until, named, sub)
        except Invalid as error:
            return self._world.count(f"an absence that was refused: {error.code}")
        except NotFound:
            return self._world.count("an absence of nobody")
        self._wrote(Away(self._world.now, sub, since, until, named))
        if named:  # whoever stands in looks at what waits
            for _ in range(3):
                moment = since + int(self._world.random.random() * (until - since))
                self._world.at(moment, lambda: self._world.tries(named))

    def _belongs(self, sub: str) -> bool:
        return bool(members.reviewer(self._world.gateway.ports, sub).groups)

    def _both_vote(self, away: str, stands_in: str) -> None:
        for sub in (stands_in, away):
            self._world.tries(sub, "pair", agrees=True)

    def _tries_in_vain(self, sub: str) -> None:
        """Whoever stood in until a moment ago tries, as with a page that is still open."""
        self._world.count("a void right was tried")
        for _ in range(3):
            self._world.tries(sub)

    def _is_back(self, sub: str) -> None:
        ports = self._world.gateway.ports
        person = members.reviewer(ports, sub)
        if person.groups:
            over = back(ports, person, sub)
            self._wrote(Away(self._world.now, sub, over.from_ms, over.until_ms, over.delegate))

    def _wrote(self, absence: Away) -> None:
        self.away.append(absence)
        for moment in (absence.since, absence.until):
            self._world.at(moment, self._touched)
        self._touched()

    def _touched(self) -> None:
        self._world.changed = True

    def _joins(self, group: str, sub: str) -> None:
        members.add(self._world.gateway.ports, Reviewer(sub, sub.title(), f"{sub}@example.com"), group)
        self._known(group)

    def _leaves_for(self, group: str, sub: str, back_at: int) -> None:
        gateway = self._world.gateway
        gateway.table.write(
            [Delete(key) for key in (gateway.keys.member(sub, group), gateway.keys.group_member(group, sub))]
        )
        self._known(group)
        self._world.at(back_at, lambda: self._joins(group, sub))

    def _known(self, group: str) -> None:
        gateway = self._world.gateway
        stored = gateway.table.query(gateway.keys.group(group))
        self.groups.append((self._world.now, group, frozenset(item["sk"][2:] for item in stored)))
        self._touched()
