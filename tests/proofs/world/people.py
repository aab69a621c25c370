"""What reviewers do in a simulation, and what they are told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from placet.model.canonical import digest, exact_text, parse
from placet.model.errors import Conflict
from placet.model.pauses import call_id
from placet.model.states import CallState, Verdict
from placet.service import members
from placet.service.decide import Decided, Decision, decide
from placet.service.ports import Ports
from placet.service.reassign import reassign
from placet.service.undo import undo
from tests.proofs.world.cast import BOARD, DIRECTORS, EVERYBODY, PEOPLE
from tests.proofs.world.simulation import Simulation


@dataclass(frozen=True)
class Page:
    """What a reviewer has open."""

    pause: str
    number: int
    rev: int
    digest: str


class Reviewers:
    """Three people and two directors, who keep pages open."""

    def __init__(self, sim: Simulation) -> None:
        self.sim, self.world, self.draw = sim, sim.world, sim.draw
        self.pages: dict[str, list[Page]] = {sub: [] for sub in EVERYBODY}
        self.often = [*sorted(PEOPLE), *sorted(EVERYBODY)]  # those who may decide everything come twice as often

    def review(self) -> None:
        """A reviewer opens a page, which shows what is true now, and decides on it or on an older one; he may press twice."""
        self._reviews(self.draw.choice(self.often))

    def stands_in(self) -> None:
        """Whoever somebody named who is away reviews."""
        if named := self._named():
            self._reviews(self.draw.choice(named))

    def _reviews(self, sub: str) -> None:
        shown = self._shown()
        self.pages[sub] += [self.draw.choice(shown)] if shown else []
        if not self.pages[sub]:
            return
        page = self.draw.choice(self.pages[sub][-2:])
        decision = self._decision(page)
        for _ in range(2 if self.draw.random() < 0.15 else 1):
            self.sim.spawn(f"{sub} {decision.verdict.value}s", lambda: self._decide(sub, page, decision))

    def _shown(self) -> list[Page]:
        """Every open call that is shown."""
        return [
            Page(pause, call.number, call.rev, call.digest)
            for pause in sorted(self.world.heads())
            for call in self.world.head(pause).pending
            if call.deadline_ms
        ]

    def accept_all(self) -> None:
        """Whoever may accepts what is shown."""
        for pause in sorted(self.world.heads()):
            for call in self.world.head(pause).pending:
                page = Page(pause, call.number, call.rev, call.digest)
                accepted = Decision(Verdict.ACCEPT, call.rev, call.digest)
                for sub in sorted(PEOPLE):
                    self.sim.spawn(
                        f"{sub} accepts", lambda sub=sub, page=page, it=accepted: self._decide(sub, page, it)
                    )

    def hand_on(self) -> None:
        """A reviewer hands a call on, mostly one that directors may decide later, to somebody or to a group."""
        sub, shown = self.draw.choice(self.often), self._shown()
        shown = [page for page in shown if self._widens(page)] or shown
        if not shown:
            return
        page, whom = self.draw.choice(shown), self.draw.choice([BOARD, *sorted(DIRECTORS) * 2, *sorted(PEOPLE)])
        to, call = {"group" if whom == BOARD else "to": whom}, call_id(page.pause, page.number)

        def hands(ports: Ports) -> object:
            return reassign(ports, members.reviewer(ports, sub), call, **to)

        self.sim.spawn(f"{sub} hands {call[:6]} to {whom}", lambda: self._asks(hands))

    def _asks(self, job: Callable[[Ports], object]) -> None:
        self.world.ask("decide", job)

    def _widens(self, page: Page) -> bool:
        call = self.world.head(page.pause).call(page.number)
        return call is not None and bool(call.levels_ms)

    def _named(self) -> list[str]:
        """Who stands in for somebody who is away now."""
        now, keys = self.world.clock.now_ms(), self.world.keys
        found = (self.world.table.items.get(keys.absence(sub), {}) for sub in sorted(EVERYBODY))
        return [
            one["delegate"]
            for one in found
            if one.get("from_ms", 0) <= now < one.get("until_ms", 0) and "delegate" in one
        ]

    def take_back(self) -> None:
        """A reviewer takes back what was decided just now, or long ago."""
        sub = self.draw.choice(self.often)
        decided = [
            (call.undo_ms, call_id(pause, call.number), call.rev)
            for pause in sorted(self.world.heads())
            for call in self.world.head(pause).calls
            if call.state.may_run
        ]
        if decided:
            _, call, rev = self.draw.choice(sorted(decided)[-2:])
            self.sim.spawn(f"{sub} takes back", lambda: self._take_back(sub, call, rev))

    def _take_back(self, sub: str, call: str, rev: int) -> None:
        self.world.ask("decide", lambda ports: undo(ports, members.reviewer(ports, sub), call, rev))

    def _decision(self, page: Page) -> Decision:
        verdict = self.draw.choices(list(Verdict), (6, 3, 2))[0]
        if verdict is not Verdict.EDIT:
            return Decision(verdict, page.rev, page.digest, reason="no" if verdict is Verdict.REJECT else "")
        text = exact_text({"amount": self.draw.randrange(101, 999)})
        return Decision(verdict, page.rev, page.digest, arguments=text, new_digest=digest(parse(text)))

    def _decide(self, sub: str, page: Page, decision: Decision) -> None:
        call = call_id(page.pause, page.number)
        try:
            answer = self.world.ask("decide", lambda ports: decide(ports, members.reviewer(ports, sub), call, decision))
        except Conflict as refused:
            if refused.code == "already_decided" and self._is_mine(sub, page, decision):
                self.sim.wrong(f"{call}: {sub} won and was told that somebody else did")
            raise
        self._check(sub, call, decision, answer)

    def _is_mine(self, sub: str, page: Page, decision: Decision) -> bool:
        call = self.world.head(page.pause).call(page.number)
        assert call is not None
        event = self._told(page.pause, page.number, call.round)
        wanted = decision.new_digest or decision.digest
        mine = (event.get("by"), event.get("verdict"), event.get("digest")) == (sub, decision.verdict.value, wanted)
        return mine and call.state is not CallState.PENDING

    def _told(self, pause: str, number: int, round_: int) -> dict[str, Any]:
        fact = f"{number}#decided" if round_ == 1 else f"{number}#decided#{round_}"
        return self.world.table.items.get(self.world.keys.event(pause, fact)) or {}

    def _check(self, sub: str, call: str, decision: Decision, answer: Decided) -> None:
        """What the person was told is on record."""
        if answer.digest != (decision.new_digest or decision.digest):
            self.sim.wrong(f"{call}: {sub} was answered with another digest")
        pause, number = call.split("-")
        events = [item for key, item in self.world.table.items.items() if key.pk == self.world.keys.pause(pause)]
        mine = [
            one for one in events if one["kind"] == "EVENT" and one.get("by") == sub and one.get("call") == int(number)
        ]
        if not mine:
            self.sim.wrong(f"{call}: {sub} was told {answer.state.value}, and no event says so")
