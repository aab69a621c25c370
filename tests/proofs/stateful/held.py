"""The machine once more, where a class lets decisions be taken back: in time, late, twice, by whoever may and who may not."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import rule

from placet.model.pauses import call_id
from placet.service import members
from placet.service.escalate import escalate
from placet.service.undo import undo
from tests.proofs.stateful.acting import AGENTS, Heads
from tests.proofs.stateful.answers import Moment
from tests.proofs.stateful.chances import DECIDERS, EDGE, MOSTLY, SOME, WORKERS, any_pause, permit_is
from tests.proofs.stateful.house import HELD, MENU, House
from tests.proofs.stateful.rules import Verbs
from tests.proofs.stateful.standing_in import rights
from tests.proofs.stateful.windows import judge_undo

HOW = st.sampled_from(["accept", "accept", "edit"])


class Held(Verbs):
    """The rules, and those of Verbs."""

    counts: ClassVar[Counter[str]] = Counter()

    def make_house(self) -> House:
        """A gateway whose refunds may be taken back for two minutes."""
        return House(HELD)

    def undo(self, pause: str, number: int, sub: str, revision: int) -> None:
        """A person takes a decision back, or tries to."""
        person = members.reviewer(self.house.ports, sub)
        held = rights(self.house, sub, self.house.heads()[pause]["calls"][str(number)]["class"])

        def judge(before: Heads, after: Heads, answer: Any) -> None:
            judge_undo(Moment(self.oracle, before, after, pause, number), sub, revision, held, answer)
            self.counts["undo replayed"] += getattr(answer, "replayed", False)

        self.act("undo", lambda: undo(self.house.ports, person, call_id(pause, number), revision), judge)

    def _decided(self, then: str) -> tuple[str, int, dict[str, Any]] | None:
        """A refund that was just decided, if it could be."""
        self.comes_into_the_queue([MENU[0]], AGENTS["support-agent"], False, then)
        return self.call(0, permit_is("free")) if self.house.pauses else None

    @any_pause
    @rule(some=SOME, aimed=MOSTLY, sub=DECIDERS, back=st.sampled_from([0, 0, 0, 1]))
    def takes_back(self, some: int, aimed: bool, sub: str, back: int) -> None:
        """Any decision, by anybody, from a page that may be old."""
        pause, number, call = self.call(some, permit_is("free") if aimed else None)
        self.undo(pause, number, sub, max(1, call["rev"] - back))

    @rule(how=HOW, by_ms=EDGE, sub=DECIDERS, other=DECIDERS)
    def takes_back_at_the_end(self, how: str, by_ms: int, sub: str, other: str) -> None:
        """At the last moment or just after it, and once more by the same person and by another one."""
        if (found := self._decided(how)) is None:
            return
        pause, number, call = found
        self.house.time_is(call.get("undo_ms", 0) + by_ms)
        for one in (sub, sub, other):
            self.undo(pause, number, one, call["rev"])

    @rule(how=HOW, sub=st.sampled_from(["maria", "jonas", "elif", "owner"]), then=HOW, worker=WORKERS)
    def decides_again(self, how: str, sub: str, then: str, worker: str) -> None:
        """A decision is taken back and made anew; who meant the first one tries once more, and it
        runs when its time is over."""
        if (found := self._decided(how)) is None:
            return
        pause, number, call = found
        self.undo(pause, number, sub, call["rev"])
        if then == "edit":
            self.edits(0, True, "jonas", 200, "1182", True, True)
        else:
            self.accept(pause, number, "jonas")
        for one in (sub, "maria"):
            self.undo(pause, number, one, call["rev"])
        anew = self.house.heads()[pause]["calls"][str(number)]
        self.house.time_is(anew.get("undo_ms", 0))
        self.claim(pause, number, anew["digest"], worker, None)

    @rule(how=HOW, worker=WORKERS, named=st.booleans(), fence=st.sampled_from([None, 0]))
    def comes_too_early(self, how: str, worker: str, named: bool, fence: int | None) -> None:
        """A process picks up, claims and reports while a decision may be taken back; once that is over it may."""
        if (found := self._decided(how)) is None:
            return
        pause, number, call = found
        for at_ms in (0, call.get("undo_ms", 0)):
            self.house.time_is(at_ms)
            self.claim(pause, number, call["digest"], worker, None)
            self._take(self.agent_of(pause), pause if named else "")
            self.goes_on(0, fence)

    @rule(how=HOW, by_ms=EDGE, lost=st.booleans())
    def the_hold_ends(self, how: str, by_ms: int, lost: bool) -> None:
        """The timer fires just then, or is lost and the sweep comes; then the stream."""
        if (found := self._decided(how)) is None:
            return
        pause, _, call = found
        self.house.time_is(call.get("undo_ms", 0) + by_ms)
        if lost:
            self.house.gateway.clock.move(91)
            self.sweeps(True)
        else:
            self.quietly("escalate", do=lambda: escalate(self.house.ports, pause))
        self.stream_comes()
        self.machine_resumes(0)
