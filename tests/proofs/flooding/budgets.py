"""Parallel captures race one budget on DynamoDB: what passes never adds up to more than the limit, and none is lost.

Each round has a budget of its own. Its captures begin at one moment in several processes; some are handed in twice at once, as by
an agent whose first request was slow. Who is told 503 comes again, as the SDK does.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal

from local.ports import MemoryIds
from placet.frameworks import adapter_of
from placet.model.canonical import parse
from placet.model.pauses import Capture
from placet.policy.facts import Facts
from placet.records.counters import in_words
from placet.service.facts import key_of
from placet.service.ports import Ports
from tests.asking import Within, policy_of
from tests.gateway import SUPPORT, native
from tests.proofs.racing.crew import Course, Crew, ports_on
from tests.proofs.racing.jobs import Job, Told, run
from tests.proofs.racing.tables import dynamodb_at, empty_table
from tests.shared import shared_aws

LIMIT = Decimal(500)
AMOUNTS = ("99", "49.99", "0.01", "120.5", "33.333333333", "7")
ROUNDS_OF_A_TABLE = 12  # of 64 captures each: fewer than the thousand pauses that one agent may leave open
AGAIN = 20  # times that somebody who is told 503 comes again


@dataclass(frozen=True)
class Plan:
    """So many rounds, with so many captures each, from so many processes."""

    rounds: int
    captures: int
    processes: int


@dataclass
class Tally:
    """What the rounds came to.

    Attributes:
        tried: captures handed in, those that came again not counted.
        overrun: rounds in which more passed than the limit, or something else than was counted.
        lost: captures that were not stored, or not answered.
        contested: captures that lost a write to another one and were judged again.
    """

    tried: int = 0
    passed: int = 0
    asked: int = 0
    busy: int = 0
    contested: int = 0
    overrun: int = 0
    lost: int = 0
    violations: list[str] = field(default_factory=list)

    def table(self) -> str:
        """For people."""
        rows = [("captures", self.tried), ("passed", self.passed), ("sent to a person", self.asked)]
        rows += [("judged again after a lost race", self.contested), ("told 503, and came again", self.busy)]
        return "\n".join(f"{name:32} {count:8,}" for name, count in rows)


def with_budget(ports: Ports) -> Ports:
    """The racing processes' ports, with a policy whose refunds share a budget per entity and day."""
    return replace(ports, policy=policy_of(Within(LIMIT)), ids=MemoryIds())


def raced(say: Callable[[str], None], plan: Plan, seed: int, drop: tuple[str, ...] = ()) -> Tally:
    """The rounds, with what is planted; some of them share a table, which stays below what one agent may leave open."""
    url, tally, chance = shared_aws(), Tally(), random.Random(seed)  # noqa: S311 - repeatable, guards nothing
    dynamodb = dynamodb_at(url)
    for first in range(1, plan.rounds + 1, ROUNDS_OF_A_TABLE):
        last = min(first + ROUNDS_OF_A_TABLE - 1, plan.rounds)
        with empty_table(dynamodb) as table, Crew(Course(url, table, drop, with_budget), plan.processes) as crew:
            ports = with_budget(ports_on(Course(url, table), dynamodb))
            for number in range(first, last + 1):
                _round(ports, crew, tally, number, _captures(chance, number, plan.captures))
        say(f"flood: budgets: {last} of {plan.rounds} rounds, violations: {len(tally.violations)}")
    return tally


def _captures(chance: random.Random, number: int, count: int) -> list[Capture]:
    made = [_capture(number, one, chance.choice(AMOUNTS)) for one in range(count)]
    return [chance.choice(made[:one]) if one and chance.random() < 0.15 else made[one] for one in range(count)]


def _capture(number: int, one: int, amount: str) -> Capture:
    raw = json.dumps(native(("issue_refund", {"order_id": "1182", "amount": "HERE"}))).replace('"HERE"', amount)
    run_name = f"flood-{number}-{one}"
    read = adapter_of("langchain").read(run_name, parse(raw))
    return Capture(SUPPORT.name, "langchain", run_name, read, "{}", entity=f"order:{number}")


def _round(ports: Ports, crew: Crew, tally: Tally, number: int, captures: list[Capture]) -> None:
    told = crew.at_once([Job("capture", {"captured": one}) for one in captures])
    told = [_until_taken(ports, tally, one) for one in told]
    tally.tried += len(captures)
    tally.contested += sum(one.lost_write for one in told)
    passed: dict[str, Decimal] = {}
    for one, captured in zip(told, captures, strict=True):
        stored = ports.table.get(ports.keys.head(one.value[0])) if one.status == 200 else None
        if stored is None:
            tally.lost += 1
            tally.violations.append(
                f"round {number}: {captured.run} was told {one.status} {one.code} and is not stored"
            )
        elif stored["open_calls"] == 0:
            passed[one.value[0]] = Decimal(str(captured.native.calls[0].arguments["amount"]))
        else:
            tally.asked += 1
    tally.passed += len(passed)
    _add_up(ports, tally, number, sum(passed.values(), Decimal(0)))


def _until_taken(ports: Ports, tally: Tally, told: Told) -> Told:
    for _ in range(AGAIN):
        if told.status != 503:
            return told
        tally.busy += 1
        told = run(ports, told.job)
    return told


def _add_up(ports: Ports, tally: Tally, number: int, passed: Decimal) -> None:
    """What passed is at most the limit, and is what was counted."""
    (asked,) = Within(LIMIT).asks({"amount": 0}, Facts(entity=f"order:{number}"))
    stored = ports.table.get(key_of(ports.keys, asked, ports.clock.now_ms()))
    counted = in_words(stored["spent"]) if stored else Decimal(0)
    if passed > LIMIT or counted != passed:
        tally.overrun += 1
        tally.violations.append(f"round {number}: {passed} passed and {counted} was counted, of {LIMIT}")
