"""Races for one call, on DynamoDB and over HTTP: of many deciders one decides, everybody else is told so, nothing happens twice."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from tests.proofs import Proof, Size
from tests.proofs.racing import over_http
from tests.proofs.racing.crew import Course, Crew, Plant, ports_on
from tests.proofs.racing.rounds import Races
from tests.proofs.racing.scene import Scene
from tests.proofs.racing.tables import dynamodb_at, empty_table
from tests.proofs.racing.tally import Tally
from tests.shared import shared_stack


@dataclass(frozen=True)
class Plan:
    """How many rounds of what."""

    rounds: int
    deciders: int
    processes: int
    others: int
    http_rounds: int
    http_deciders: int


FULL = Plan(rounds=1000, deciders=64, processes=4, others=200, http_rounds=50, http_deciders=16)
QUICK = Plan(rounds=24, deciders=16, processes=2, others=8, http_rounds=3, http_deciders=6)


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Race, on DynamoDB and through the deployed API."""
    plan = QUICK if size.quick else FULL
    tally = raced(say, plan, size.seed)
    served = over_http.raced(say, shared_stack(), plan.http_rounds, plan.http_deciders, size.seed)
    return judged(plan, tally, served)


def raced(
    say: Callable[[str], None], plan: Plan, seed: int, drop: tuple[str, ...] = (), plant: Plant | None = None
) -> Tally:
    """The rounds on the table, with what is planted."""
    url, tally = shared_stack().endpoint, Tally()
    dynamodb = dynamodb_at(url)
    with empty_table(dynamodb) as table, Crew(Course(url, table, drop, plant), plan.processes) as crew:
        scene = Scene(ports_on(Course(url, table), dynamodb))
        scene.seat(plan.deciders)
        races = Races(crew, scene, tally, random.Random(seed))  # noqa: S311 - repeatable, guards nothing
        _repeat(say, tally, "mixed decisions", plan.rounds, lambda: races.mixed(plan.deciders))
        for race in (
            races.last_calls,
            races.last_votes,
            races.equal,
            races.cancelled,
            races.cancelled_or_claimed,
            races.resumed_or_claimed,
        ):
            _repeat(say, tally, race.__name__, plan.others, race)
    return tally


def judged(plan: Plan, tally: Tally, served: Tally) -> Proof:
    """The last line, with the figure furthest from what is promised."""
    both = (tally, served)
    figures = {
        "rounds": tally.rounds["accept, edit, reject"],
        "deciders": plan.deciders,
        "processes": plan.processes,
        "http_rounds": served.rounds["over HTTP"],
        "winners_per_round": max((one.worst("winners") for one in both), key=lambda value: abs(value - 1)),
        "effects_per_round": max((one.worst("effects") for one in both), key=lambda value: abs(value - 1)),
        "server_errors": sum(one.server_errors for one in both),
    }
    found = [*tally.violations, *served.violations, *_not_covered(tally, served)]
    return Proof("race", f"{tally.table()}\n\n{served.table()}", figures, found)


def _not_covered(tally: Tally, served: Tally) -> list[str]:
    """Races that were none: nobody lost at the write, or one side always won."""
    found = [
        f"coverage: nobody ever raced in {kind!r}"
        for kind in tally.rounds
        if not tally.contested[kind] and kind in _CONTESTED
    ]
    found += [f"coverage: never won: {one}" for one in _WON if not tally.won[one]]
    return found + ([] if served.rounds["over HTTP"] else ["coverage: nothing was raced over HTTP"])


_CONTESTED = (
    "accept, edit, reject",
    "claims of what was decided",
    "two last calls",
    "last votes of a quorum",
    "ten equal decisions",
    "resumed against claim",
)

_WON = (
    *(f"accept, edit, reject: {verdict}" for verdict in ("accept", "edit", "reject")),
    *(f"claims of what was decided: {who}" for who in ("one worker", "nobody")),
    *(f"cancel against decide: {who}" for who in ("the decision, then cancelled", "the cancel")),
    *(f"cancel against claims: {who}" for who in ("the claim", "the cancel")),
    *(f"resumed against claim: {who}" for who in ("the claim", "the report")),
)


def _repeat(say: Callable[[str], None], tally: Tally, name: str, rounds: int, race: Callable[[], None]) -> None:
    began = time.monotonic()
    for number in range(1, rounds + 1):
        race()
        if (number % max(1, rounds // 10) == 0 and rounds >= 100) or number == rounds:
            say(
                f"race: {name}: {number} of {rounds} rounds, {time.monotonic() - began:.0f} s, violations: {len(tally.violations)}"
            )
