"""A quarter of a year of pauses: people answer, sleep, leave and come back; timers, mails and calls between functions get lost.

Everything that is judged later is written down here, as the fakes and the people saw it; the product's own records are read only to
learn that a call has closed.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from placet.model.errors import Busy, PlacetError
from placet.model.pauses import call_id
from placet.model.states import Verdict
from placet.policy import ActionClass
from placet.records.lanes import moment_at
from placet.service import members
from placet.service.digests import send_digest
from placet.service.escalate import escalate
from placet.service.notify import mail_again, notify
from placet.service.ports import Digest, Note
from placet.service.sweep import sweep
from placet.service.went_on import resumed
from tests.gateway import SUPPORT, Gateway
from tests.proofs.timing.cast import BEGINS_MS, EVERYBODY, GROUPS, NAMES, POLICY, deployed
from tests.proofs.timing.people import ASKS_TWO, GOING, LEAVING, People
from tests.proofs.timing.table import Indexed

MINUTE, HOUR_MS, DAY_MS = 60_000, 3_600_000, 86_400_000


@dataclass(frozen=True)
class Mailed:
    """One mail that left."""

    at: int
    sub: str
    pause: str
    why: str


@dataclass(frozen=True)
class Said:
    """What somebody said, and in whose place; empty when it was their own right."""

    at: int
    sub: str
    instead_of: str


@dataclass
class Asked:
    """One call, as its people and its agent know it."""

    pause: str
    number: int
    action_class: ActionClass
    requester: str
    visible: int
    closed: int = 0
    state: str = ""
    yes: list[Said] = field(default_factory=list)
    no: list[Said] = field(default_factory=list)

    @property
    def name(self) -> str:
        return call_id(self.pause, self.number)


class Quarter:
    """The gateway, its surroundings and their logs.

    Attributes:
        mails, digests, alarms: what the mail fake, the operators and the reviewers saw.
        people: who is in which group and away when.
        happened: what kinds of things occurred, and how often.
    """

    def __init__(self, seed: int, pauses: int, days: float, begins_ms: int = BEGINS_MS, *, swept: bool = True) -> None:
        self.random = random.Random(f"{seed}/{pauses}")  # noqa: S311 - a play, and no secret
        self.gateway = Gateway(table=Indexed(), mail=self, timers=self, verbs=self, policy=POLICY)  # type: ignore[arg-type]
        self.ends, self.swept, self.changed = begins_ms + int(days * DAY_MS), swept, False
        self.gateway.clock.at_ms = begins_ms
        self.heap: list[tuple[int, int, Callable[[], Any]]] = []
        self.order = itertools.count()
        self.mails: list[Mailed] = []
        self.digests: list[tuple[int, str]] = []
        self.alarms: list[tuple[int, str, str]] = []
        self.calls: dict[str, list[Asked]] = {}
        self.happened: dict[str, int] = {}
        self.timers: dict[str, int] = {}
        self.people = People(self)
        for number in range(pauses):
            self.at(begins_ms + int(self.random.random() * days * DAY_MS * 0.97), lambda n=number: self._captured(n))
        drawn = zip(itertools.cycle(LEAVING), range(int(days * 0.7) + 4), strict=False)
        for does, kind in [
            *((self.people.leave, kind) for kind, _ in drawn),
            *((self.people.go_away, kind) for kind in GOING * (1 + int(days / 15))),
        ]:
            moment = begins_ms + int(self.random.random() * days * DAY_MS * 0.9)
            self.at(moment, lambda does=does, kind=kind: does(kind))
            if kind in ASKS_TWO:  # some wait for two people, whoever else is drawn
                for more in range(3):
                    self.at(moment - HOUR_MS // 2, lambda n=moment + more: self._captured(n, ["pair"]))
        self.at(begins_ms + int(days * DAY_MS / 2), self._deploys)

    @property
    def now(self) -> int:
        return self.gateway.clock.at_ms

    def at(self, moment: int, what: Callable[[], Any]) -> None:
        heapq.heappush(self.heap, (max(moment, self.now), next(self.order), what))

    def count(self, kind: str) -> None:
        self.happened[kind] = self.happened.get(kind, 0) + 1

    def plays(self) -> Quarter:
        """Until everything is over; a week longer than pauses are captured."""
        while self.heap and self.heap[0][0] <= self.ends + 30 * DAY_MS:
            moment, _, what = self.heap[0]
            if self.swept and (minute := self._next_sweep(moment)) is not None:
                self.gateway.clock.at_ms = minute
                swept = sweep(
                    self.gateway.ports
                )  # it comes each minute; one that asked for nothing would ask for nothing again
                self.changed = any(vars(swept).values())
            else:
                heapq.heappop(self.heap)
                self.gateway.clock.at_ms = moment
                what()
            self._heard()
            if not self.heap and self.swept and any(not one.closed for asked in self.calls.values() for one in asked):
                self.at(self.now + 10 * MINUTE, lambda: None)  # only the sweep is left to end them
        return self

    def _next_sweep(self, before: int) -> int | None:
        """The next full minute at which a sweep finds something, if it comes first; a sweep of nothing changes nothing."""
        table: Any = self.gateway.table
        moments = [moment_at(wsk) for name, one in table._listed.items() if name for wsk in one.values()]
        if not self.changed and not moments:
            return None
        due = self.now if self.changed else max(self.now, min(moments))
        minute = (due // MINUTE + 1) * MINUTE
        return minute if minute < before else None

    def _heard(self) -> None:
        """What operators are told of since the last look."""
        for name, facts in self.gateway.log:
            if name == "stuck":
                self.alarms.append((self.now, facts["pause"], facts["reason"]))
                self.count(f"listed as {facts['reason']}")
        self.gateway.log.clear()

    # --- what the product asks its surroundings for ----------------------------------------------------------------------

    def send(self, note: Note) -> bool:
        """A mail; one of twenty-five cannot be sent now."""
        if self.random.random() < 0.04:
            self.count("a mail that could not be sent")
            raise Busy
        self.mails.append(Mailed(self.now, note.to_email.partition("@")[0], note.pause, note.why))
        self.count(f"mail: {note.why or 'asked'}")
        return True

    def digest(self, digest: Digest) -> bool:
        """One mail of all that waits for somebody who had one a moment ago."""
        self.digests.append((self.now, digest.to))
        self.count("mail: digest")
        return True

    def set(self, pause: str, at_ms: int) -> None:
        """A schedule; it fires up to a minute late, and some are lost or come twice."""
        drawn = self.random.random()
        if drawn < 0.02:
            self.count("a timer that could not be set")
            raise Busy
        fires = max(at_ms, self.now + MINUTE) + int(self.random.random() * MINUTE)
        self.timers[pause] = mine = next(self.order)
        if drawn < 0.08:
            self.count("a timer that was lost")
            return
        twice = drawn > 0.92
        self.at(fires, lambda: self._fires(pause, mine, twice))

    def call(self, verb: str, payload: dict[str, Any]) -> None:
        """One function asks another; some are lost."""
        if self.random.random() < 0.03:
            self.count("a call between functions that was lost")
            return
        if "digest" in payload:
            self.at(self.now + 1_000, lambda: send_digest(self.gateway.ports, payload["digest"]))
            return
        does = {"notify": mail_again, "escalate": escalate, "resume": lambda *_: None}[verb]
        pause = payload["pause"]
        self.at(self.now + 200 + int(self.random.random() * 3_000), lambda: self._does(does, pause))

    def ask(self, verb: str, payload: dict[str, Any]) -> None:
        """Nobody is waited for here."""
        raise AssertionError(verb)

    def _fires(self, pause: str, mine: int, twice: bool) -> None:
        if self.timers.get(pause) != mine:
            return  # it was moved since
        if twice:  # at the same moment: the second does all, mails included, between a read of the first and its write
            self.count("a timer that came twice")

            def another() -> None:
                escalate(self.gateway.ports, pause)
                mail_again(self.gateway.ports, pause)

            self.gateway.table.meanwhile = another
        self._does(escalate, pause)
        self.gateway.table.meanwhile = None

    def _does(self, verb: Callable[..., Any], pause: str) -> None:
        verb(self.gateway.ports, pause)
        self._looks(pause)

    def _looks(self, pause: str) -> None:
        """Whoever is answered learns that a call has closed."""
        head = self.gateway.head(pause)
        for one in self.calls.get(pause, []):
            call = head.call(one.number)
            if call is not None and call.state.value != "pending" and not one.closed:
                one.closed, one.state = self.now, call.state.value
                self.changed = True  # those who might decide it may not decide what is left
                self.count(call.state.value)
        if not head.open_calls and head.resume_state.value != "done":
            resumed(self.gateway.ports, SUPPORT, pause)

    # --- what agents and people do -----------------------------------------------------------------------------------------

    def _captured(self, number: int, names: list[str] | None = None) -> None:
        names = names or self.random.sample(NAMES, 2 if self.random.random() < 0.2 else 1)
        requester = self.random.choice(GROUPS["desk"]) if self.random.random() < 0.15 else "elif"
        calls = [(f"do_{name}", {"number": number}) for name in names]
        facts = {"requester": f"{requester}@example.com", "run": f"r{number}", "checkpoint": f"c{number}"}
        head = self.gateway.capture(*calls, **facts).head
        self.at(self.now + int(self.random.random() * 5 * MINUTE), lambda: self._shown(head.pause, names, requester))

    def _shown(self, pause: str, names: list[str], requester: str) -> None:
        notify(self.gateway.ports, pause, 1, "token")
        classes = [self.gateway.policy.classes[name] for name in names]
        self.calls[pause] = [
            Asked(pause, number, one, requester, self.now) for number, one in enumerate(classes, start=1)
        ]
        self._looks(pause)
        spans = [one.deadline_s * 1000 for one in classes]
        if self.random.random() < 0.5:  # somebody answers, sooner or later
            for _ in range(6):
                self.at(self.now + int(self.random.random() ** 2 * 2 * max(spans)), lambda: self._answers(pause))
        if self.random.random() < 0.15:
            self.at(self.now + int(self.random.random() * min(spans)), lambda: self._tries(pause, GROUPS["board"]))

    def _answers(self, pause: str) -> None:
        self._tries(pause, EVERYBODY)

    def tries(self, sub: str, kind: str = "", *, agrees: bool = False) -> None:
        """One person looks at what is open, or at all of one class, and decides it if they may."""
        waits = [
            pause
            for pause, asked in self.calls.items()
            if any(not one.closed and kind in ("", one.action_class.name) for one in asked)
        ]
        for pause in waits if kind else self.random.sample(waits, min(3, len(waits))):
            self._tries(pause, (sub,), agrees=agrees)

    def _tries(self, pause: str, among: Iterable[str], *, agrees: bool = False) -> None:
        """Somebody opens it and decides what is open, if they may."""
        sub = self.random.choice(list(among))
        head = self.gateway.head(pause)
        for one in self.calls[pause]:
            if one.closed:
                continue
            verdict = Verdict.ACCEPT if agrees or self.random.random() < 0.7 else Verdict.REJECT
            try:
                decided = self.gateway.decide(head, one.number, verdict, members.reviewer(self.gateway.ports, sub))
            except PlacetError:
                self.count("a decision that was refused")
                continue
            away = decided.by.partition(" for ")[2].lower()  # so says the answer that the person sees
            if away:
                self.count("a decision in another's place")
            (one.yes if verdict is Verdict.ACCEPT else one.no).append(Said(self.now, sub, away))
        self._looks(pause)

    def _deploys(self) -> None:
        self.count("a deploy")
        self.gateway.policy = deployed(self.gateway.policy)
