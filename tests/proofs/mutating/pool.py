"""Hands mutants to two workers and gathers what survived."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from typing import Any

from tests.proofs.mutating.changes import Mutant, Planted
from tests.proofs.mutating.known import Known
from tests.proofs.mutating.marking import CHECKOUT

WORKERS = 2
FILES_AT_ONCE = 32  # test files that one child runs to see what they run
MOST = 300  # tests that are asked about one mutant, some of every file that enters it: what they all pass survives
ENOUGH_S = 10.0  # of CPU for the tests of one mutant
ROUNDS_S = (
    0.5,
    2.0,
    ENOUGH_S,
)  # all are tried for so long at first, then those that passed, then those that passed again
REMEMBERED = 20  # tests of a file that noticed a mutant last; they are asked first
NOTHING = Known()
Tests = Callable[[Mutant], list[str]]


class Worker:
    """One process that has collected some tests."""

    def __init__(self, among: list[str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.proofs.mutating.worker", *among],
            cwd=CHECKOUT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, job: dict[str, Any]) -> Any:
        """One answer. Raises AssertionError when the worker has gone."""
        asked, answers = self.process.stdin, self.process.stdout
        assert asked is not None
        assert answers is not None
        print(json.dumps(job), file=asked, flush=True)
        told = answers.readline()
        assert told, f"the worker ended at {str(job)[:200]}"
        return json.loads(told)

    def covered(self, files: list[str]) -> dict[str, Any]:
        """Which tests of some files run which statement. Raises AssertionError when one fails without any mutant."""
        with tempfile.NamedTemporaryFile() as file:
            assert self.ask({"cover": file.name, "among": files}), "the tests did not come to their end"
            told: dict[str, Any] = json.loads(Path(file.name).read_text())
        assert not told["failed"], f"tests fail without any mutant:\n{told['failed'][0][-2000:]}"
        return told

    def survives(self, mutant: Mutant | Planted, tests: list[str], enough_s: float = ENOUGH_S) -> tuple[bool, str]:
        """Whether every test passes, and the one that failed; without any test there is nothing to ask.

        Raises AssertionError when that one fails without any mutant.
        """
        if not tests:
            return True, ""
        made = {"planted" if isinstance(mutant, Planted) else "mutant": asdict(mutant)}
        told = self.ask({**made, "tests": tests, "enough_s": enough_s})
        assert not told["fails_anyway"], f"fails without any mutant, after others: {told['fails_anyway'][0]}"
        return told["survives"], told["by"]

    def end(self) -> None:
        """Nothing more is asked."""
        self.process.communicate()


@contextmanager
def workers(among: list[str], count: int = WORKERS) -> Iterator[list[Worker]]:
    """Some of them; they collect at the same time."""
    started = [Worker(among) for _ in range(count)]
    try:
        yield started
    finally:
        for one in started:
            one.end()


def covered(among: list[Worker]) -> Tests:
    """Those tests that run the statement of a mutant: the closest file's first, and of a file the quickest.

    Raises AssertionError as `Worker.covered`.
    """
    waiting = iter(among[0].ask({"files": True}))
    lock, told, broken = threading.Lock(), [], []

    def work(worker: Worker) -> None:
        try:
            while True:
                with lock:
                    some = list(itertools.islice(waiting, FILES_AT_ONCE))
                if not some or broken:
                    return
                told.append(worker.covered(some))
        except (AssertionError, OSError) as error:
            broken.append(str(error) or type(error).__name__)

    _each(work, among)
    assert not broken, broken[0]
    took = {test: seconds for one in told for test, seconds in one["took"].items()}
    tests: dict[str, list[str]] = defaultdict(list)
    for one in told:
        names = list(one["took"])
        for mark, some in one["tests"].items():
            tests[mark] += [names[place] for place in some]
    quickest = {mark: sorted(some, key=lambda test: (took[test], test)) for mark, some in tests.items()}
    return by_place(closest(quickest, took), {mark for one in told for mark in one["imported"]})


def closest(tests: dict[str, list[str]], among: Iterable[str]) -> dict[str, list[str]]:
    """The same by mark, those first of whose file the most run it: a file that is about a statement notices more than its users."""
    whole = Counter(map(file_of, among))
    found: dict[str, list[str]] = {}
    for mark, some in tests.items():
        files = by_file(some)
        share = {file: len(here) / whole[file] for file, here in files.items()}
        found[mark] = [test for file in sorted(share, key=share.__getitem__, reverse=True) for test in files[file]]
    return found


def by_file(tests: Iterable[str]) -> dict[str, list[str]]:
    """Tests by the file that they stand in, in their order."""
    found: dict[str, list[str]] = defaultdict(list)
    for test in tests:
        found[file_of(test)].append(test)
    return found


def file_of(test: str) -> str:
    """The file that a test stands in."""
    return test.partition("::")[0]


def by_place(tests: dict[str, list[str]], imported: set[str]) -> Tests:
    """What a mutant is tried with: the tests that run its statement; beside statements those of its function, or of its module.

    Whatever runs while modules are imported may be noticed by each test of its module.
    """
    modules: dict[str, dict[str, None]] = defaultdict(dict)
    for mark, some in tests.items():
        modules[mark.rpartition(":")[0]] |= dict.fromkeys(some)
    everything = list(dict.fromkeys(test for some in tests.values() for test in some))

    def found(mutant: Mutant) -> list[str]:
        mark = f"{mutant.path}:{mutant.statement or f'{mutant.function}()'}"
        if mutant.function and mark not in imported:
            return tests.get(mark, [])
        return list(dict.fromkeys([*tests.get(mark, []), *(modules[mutant.path] or everything)]))

    return found


def _each(work: Callable[[Worker], None], among: list[Worker]) -> None:
    """Do something with each worker at the same time."""
    threads = [threading.Thread(target=work, args=(one,)) for one in among]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def survivors(
    mutants: Iterable[Mutant],
    tests: Tests,
    say: Callable[[str], None],
    among: list[Worker],
    known: Known = NOTHING,
) -> list[Mutant]:
    """The mutants on which no test fails. All are tried shortly before any is tried for long: most are noticed soon."""
    alive = list(mutants)
    for enough_s in ROUNDS_S:
        trying = _Trying(iter(alive), tests, say, known, enough_s)
        _each(trying.work, among)
        known.write()
        assert not trying.broken, trying.broken
        say(f"mutants: {len(trying.alive)} of {len(alive)} were not noticed in {enough_s} s")
        alive = trying.alive
    return sorted(alive, key=lambda one: (one.path, one.line))


class _Trying:
    """What the workers share."""

    def __init__(
        self, waiting: Iterator[Mutant], tests: Tests, say: Callable[[str], None], known: Known, enough_s: float
    ) -> None:
        self._waiting, self._tests, self._say, self._known, self._enough_s = waiting, tests, say, known, enough_s
        self._lock = threading.Lock()
        self._noticed: dict[str, dict[str, None]] = defaultdict(dict)
        self._tried = 0
        self.alive: list[Mutant] = []
        self.broken = ""

    def work(self, worker: Worker) -> None:
        """Try one after the other, until there are none or a worker breaks."""
        try:
            while (mutant := self._next()) is not None:
                self._note(mutant, *worker.survives(mutant, self._order(mutant), self._enough_s))
        except (AssertionError, OSError) as error:
            self.broken = str(error) or type(error).__name__

    def _next(self) -> Mutant | None:
        """One that has to be asked about; what is known of others is counted."""
        with self._lock:
            while not self.broken and (mutant := next(self._waiting, None)) is not None:
                if by := self._known.noticed_by(mutant):
                    self._count(mutant, by)
                elif self._known.survives(mutant, self._tests(mutant)):
                    self._count(mutant, "")
                else:
                    return mutant
            return None

    def _order(self, mutant: Mutant) -> list[str]:
        """What noticed a mutant of this function, or of this file, before comes first, then one of each file in turn."""
        tests = dict.fromkeys(self._tests(mutant))
        with self._lock:
            near, far = (self._noticed[where] for where in _near_and_far(mutant))
            first = [one for one in (*reversed(near), *reversed(far)) if one in tests][:REMEMBERED]
        turns = [one for turn in zip_longest(*by_file(tests).values()) for one in turn if one]
        known = [one for one in self._known.first(mutant) if one in tests]
        return list(dict.fromkeys([*known, *first, *turns]))[:MOST]

    def _note(self, mutant: Mutant, alive: bool, by: str) -> None:
        with self._lock:
            if not alive or self._enough_s == ENOUGH_S:
                self._known.note(mutant, by, self._tests(mutant))
            self._count(mutant, "" if alive else by)

    def _count(self, mutant: Mutant, by: str) -> None:
        self._tried += 1
        if by:
            for where in _near_and_far(mutant):
                self._noticed[where].pop(by, None)
                self._noticed[where][by] = None
        else:
            self.alive.append(mutant)
            word = "survives" if self._enough_s == ENOUGH_S else "passes"
            self._say(f"mutants: {word} {mutant}")
        if self._tried % 100 == 0:
            self._say(f"mutants: {self._tried} tried, {len(self.alive)} not noticed in {self._enough_s} s")
            self._known.write()


def _near_and_far(mutant: Mutant) -> tuple[str, str]:
    return f"{mutant.path}:{mutant.function}", mutant.path


def unnoticed(bugs: dict[str, tuple[Planted, str]]) -> list[str]:
    """The names of the bugs, each with a test, that their test does not notice."""
    with workers(sorted({test.partition("::")[0] for _, test in bugs.values()}), 1) as (worker,):
        return [name for name, (bug, test) in bugs.items() if worker.survives(bug, [test])[0]]
