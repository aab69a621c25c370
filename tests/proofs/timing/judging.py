"""What should have happened in a quarter, against the logs of what did."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.proofs.timing.oracle import MINUTE, Expected, expected
from tests.proofs.timing.presence import Presence, are_enough
from tests.proofs.timing.quarter import Asked, Mailed, Quarter, Said

SOON = 15 * MINUTE  # a lost timer, then a lost call, then a mail that could not be sent, are all made good by then


@dataclass
class Judged:
    """How often what went wrong; a sentence for each."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def says(self, kind: str, sentence: str) -> None:
        self.counts[kind] += 1
        self.wrong.append(f"{kind}: {sentence}")


class Judge:
    """Looks at every call of a quarter."""

    def __init__(self, quarter: Quarter) -> None:
        self.quarter, self.found = quarter, Judged()
        self.mails: defaultdict[str, list[Mailed]] = defaultdict(list)
        for mail in quarter.mails:
            self.mails[mail.pause].append(mail)
        self.alarms: defaultdict[str, list[int]] = defaultdict(list)
        for at, pause, _ in quarter.alarms:
            self.alarms[pause].append(at)
        self.people = Presence(quarter.people.groups, quarter.people.away)

    def judges(self) -> Judged:
        """All of it."""
        for pause, calls in self.quarter.calls.items():
            due = {one.number: expected(one.action_class, one.visible) for one in calls}
            for one in calls:
                self._call(one, due[one.number])
            self._pause(pause, calls, due)
        return self.found

    def level_at(self, one: Asked, due: Expected, at: int) -> int:
        """The highest level that a call may have reached: by time, or because those before could not decide for a moment."""
        level, last = 0, len(one.action_class.levels) - 1
        for moment in sorted({one.visible, *due.widens, *self.people.between(one.visible, at)}):
            if moment > at:
                break
            level = max(level, sum(when <= moment for when in due.widens))
            while level < last and not self.people.enough(one, level, moment):
                level += 1
        return level

    # --- one call -------------------------------------------------------------------------------------------------------

    def _call(self, one: Asked, due: Expected) -> None:
        closed = one.closed or 2**62
        by_clock = (not one.yes and not one.no) or (one.state in ("expired",))
        if closed > due.over + SOON:
            self.found.says("waiting_forever", f"{one.name} of {one.action_class.name} is open after its deadline")
        elif by_clock and closed < due.over:
            self.found.says("escalations_wrong", f"{one.name} of {one.action_class.name} ended before its deadline")
        if one.state in ("accepted", "edited") and not self._are_enough(one, due):
            self.found.says("auto_accepts", f"{one.name} was accepted by nobody, or by too few")
        if by_clock and one.closed and one.state != ("rejected" if one.action_class.then == "reject" else "expired"):
            self.found.says("escalations_wrong", f"{one.name} of {one.action_class.name} ended as {one.state}")
        for said in (*one.yes, *one.no):
            if not self._may(one, due, said, said.at):
                self.found.says("decided_wrongly", f"{said.sub} decided {one.name} without the right to")
        self._widened(one, due, closed)
        self._reminded(one, due, closed)
        self._asked(one, closed)

    def _may(self, one: Asked, due: Expected, said: Said, at: int) -> bool:
        return self.people.may(one, self.level_at(one, due, at), at, said.sub, said.instead_of)

    def _are_enough(self, one: Asked, due: Expected) -> bool:
        """Whether as many people as it takes agreed to what was accepted, all with a right that stood when it was."""
        last = {said.sub: said for said in one.yes if self._may(one, due, said, one.closed)}
        return are_enough([(said.sub, said.instead_of) for said in last.values()], one.action_class.quorum)

    def _mailed(self, one: Asked, sub: str, since: int, until: int) -> bool:
        told = any(mail.sub == sub and since <= mail.at <= until for mail in self.mails[one.pause])
        return told or any(who == sub and since <= at <= until for at, who in self.quarter.digests)

    def _asked(self, one: Asked, closed: int) -> None:
        """Whoever can decide it from the beginning hears of it soon, unless they have agreed by then."""
        until = one.visible + SOON
        if closed <= until or not self.people.enough_all_along(one, 0, one.visible, until):
            return
        for sub in self._left(one, 0, one.visible, until):
            if not self._mailed(one, sub, one.visible, until):
                self.found.says("silent", f"{sub} was never asked about {one.name}")

    def _widened(self, one: Asked, due: Expected, closed: int) -> None:
        for level, at in enumerate(due.widens, start=1):
            if at + SOON >= closed:
                return
            self.found.counts["escalations"] += 1
            if self.level_at(one, due, at - 1) >= level:
                continue  # it was reached before, by those who were there then
            before = self._left(one, level - 1, at, at + SOON)
            since = at - SOON if len(self.quarter.calls[one.pause]) == 1 else one.visible
            if not self.people.enough_all_along(one, level, since, at + SOON):
                continue  # it is listed meanwhile, or just came back; beside a call that has people it waits for its reminder
            for sub in self._left(one, level, at, at + SOON) - before:
                if not self._mailed(one, sub, one.visible, at + SOON):
                    self.found.says("escalations_wrong", f"{sub} was not asked about {one.name} at level {level}")

    def _reminded(self, one: Asked, due: Expected, closed: int) -> None:
        for at in due.reminds:
            if at + SOON >= closed:
                return
            level = sum(when <= at for when in due.widens)
            if not all(self._can_be_decided(one, when) for when in self._moments(one, at - SOON, at + SOON)):
                continue
            self.found.counts["reminders"] += 1
            for sub in self._left(one, level, at, at + SOON):
                if not self._mailed(one, sub, at, at + SOON):
                    self.found.says(
                        "reminders_missing", f"{sub} was not reminded of {one.name} of {one.action_class.name}"
                    )

    # --- one pause ------------------------------------------------------------------------------------------------------

    def _pause(self, pause: str, calls: list[Asked], due: dict[int, Expected]) -> None:
        moments = sorted({at for one in calls for at in due[one.number].reminds})
        windows: Counter[tuple[str, int]] = Counter()
        for mail in self.mails[pause]:
            if not any(self._could_know(one, due[one.number], mail) for one in calls):
                self.found.says("escalations_wrong", f"{mail.sub} was mailed about {pause} before their level")
            if mail.why == "reminded":
                passed = [at for at in moments if at <= mail.at]
                if not passed:
                    self.found.says("reminders_doubled", f"{mail.sub} was reminded of {pause} before any reminder")
                windows[mail.sub, _cluster(moments, passed[-1]) if passed else 0] += 1
        for (sub, at), times in windows.items():
            if times > sum(_cluster(moments, one) == at for one in moments):
                self.found.says("reminders_doubled", f"{sub} was reminded of {pause} {times} times at once")
        self._listed(pause, calls)

    def _could_know(self, one: Asked, due: Expected, mail: Mailed) -> bool:
        closed = one.closed or 2**62
        levels = {self.level_at(one, due, at) for at in (mail.at, mail.at - SOON) if at >= one.visible}
        moments = [mail.at, *self.people.between(mail.at - SOON, mail.at)]
        return mail.at <= closed + MINUTE and any(
            mail.sub in self.people.asked(one, level, at) for level in levels for at in moments
        )

    def _listed(self, pause: str, calls: list[Asked]) -> None:
        """While nobody at all can decide it the operators know, once."""
        stretches = list(self._nobody(calls))
        for since, until in stretches:
            if until - since > SOON and not any(since <= at <= since + SOON for at in self.alarms[pause]):
                self.found.says("silent", f"nobody can decide {pause}, and nobody is told")
        if len(self.alarms[pause]) > len(stretches):
            self.found.says("silent", f"{pause} rings {len(self.alarms[pause])} times, of {len(stretches)} reasons")

    def _nobody(self, calls: list[Asked]) -> Iterator[tuple[int, int]]:
        """Stretches in which none of the open calls can be decided by anybody, at its last level."""
        begins = calls[0].visible
        ends = max(one.closed or self.quarter.now for one in calls)
        said = {one.at for call in calls for one in call.yes}
        marks = sorted(
            {begins, ends, *said, *self.people.between(begins, ends), *(c.closed for c in calls if c.closed)}
        )
        since = None
        for at in (mark for mark in marks if begins <= mark <= ends):
            open_now = [one for one in calls if not one.closed or one.closed > at]
            short = bool(open_now) and not any(self._can_be_decided(one, at) for one in open_now)
            if short and since is None:
                since = at
            elif not short and since is not None:
                yield since, at
                since = None

    # --- votes ----------------------------------------------------------------------------------------------------------

    def _can_be_decided(self, one: Asked, at: int) -> bool:
        """Whether whoever is here is enough at the last level, beside those who agreed and still may."""
        votes = self._standing(one, at)
        here = self._asked_still(one, len(one.action_class.levels) - 1, at, votes)
        return are_enough([*votes, *((sub, "") for sub in here)], one.action_class.quorum)

    def _left(self, one: Asked, level: int, since: int, until: int) -> frozenset[str]:
        """Those for whose decision a call waits at a level, from one moment to another."""
        return frozenset.intersection(
            *(self._asked_still(one, level, at, self._standing(one, at)) for at in self._moments(one, since, until))
        )

    def _asked_still(self, one: Asked, level: int, at: int, votes: list[tuple[str, str]]) -> frozenset[str]:
        agreed = frozenset().union(*(self.people.on_the_way(*vote, at) for vote in votes))
        return self.people.asked(one, level, at, agreed)

    def _moments(self, one: Asked, since: int, until: int) -> list[int]:
        """The first moment, and those up to the other at which somebody came, went or agreed."""
        return [since, *self.people.between(since, until), *(said.at for said in one.yes if since < said.at <= until)]

    def _standing(self, one: Asked, at: int) -> list[tuple[str, str]]:
        """The votes that stand at a moment, each (who, in whose place): given by a right that lasts, and as each later vote left
        them, which is beside none that does not stand, and none of the person who gives it."""
        level, votes = len(one.action_class.levels) - 1, list[tuple[str, str]]()

        def stand(when: int) -> list[tuple[str, str]]:
            return [vote for vote in votes if self.people.may(one, level, when, *vote)]

        for said in one.yes:
            if said.at <= at:
                votes = [vote for vote in stand(said.at) if said.sub not in vote] + [(said.sub, said.instead_of)]
        return stand(at)


def _cluster(moments: list[int], at: int) -> int:
    """The first of the reminders that are so near to this one that their mails may come together."""
    first = at
    for moment in reversed([one for one in moments if one < at]):
        if first - moment > SOON:
            break
        first = moment
    return first
