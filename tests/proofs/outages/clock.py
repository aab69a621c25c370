"""Played time, and the end of the invocation that is in it."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

BEGAN_MS = 1_795_968_000_000
Job = Callable[[], Any]


class CutOff(SystemExit):
    """The time of a function is over: nothing of it goes on, whatever it catches."""


class Clock:
    """What moves when somebody waits.

    Attributes:
        at_ms: now. cut: how many invocations were cut off.
    """

    def __init__(self) -> None:
        self.at_ms = BEGAN_MS
        self.cut = 0
        self._ends: list[float] = []
        self._jobs: list[tuple[int, int, Job]] = []
        self._number = itertools.count()

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        return self.at_ms

    def seconds(self) -> float:
        """For whoever counts what is left."""
        return self.at_ms / 1000

    def sleep(self, seconds: float) -> None:
        """Time passes. Raises CutOff when it is more than the invocation has."""
        self.at_ms += round(1000 * seconds)
        if self._ends and self.at_ms > self._ends[-1]:
            self.at_ms = int(self._ends[-1])
            self.cut += 1
            raise CutOff

    @contextmanager
    def lasting(self, seconds: float) -> Iterator[None]:
        """An invocation that is cut off after so long; others may be inside of it."""
        self._ends.append(self.at_ms + 1000 * seconds)
        try:
            yield
        finally:
            self._ends.pop()

    def left_ms(self) -> int:
        """What the innermost invocation has left."""
        return int(self._ends[-1] - self.at_ms)

    def later(self, seconds: float, job: Job) -> None:
        """Do it then, or as soon as what is done before it leaves time."""
        heapq.heappush(self._jobs, (self.at_ms + round(1000 * seconds), next(self._number), job))

    def play(self, over: Callable[[], bool], until_s: float) -> bool:
        """Do one job after the other until it is over; False when that does not come in time."""
        end = BEGAN_MS + round(1000 * until_s)
        while self._jobs and not over():
            at, _, job = heapq.heappop(self._jobs)
            self.at_ms = max(self.at_ms, at)
            if self.at_ms > end:
                return False
            job()
        return over()
