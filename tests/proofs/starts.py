"""Runs on a busy machine: the shortest scene of each framework, started again and again, several at once; none fails.

Handlers, verbs and SDK are the real ones, on threads; what asks where a run stands is held between any two reads, as a function is
on a machine that has other things to do. The full size has processes beside it that leave it no processor.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from tests.proofs import Proof, Size
from tests.proofs.forging.house import DESK, house
from tests.proofs.starting.scenes import SCENES
from tests.proofs.starting.stand import Stand

STARTS, FEW, AT_ONCE = 50, 12, 4


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Start them all."""
    starts = FEW if size.quick else STARTS
    names = list(itertools.islice(itertools.cycle(SCENES), starts))
    stand: Stand
    with (
        house(Stand()) as stand,
        busy(0 if size.quick else 2 * (os.cpu_count() or 1)),
        ThreadPoolExecutor(AT_ONCE) as pool,
    ):
        wrong = list(pool.map(lambda one: _start(stand, *one), enumerate(names)))
    say(f"starts: {starts} were started, {AT_ONCE} at once")
    violations = [
        f"{name} {number} {what}" for number, (name, what) in enumerate(zip(names, wrong, strict=True)) if what
    ]
    seen = stand.statuses[DESK.name, "resuming"]
    few = [f"runs of Bedrock were seen {seen} times while they were answered"] * (2 * seen < starts // len(SCENES))
    figures = {"n": starts, "at_once": AT_ONCE, "failed": len(violations)}
    return Proof("starts", _table(names, stand.statuses), figures, violations + few)


def _start(stand: Stand, number: int, name: str) -> str:
    try:
        return SCENES[name](stand, number)
    except Exception as error:  # a start that ends with an error has failed, whatever it was
        return f"ended with {type(error).__name__}: {error}"


def _table(names: list[str], statuses: Counter[tuple[str, str]]) -> str:
    lines = [f"  {count:>5} {name}" for name, count in sorted(Counter(names).items())]
    told = [f"  {count:>5} {agent}: {status}" for (agent, status), count in sorted(statuses.items())]
    return "\n".join(["started:", *lines, "those who followed were told:", *told])


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """So many processes that do nothing, as fast as they can."""
    crowd = [multiprocessing.get_context("spawn").Process(target=_spin, daemon=True) for _ in range(processes)]
    for one in crowd:
        one.start()
    try:
        yield
    finally:
        for one in crowd:
            one.kill()
            one.join()


def _spin() -> None:
    while True:
        pass
