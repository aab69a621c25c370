"""The contenders: threads in several operating-system processes that all begin at one moment."""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import placet_policy
from local.ports import MemoryBodies, MemoryTimers
from placet.aws.ids import SystemClock
from placet.aws.table import DynamoTable
from placet.model.registry import Registry
from placet.policy import ActionClass, Always, Level, Policy, Tool
from placet.records.keys import Keys
from placet.service.ports import Ports
from tests.gateway import BILLING, SUPPORT
from tests.proofs.racing.jobs import Job, Told, run
from tests.proofs.racing.tables import Held, Watched, dynamodb_at

Plant = Callable[[Ports], Ports]
PATIENCE_S = 120


@dataclass(frozen=True)
class Course:
    """Where a race is run, and what is planted: clauses left out, or the ports changed by a function of a module."""

    url: str
    table: str
    drop: tuple[str, ...] = ()
    plant: Plant | None = None


def policy() -> Policy:
    """The example policy, and a class in which two people have to agree."""
    example = placet_policy.POLICY
    payroll = ActionClass("payroll", (Level(("finance",)),), 14_400, 86_400, 86_400, quorum=2)
    pay = Tool("pay_salary", "payroll", (Always("payroll/pay", "Two people look at every payment."),))
    return replace(example, classes={**example.classes, "payroll": payroll}, tools={**example.tools, "pay_salary": pay})


def ports_on(course: Course, dynamodb: Any) -> Ports:
    """The service as a function of its own has it, on DynamoDB and the machine's clock."""
    ports = Ports(
        table=Watched(DynamoTable(course.table, dynamodb), course.drop),
        keys=Keys("main"),
        clock=SystemClock(),
        policy=policy(),
        registry=Registry((SUPPORT, BILLING)),
        bodies=MemoryBodies(),
        timers=MemoryTimers(),
    )
    return course.plant(ports) if course.plant else ports


class Crew:
    """So many processes, which wait for their jobs. Use it in a `with`."""

    def __init__(self, course: Course, processes: int) -> None:
        self._spawn = multiprocessing.get_context("spawn")
        self._course, self._count = course, processes

    def __enter__(self) -> Crew:
        self._barrier = self._spawn.Barrier(self._count)
        pipes = [self._spawn.Pipe() for _ in range(self._count)]
        self._lines = [here for here, _ in pipes]
        self._processes = [
            self._spawn.Process(target=_serve, args=(self._course, there, self._barrier), daemon=True)
            for _, there in pipes
        ]
        for process in self._processes:
            process.start()
        return self

    def __exit__(self, *_error: object) -> None:
        for line in self._lines:
            with contextlib.suppress(OSError):  # it ended by itself: at_once has told so
                line.send(None)
        for process in self._processes:
            process.join(10)
            process.kill()

    def at_once(self, jobs: Sequence[Job]) -> list[Told]:
        """Deal the jobs out, one thread each, and let all begin at one moment; what everybody was told, in the jobs' order."""
        for index, line in enumerate(self._lines):
            line.send(list(jobs[index :: self._count]))
        told: list[Any] = [None] * len(jobs)
        for index, line in enumerate(self._lines):
            assert line.poll(PATIENCE_S), f"a process did not answer within {PATIENCE_S} s"
            told[index :: self._count] = line.recv()
        return told


def _serve(course: Course, line: Any, barrier: Any) -> None:
    """One process: its jobs arrive, it waits for the others, its threads begin together."""
    held = Held(dynamodb_at(course.url))
    ports = ports_on(course, held)
    with ThreadPoolExecutor(64) as pool:
        while (jobs := line.recv()) is not None:
            ready = threading.Barrier(len(jobs) + 1)
            told = [pool.submit(_begin, ports, held, job, ready) for job in jobs]
            barrier.wait(PATIENCE_S)
            ready.wait(PATIENCE_S)
            line.send([one.result() for one in told])


def _begin(ports: Ports, held: Held, job: Job, ready: threading.Barrier) -> Told:
    table: Any = ports.table
    ready.wait(PATIENCE_S)
    time.sleep(max(0.0, job.after_ms / 1000, job.at_ms / 1000 - time.time()))
    table.begin()
    held.hold(job.held_until_ms)
    told = run(ports, job)
    return replace(told, lost_write=table.lost, held_ms=held.first_ms)
