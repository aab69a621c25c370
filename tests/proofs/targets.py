"""Decisions pushed to a FIFO queue and to signed webhooks, with faults on the way and bad consumers: no run goes on twice, none is
lost, and no private address is ever connected to."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from local.settings import LocalSettings
from local.stack import LocalStack
from tests.proofs import Proof, Size
from tests.proofs.pushing.authority import Authority
from tests.proofs.pushing.connections import noted
from tests.proofs.pushing.course import MOST_ROUNDS, Course
from tests.proofs.pushing.plans import GOOD, HOOK_TROUBLES, MANNERS, PRIVATE, QUEUE_TROUBLES, TURNING
from tests.proofs.pushing.server import ADDRESS, serving

RUNS, QUICK_RUNS = 420, 80
WANTED = 500  # deliveries, in the full size
NEEDED = (
    *(f"way: {one}" for one in {*QUEUE_TROUBLES, *HOOK_TROUBLES} if one),
    *(f"agent: {one}" for one in (*MANNERS, "inside", "somebody else works", "came again after the end")),
    *("sent again after 15 minutes", "came again, out of order", "listed: delivery_refused", "listed: permit_unknown"),
)


@dataclass
class Played:
    """A play that is over, and what this process connected to meanwhile beside the one server."""

    course: Course
    elsewhere: list[tuple[str, int]]
    seconds: float


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Play on the local AWS's queues and a server of its own."""
    return judged(played(say, QUICK_RUNS if size.quick else RUNS, size.seed), size)


def played(say: Callable[[str], None], runs: int, seed: int) -> Played:
    """Boot the queue service, and play."""
    stack = LocalStack(LocalSettings().on_free_ports(), say)
    try:
        stack.start()
        return played_on(say, stack.client("sqs"), runs, seed)
    finally:
        stack.discard()


def played_on(say: Callable[[str], None], sqs: Any, runs: int, seed: int, most_rounds: int = MOST_ROUNDS) -> Played:
    """Play on a queue service that is there."""
    authority, began = Authority(), time.monotonic()
    names = (GOOD, TURNING, *PRIVATE)
    chance = random.Random(seed)  # noqa: S311 - repeatable, guards nothing
    with serving(authority.serving(*names)) as hook, noted() as connected:
        course = Course(sqs, hook, authority.trusting(), chance)
        course.play(runs, most_rounds)
        elsewhere = [(one[0], one[1]) for one in connected if one[1] == hook.port and one[0] != ADDRESS]
    seconds = time.monotonic() - began
    say(f"targets: {course.deliveries} deliveries to {runs} runs in {course.rounds} rounds, {seconds:.0f} s")
    return Played(course, elsewhere, seconds)


def judged(play: Played, size: Size) -> Proof:
    """What came of it."""
    course, plans = play.course, play.course.plans
    runs, fired = list(plans.runs.values()), plans.fired
    lost = [pause for pause in course.open() if not course.house.head(pause).stuck]
    twice = [pause for pause, run in plans.runs.items() if run.twice or run.effects > 1 or run.ended > 1]
    violations = plans.violations[:20]
    violations += [f"{pause} went on twice" for pause in twice[:10]]
    violations += [f"{pause} neither went on nor is listed" for pause in lost[:10]]
    violations += [f"{pause} has not ended" for pause in course.open() if pause not in lost][:10]
    violations += [f"{pause} went on without its call" for pause, run in plans.runs.items() if not run.effects][:10]
    violations += [f"{one} came as {count} messages" for one, count in course.messages.items() if count > 1]
    violations += [f"connected to {host}" for host, _ in play.elsewhere[:10]]
    violations += [f"never happened: {one}" for one in sorted(NEEDED) if not fired[one]]
    asked = [name for name in (*PRIVATE, TURNING) if not course.names.asked.get(name)]
    violations += [f"nothing was sent to {name}" for name in asked]
    violations += [f"only {course.deliveries} deliveries"] * (course.deliveries < WANTED and not size.quick)
    figures: dict[str, float] = {
        "deliveries": course.deliveries,
        "resumed_twice": len(twice),
        "lost": len(lost),
        "private_addresses_reached": len(play.elsewhere),
    }
    ended = sum(run.ended for run in runs)
    lines = [f"{len(runs)} runs, {ended} ended, {sum(run.effects for run in runs)} calls carried out once"]
    lines += [f"{name:<40} {count:>6}" for name, count in sorted(fired.items())]
    return Proof("targets", "\n".join(lines), figures, violations)
