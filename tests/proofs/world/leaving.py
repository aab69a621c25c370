"""People come and go in a simulation: they leave their groups, are away with and without a delegate, and a whole group is gone."""

from __future__ import annotations

from placet.records.ops import Delete
from placet.service import members
from placet.service.away import away, back
from tests.proofs.world.cast import BOARD, DIRECTORS, EVERYBODY, GROUP, PEOPLE
from tests.proofs.world.moments import EMPTIED
from tests.proofs.world.simulation import Simulation

SPANS_S = (60, 600, 1_200, 2_400)  # of an absence
LATER_S = (0, 0, 0, 120)  # until it begins


class Leaving:
    """Who is there."""

    def __init__(self, sim: Simulation) -> None:
        self.sim, self.world, self.draw = sim, sim.world, sim.draw
        # A director in the place of one of those who are asked first decides what he could not decide himself.
        self.often_away = [*sorted(PEOPLE), *sorted(EVERYBODY)]
        self.delegates = ["", *sorted(EVERYBODY), *sorted(DIRECTORS) * 5]

    def membership(self) -> None:
        """Somebody leaves their group, or comes back; now and then, not for long."""
        sub = self.draw.choice(sorted(EVERYBODY))
        if self._is_member(sub):
            self._leaves(sub)
        else:
            self._joins(sub)

    def goes_away(self) -> None:
        """Somebody says that they are away, from now or soon on, and names somebody or nobody."""
        sub = self.draw.choice(self.often_away)
        delegate = self.draw.choice(self.delegates)
        later, span = 1000 * self.draw.choice(LATER_S), 1000 * self.draw.choice(SPANS_S)

        def goes() -> None:
            since = self.world.clock.now_ms() + later
            self.world.ask("away", lambda p: away(p, members.reviewer(p, sub), since, since + span, delegate, sub))

        self.sim.spawn(f"{sub} goes away, for {delegate or 'nobody'}", goes)

    def leaves_while_away(self) -> None:
        """Somebody leaves in whose place another decides, perhaps just now; whoever takes them out looks at them before."""
        absent = [sub for sub in sorted(EVERYBODY) if self._is_member(sub) and self._delegate(sub)]
        if not absent:
            return
        sub, looks = self.draw.choice(absent), self.draw.randrange(10)

        def leaves() -> None:
            for _ in range(looks):
                self.world.ask("people", lambda ports: members.reviewer(ports, sub))
            self._leaves(sub)

        self.sim.spawn(f"{sub} leaves", leaves)

    def is_back(self) -> None:
        """Somebody is here again."""
        sub = self.draw.choice(sorted(EVERYBODY))
        self.sim.spawn(
            f"{sub} is back", lambda: self.world.ask("away", lambda p: back(p, members.reviewer(p, sub), sub))
        )

    def group_empties(self) -> None:
        """All of a group leave, or whoever left comes back: a group without anybody does not last."""
        gone = [sub for sub in EVERYBODY if not self._is_member(sub)]
        for sub in gone:
            self._joins(sub)
        if not gone:
            self._all_leave(self.draw.choice((GROUP, BOARD)))

    def nobody_is_left(self) -> None:
        """Of those who are asked first."""
        self._all_leave(GROUP)

    def _all_leave(self, group: str) -> None:
        self.sim.note(f"all leave {group}")
        for sub in EVERYBODY:
            if _group(sub) == group:
                self._leaves(sub)
        self.sim.oracle.taken[EMPTIED] += 1

    def everybody_is_there(self) -> None:
        """In their groups, and not away."""
        for sub, person in EVERYBODY.items():
            self._joins(sub)
            back(self.world.bare("seed"), person, sub)

    def _delegate(self, sub: str) -> str:
        absence = self.world.table.items.get(self.world.keys.absence(sub), {})
        now, named = self.world.clock.now_ms(), absence.get("delegate", "")
        return named if absence.get("from_ms", 0) <= now < absence.get("until_ms", 0) else ""

    def _is_member(self, sub: str) -> bool:
        return self.world.keys.member(sub, _group(sub)) in self.world.table.items

    def _leaves(self, sub: str) -> None:
        keys, group = self.world.keys, _group(sub)
        self.world.table.write([Delete(keys.member(sub, group)), Delete(keys.group_member(group, sub))])

    def _joins(self, sub: str) -> None:
        members.add(self.world.bare("seed"), EVERYBODY[sub], _group(sub))


def _group(sub: str) -> str:
    (group,) = EVERYBODY[sub].groups
    return group
