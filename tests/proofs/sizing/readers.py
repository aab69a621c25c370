"""Everybody who reads the lists: reviewers, operators, agents, a worker and the sweep, each with so many calls and no more."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from local.ports import MemoryClock
from placet.client import waiting
from placet.client.errors import RunNotFound
from placet.client.records import Pause, Resumes
from placet.client.waiting import Pace
from placet.http import views
from placet.http.messages import json_answer
from placet.model.pauses import Agent
from placet.service import operate
from placet.service import resume as decided
from placet.service.bedrock.following import follow
from placet.service.find import find
from placet.service.inbox import inbox
from placet.service.notify import notify
from placet.service.sweep import sweep
from placet.service.went_on import resumed
from placet.web import pages
from placet.web.forms import FormFacts
from tests.gateway import BILLING, REFUND, SUPPORT
from tests.proofs.sizing.crowd import DEAD, ENTITY, FOR_PEOPLE, FOR_WORKERS, OFFERED, RUNS, Crowd

LAMBDA_TAKES = 6_291_556  # bytes of an answer
CUT_OFF_MS = 55_000  # when Lambda ends the function
DAY_S = 86_400
FORM = FormFacts("csrf", "mark", 0)
Read = Callable[[str], tuple[list[str], str, Any]]


@dataclass
class Seen:
    """What the readers came to.

    Attributes:
        lists: how many lists were read to their end, and calls: in how many calls everything was read.
        swept_ms: the longest time that one sweep took; unfinished: how many left lists to the next one.
        starved: (reader, pause) that the reader did not come to in its number of calls. unlisted: dead pauses that no list names.
        over: answers that Lambda would not hand over. wrong: whatever else is not as it has to be.
    """

    lists: int = 0
    calls: int = 0
    swept_ms: int = 0
    unfinished: int = 0
    starved: set[tuple[str, str]] = field(default_factory=set)
    unlisted: set[str] = field(default_factory=set)
    over: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def answered(self, name: str, value: Any) -> None:
        """An answer of the API, or a page."""
        answer = {"body": value} if isinstance(value, str) else json_answer(value)
        if len(json.dumps(answer, ensure_ascii=False).encode()) > LAMBDA_TAKES:
            self.over.append(name)

    def missed(self, reader: str, wanted: set[str], found: set[str]) -> None:
        """Those that a reader should have come to."""
        self.starved |= {(reader, pause) for pause in wanted - found}

    def read(self, name: str, wanted: set[str], most: int, read: Read) -> set[str]:
        """Read a list to its end, in so many calls at most."""
        found: list[str] = []
        after = ""
        for _ in range(most):
            rows, after, answer = read(after)
            found += rows
            self.calls += 1
            self.answered(name, answer)
            if not after:
                self.lists += 1
                break
        else:
            self.wrong.append(f"{name}: no end after {most} pages")
        if len(found) != len(set(found)):
            self.wrong.append(f"{name}: a pause on two pages")
        self.missed(name, wanted, set(found))
        return set(found)


def pages_of(crowd: Crowd, limit: int) -> int:
    """The most pages that a list of the crowd may have: each but the last is full, but for those that are too large together."""
    return len(crowd.of(*crowd.pauses)) // limit + len(crowd.pauses["large"]) + 2


class Taking:
    """A port of which each request takes its time."""

    def __init__(self, port: Any, clock: MemoryClock, takes_ms: int) -> None:
        self._port, self._clock, self._takes_ms = port, clock, takes_ms

    def __getattr__(self, name: str) -> Any:
        asked = getattr(self._port, name)

        def request(*args: Any, **more: Any) -> Any:
            self._clock.at_ms += self._takes_ms
            return asked(*args, **more)

        return request if callable(asked) else asked


def sweeps(crowd: Crowd, seen: Seen, most: int, request_ms: int) -> None:
    """What stream and machine did not do is done by the sweep, in so many minutes, although each request takes its time."""
    gateway = crowd.gateway
    for _ in range(most):
        clock = MemoryClock(gateway.clock.at_ms)
        slow = {name: Taking(getattr(gateway.ports, name), clock, request_ms) for name in ("table", "verbs")}
        ports = replace(gateway.ports, clock=clock, **slow)
        swept = sweep(ports)
        seen.calls += 1
        seen.swept_ms = max(seen.swept_ms, clock.at_ms - gateway.clock.at_ms)
        gateway.clock.move(60)
        _machine(crowd)
        seen.unfinished += bool(swept.more)
        if not swept.more:
            return
    seen.wrong.append(f"the sweep did not come to the end of its lists in {most} minutes")


def _machine(crowd: Crowd) -> None:
    """Every wait that was started tells its pause to the reviewers."""
    gateway = crowd.gateway
    for name in list(gateway.waits.started):
        pause, _, gen = name.rpartition("-")
        if pause in crowd.of("event lost") and not gateway.head(pause).notified_ms:
            notify(gateway.ports, pause, int(gen), f"token of {name}")


def reviewers(crowd: Crowd, seen: Seen, limit: int) -> None:
    """A reviewer goes through the inbox, in the API and on the pages."""
    ports, maria = crowd.gateway.ports, crowd.gateway.maria

    def read(after: str) -> tuple[list[str], str, Any]:
        found = inbox(ports, maria, limit, after)
        seen.answered("inbox page", pages.inbox(found, maria, FORM, first=not after))
        return [row.pause for row in found.rows], found.next, views.inbox(found)

    seen.read(f"inbox by {limit}", crowd.of(*FOR_PEOPLE), pages_of(crowd, limit), read)


def operators(crowd: Crowd, seen: Seen, limit: int) -> None:
    """An operator looks up what there is of one entity and of each run."""
    ports = crowd.gateway.ports
    runs = {name: {one for one, run in crowd.runs.items() if run == name} for name in set(crowd.runs.values())}
    for wanted, pauses in {ENTITY: crowd.of(*crowd.pauses), **runs}.items():

        def read(after: str, wanted: str = wanted) -> tuple[list[str], str, Any]:
            found = find(ports, wanted, "", limit, after)
            return [one["pause"] for one in found], found.next, {"pauses": list(found), "next": found.next}

        seen.read(f"find {wanted} by {limit}", pauses, pages_of(crowd, limit), read)


def agents(crowd: Crowd, seen: Seen, limit: int) -> None:
    """Each agent looks at its pick-up list."""
    for agent, wanted in ((SUPPORT, crowd.of(*FOR_WORKERS)), (BILLING, set[str]())):

        def read(after: str, agent: Agent = agent) -> tuple[list[str], str, Any]:
            found = decided.pick_up(crowd.gateway.ports, agent, limit, after)
            return [one["pause"] for one in found], found.next, {"resumes": list(found), "next": found.next}

        seen.read(f"pick-up of {agent.name} by {limit}", wanted, pages_of(crowd, limit), read)


def followers(crowd: Crowd, seen: Seen) -> None:
    """Each run of each agent asks once more, and where it stands is where that pause stands."""
    for number in range(RUNS):
        for agent in (SUPPORT, BILLING):
            run = f"run-{number}"
            last = crowd.gateway.shown(REFUND, agent=agent, run=run, checkpoint="last", entity="").pause
            found = follow(crowd.gateway.ports, agent, run, with_pauses=True)
            seen.calls += 1
            if (found.status, found.pause, found.pauses[-1:]) != ("waiting", last, (last,)):
                seen.starved.add((f"{agent.name} follows {run}", last))


def worker(crowd: Crowd, seen: Seen, limit: int) -> None:
    """The SDK's own loop: what it cannot use it gives back, and it comes to every other pause in one round of the list."""
    ports, dead, live, done = crowd.gateway.ports, crowd.of(*DEAD), crowd.of(*FOR_WORKERS), set[str]()

    class Service:
        """The gateway that the loop takes from, and what stops it after so many calls."""

        left = len(crowd.of(*OFFERED)) + 2

        def take(self, skip: Sequence[str] = (), after: str = "") -> Resumes:
            found = decided.take(ports, SUPPORT, "", limit, frozenset(skip), "", after)
            body = {"resumes": list(found), "more": found.more, "next": found.next}
            self.left -= 1
            seen.calls += 1
            seen.answered(f"taken by {limit}", body)
            return Resumes.of(body, 0.0)

        def release(self, pause: str, fence: int) -> None:
            decided.release(ports, SUPPORT, pause, fence)

        def wait(self, timeout: float | None = None) -> bool:
            crowd.gateway.clock.move(timeout or 0.2)
            return self.left <= 0 or done >= live

    def handler(pause: Pause) -> None:
        if pause.pause in dead:
            raise RunNotFound("its thread is not here")
        resumed(ports, SUPPORT, pause.pause, pause.fence)
        done.add(pause.pause)

    service: Any = Service()
    log, level = waiting.log, waiting.log.level
    log.setLevel("CRITICAL")
    try:
        waiting.pick_up(service, handler, service, pace=Pace(soon_s=0.2, longest_s=1.0, chance=lambda: 1.0))
    finally:
        log.setLevel(level)
    seen.missed(f"worker by {limit}", live, done)


def a_day_later(crowd: Crowd, seen: Seen, limits: tuple[int, ...], most: int, request_ms: int) -> None:
    """What is dead is listed with its reason by then, on pages that lead to all of it."""
    crowd.gateway.clock.move(DAY_S + 3_600)
    for _ in range(3):  # what was not picked up, then what a claim left, then what that came to
        sweeps(crowd, seen, most, request_ms)

    ports, dead = crowd.gateway.ports, crowd.of(*DEAD)
    for limit in limits:

        def read(after: str, limit: int = limit) -> tuple[list[str], str, Any]:
            found = operate.stuck(ports, limit, after)
            return (
                [one.pause for one in found],
                found.next,
                {"stuck": [vars(one) | {"unknown": list(one.unknown)} for one in found]},
            )

        before = set(seen.starved)
        found = seen.read(f"stuck by {limit}", dead, pages_of(crowd, limit), read)
        seen.starved = before  # an operator's list is not what anybody works on
        seen.unlisted |= dead - found
