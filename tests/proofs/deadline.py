"""Decisions at the last moment against the timer: one of them closes the call, nothing is accepted late, nothing accepts itself."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from placet.model.states import CallState, PermitState, Verdict
from placet.records.heads import Head
from placet.service.escalate import escalate
from tests.gateway import REFUND
from tests.proofs import Proof, Size
from tests.proofs.racing.crew import Course, Crew, Plant, ports_on
from tests.proofs.racing.jobs import Job, Told
from tests.proofs.racing.scene import Outcome, Scene, deciding
from tests.proofs.racing.tables import dynamodb_at, empty_table
from tests.shared import shared_aws

AROUND_MS = 50
IN_PLACES_MS = 120  # what the contenders need to be in their places
STEP_MS = 4
AT_ONCE = 2  # pauses whose deadlines come together
TIMERS = 3
HELD = 0.25  # of the rounds: the decision meets a conflict that lasts beyond the deadline
HELD_MS = (5, 40)  # beyond it
VERDICTS = (Verdict.ACCEPT, Verdict.ACCEPT, Verdict.ACCEPT, Verdict.EDIT, Verdict.REJECT)
ALLOWED = {200, 410}


@dataclass
class Seen:
    """What the rounds came to.

    Attributes:
        close: outcomes recorded within `AROUND_MS` of the deadline, by side.
        conflicts: decisions that were in time at their first try, and were held by a conflict beyond the deadline.
        ahead_ms: how much earlier a person begins, because reading comes before the write; it follows who wins, so that
            both do on a fast machine and on a slow one.
    """

    rounds: int = 0
    outcomes: Counter[int] = field(default_factory=Counter)
    won: Counter[str] = field(default_factory=Counter)
    told: Counter[str] = field(default_factory=Counter)
    late_accepts: int = 0
    auto_accepts: int = 0
    raced: int = 0
    conflicts: int = 0
    close: Counter[str] = field(default_factory=Counter)
    setting_up_ms: float = 400
    ahead_ms: float = 20
    violations: list[str] = field(default_factory=list)

    def expect(self, holds: bool, what: str) -> None:
        """A violation unless it holds; the first ones are kept in words."""
        if not holds and len(self.violations) < 20:
            self.violations.append(f"round {self.rounds}: {what}")


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """1,000 calls decided within 50 ms of their deadline, while the timer fires three times.

    Of a quarter of them the decision begins in time and meets a conflict until after the deadline, and the timer is early.
    """
    return judged(raced(say, 40 if size.quick else 1000, 2 if size.quick else 4, size.seed))


def raced(
    say: Callable[[str], None],
    rounds: int,
    processes: int,
    seed: int,
    drop: tuple[str, ...] = (),
    plant: Plant | None = None,
) -> Seen:
    """The rounds, with what is planted."""
    url, seen, chance = shared_aws(), Seen(), random.Random(seed)  # noqa: S311 - repeatable, guards nothing
    dynamodb, began = dynamodb_at(url), time.monotonic()
    with empty_table(dynamodb) as table, Crew(Course(url, table, drop, plant), processes) as crew:
        scene = Scene(ports_on(Course(url, table), dynamodb))
        scene.seat(3)
        while seen.rounds < rounds:
            _together(seen, crew, scene, chance)
            if seen.rounds % max(AT_ONCE, rounds // 10) == 0:
                say(f"deadline: {seen.rounds} of {rounds} rounds, {time.monotonic() - began:.0f} s")
    return seen


def _together(seen: Seen, crew: Crew, scene: Scene, chance: random.Random) -> None:
    """A few pauses that end at about the same moment, each with one decider and three timers."""
    began = time.time() * 1000
    ends_at = int(began + 1.5 * seen.setting_up_ms + IN_PLACES_MS)
    heads = [scene.shown(REFUND, ends_at_ms=ends_at) for _ in range(AT_ONCE)]
    seen.setting_up_ms = time.time() * 1000 - began
    jobs = [job for head in heads for job in _contenders(scene, head, chance, seen.ahead_ms)]
    told = crew.at_once(chance.sample(jobs, len(jobs)))
    for head in heads:
        mine = [one for one in told if head.pause in (one.job.facts.get("pause"), _pause_of(one.job))]
        escalate(scene.ports, head.pause)  # the sweep: a timer that was early three times is not the end of it
        _judge(seen, head, mine, scene.outcome(head.pause))


def _contenders(scene: Scene, head: Head, chance: random.Random, ahead_ms: float) -> list[Job]:
    def moment() -> float:
        return head.deadline_ms + chance.uniform(-AROUND_MS, AROUND_MS)

    who, verdict = chance.choice(scene.people), chance.choice(VERDICTS)
    if chance.random() < HELD:
        early = [Job("escalate", {"pause": head.pause}, at_ms=head.deadline_ms - AROUND_MS) for _ in range(TIMERS)]
        person = deciding(head, 1, verdict, who, amount=200, at_ms=head.deadline_ms - AROUND_MS - ahead_ms)
        return [replace(person, held_until_ms=head.deadline_ms + chance.uniform(*HELD_MS)), *early]
    timers = [Job("escalate", {"pause": head.pause}, at_ms=moment()) for _ in range(TIMERS)]
    return [deciding(head, 1, verdict, who, amount=200, at_ms=moment() - ahead_ms), *timers]


def _pause_of(job: Job) -> str:
    return str(job.facts.get("call", "")).partition("-")[0]


def _judge(seen: Seen, head: Head, told: list[Told], after: Outcome) -> None:
    """Exactly one outcome, in time when it is a person's, without a permit when it is the clock's."""
    seen.rounds += 1
    (person,) = [one for one in told if one.job.verb == "decide"]
    call, decided, expired = after.head.calls[0], after.told("decided"), after.told("expired")
    seen.outcomes[len(decided) + len(expired)] += 1
    seen.told[f"{person.status} {person.code}".strip()] += 1
    seen.raced += any(one.lost_write for one in told)
    held = person.job.held_until_ms > 0
    seen.conflicts += held and 0 < person.held_ms < head.deadline_ms
    seen.expect(
        all(one.status in (ALLOWED | {503} if held else ALLOWED) for one in told),
        f"somebody was told {[(one.status, one.code) for one in told]}",
    )
    seen.expect(len(decided) + len(expired) == 1, f"{len(decided)} decisions and {len(expired)} expiries on record")
    seen.expect(after.head.open_calls == 0, f"open_calls is {after.head.open_calls}")
    # One that was held cannot have been written before the deadline, whatever moment it carries.
    seen.late_accepts += sum(held or one["at_ms"] >= head.deadline_ms for one in decided)
    asked = person.job.facts["decision"].verdict
    self_made = call.state.may_run and (not decided or asked is Verdict.REJECT or person.status != 200)
    seen.auto_accepts += self_made or (call.permit is not PermitState.NONE and not call.state.may_run)
    seen.expect(
        (person.status == 200) == bool(decided), f"told {person.status}, while {len(decided)} decisions are on record"
    )
    seen.expect((call.state is CallState.EXPIRED) == (not decided), f"the call is {call.state}")
    if not held:
        seen.ahead_ms = max(0.0, seen.ahead_ms + (-STEP_MS if decided else STEP_MS))
    for side, event in [("a person", one) for one in decided] + [("the clock", one) for one in expired]:
        seen.close[side] += abs(event["at_ms"] - head.deadline_ms) <= AROUND_MS
    seen.won[asked.value if decided else "the clock"] += 1
    seen.expect(not expired or expired[0]["at_ms"] >= head.deadline_ms, "it expired before its deadline")


def judged(seen: Seen) -> Proof:
    """The last line, and what was not reached."""
    worst = max(seen.outcomes, key=lambda count: abs(count - 1), default=0)
    figures = {
        "rounds": seen.rounds,
        "conflicts": seen.conflicts,
        "outcomes_per_call": worst,
        "late_accepts": seen.late_accepts,
        "auto_accepts": seen.auto_accepts,
    }
    found = [*seen.violations]
    found += [f"{seen.late_accepts} decisions are on record at or after the deadline"] if seen.late_accepts else []
    found += [f"{seen.auto_accepts} calls may run though nobody said yes"] if seen.auto_accepts else []
    people = seen.rounds - seen.won["the clock"]
    for side, count in (("a person", people), ("the clock", seen.won["the clock"])):
        found += [f"coverage: {side} won only {count} of {seen.rounds}"] if count * 20 < seen.rounds else []
    found += [] if seen.conflicts else ["coverage: no decision was held by a conflict beyond the deadline"]
    found += [] if seen.raced else ["coverage: nobody ever lost at the write"]
    lines = ["| outcome | rounds |", "|---|---:|", *(f"| {who} | {count} |" for who, count in sorted(seen.won.items()))]
    lines += ["", *(f"within {AROUND_MS} ms of the deadline, by {side}: {count}" for side, count in seen.close.items())]
    lines += [f"rounds in which a write lost: {seen.raced}"]
    lines += [f"the person was told {what}: {count}" for what, count in sorted(seen.told.items())]
    return Proof("deadline", "\n".join(lines), figures, found)
