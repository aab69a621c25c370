"""Hands mutants to two workers and gathers what survived."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from tests.proofs.mutating.changes import Mutant, Planted

CHECKOUT = Path(__file__).parents[3]
WORKERS = 2
Tests = Callable[[Mutant], list[str]]


def covered(among: list[str]) -> Tests:
    """Those of some tests that enter the function of a mutant. Raises AssertionError when one fails without any mutant."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "covered.json"
        ran = _python("tests.proofs.mutating.covering", str(told), *among)
        text = ran.communicate()[0]
        assert ran.returncode == 0, f"the tests fail without any mutant:\n{text[-2000:]}"
        found: dict[str, list[str]] = json.loads(told.read_text())
    return lambda mutant: found.get(f"{mutant.path}:{mutant.function}", []) if mutant.function else among


def survivors(mutants: Iterable[Mutant], tests: Tests, say: Callable[[str], None]) -> list[Mutant]:
    """The mutants on which no test fails."""
    waiting, done, lock = iter(list(mutants)), [0], threading.Lock()
    found: list[Mutant] = []

    def work() -> None:
        with _python("tests.proofs.mutating.worker") as worker:
            while (mutant := _next(waiting, lock)) is not None:
                alive = _survives(worker, mutant, tests(mutant))
                with lock:
                    done[0] += 1
                    found.extend([mutant] if alive else [])
                    if done[0] % 100 == 0:
                        say(f"mutants: {done[0]} tried, {len(found)} survive")

    threads = [threading.Thread(target=work) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(found, key=lambda one: (one.path, one.line))


def unnoticed(bugs: dict[str, tuple[Planted, str]]) -> list[str]:
    """The names of the bugs, each with a test, that their test does not notice."""
    with _python("tests.proofs.mutating.worker") as worker:
        return [name for name, (bug, test) in bugs.items() if _survives(worker, bug, [test])]


def _next(waiting: Iterator[Mutant], lock: threading.Lock) -> Mutant | None:
    with lock:
        return next(waiting, None)


def _survives(worker: subprocess.Popen[str], mutant: Mutant | Planted, tests: list[str]) -> bool:
    """Ask a worker; without any test there is nothing to ask."""
    if not tests or worker.stdin is None or worker.stdout is None:
        return True
    job = {"planted" if isinstance(mutant, Planted) else "mutant": asdict(mutant), "tests": tests}
    worker.stdin.write(json.dumps(job) + "\n")
    worker.stdin.flush()
    return bool(json.loads(worker.stdout.readline())["survives"])


def _python(*module: str) -> subprocess.Popen[str]:
    """A Python of our own, in the checkout."""
    return subprocess.Popen(
        [sys.executable, "-m", *module], cwd=CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
