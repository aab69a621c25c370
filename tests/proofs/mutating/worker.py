"""Runs tests against one mutant at a time, each in a forked child, until the first one fails.

`python -m tests.proofs.mutating.worker TESTS…` collects once; jobs come as lines of JSON on stdin, answers go as lines to stdout.
Where a mutant can be put into what is imported already, it is; otherwise the child imports everything again.
"""

from __future__ import annotations

import gc
import importlib
import importlib.machinery
import importlib.util
import json
import os
import signal
import sys
import time
import types
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import hypothesis
import jsonschema
import pydantic
import pytest

from tests.proofs.mutating.changes import Mutant, Planted
from tests.proofs.mutating.covering import Entered, Watching, run
from tests.proofs.mutating.marking import CHECKOUT, Marks
from tests.proofs.mutating.swapping import Functions, module_of

LIMIT_S, LIMIT_CPU_S = 300, 6  # of one test, of which none takes 1 s of CPU: a mutant that does not end is dead too
PRELOADED = (hypothesis, jsonschema, pydantic)  # imported once, for all children
# What the product imports where it is needed: that would be once in every child.
LATE = ("service.schemas.judging", "service.bedrock.answering", "service.carrying_out", "service.inbox")
FILES_FIRST = 4  # that are imported again for a change; what their tests notice needs no others
OPTIONS = ["-p", "no:cacheprovider", "-W", "ignore"]
HOUSE = tuple(str(CHECKOUT / name) for name in ("layers", "functions", "local", "tests", "infra"))
WORD = 8  # bytes in which a child says how many tests it has begun


class Changed(importlib.machinery.SourceFileLoader):
    """Loads a module from a changed tree."""

    def __init__(self, name: str, path: str, mutant: Mutant | Planted) -> None:
        super().__init__(name, path)
        self._mutant = mutant

    def get_code(self, fullname: str) -> types.CodeType:
        """The changed code."""
        return compile(self._mutant.tree(Path(self.path).read_text()), self.path, "exec")


class Finder:
    """Finds the one changed module before everybody else does."""

    def __init__(self, name: str, mutant: Mutant | Planted) -> None:
        self._name, self._mutant = name, mutant

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        """The changed module's spec."""
        if fullname != self._name:
            return None
        where = str(CHECKOUT / self._mutant.path)
        return importlib.util.spec_from_file_location(fullname, where, loader=Changed(fullname, where, self._mutant))


class Begun:
    """A pytest plugin of a child: says which test begins, bounds it, and ends the process at the first failure, or after enough.

    Attributes:
        tests: those to run, in this order.
    """

    def __init__(self, tests: list[str], enough_s: float, told: int) -> None:
        self.tests, self._told, self._count, self._since, self._enough_s = tests, told, 0, 0.0, enough_s

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Where a child collects again."""
        there = {one.nodeid: one for one in items}
        items[:] = [there[one] for one in self.tests]

    def pytest_runtest_logstart(self) -> None:
        """One more begins."""
        self._since = self._since or time.process_time()
        if time.process_time() - self._since > self._enough_s:
            os._exit(0)
        self._count += 1
        os.pwrite(self._told, self._count.to_bytes(WORD, "big"), 0)
        signal.alarm(LIMIT_S)
        signal.setitimer(signal.ITIMER_PROF, LIMIT_CPU_S)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> None:
        """The first failure is enough. To put it into words would take longer than the test."""
        if call.excinfo is not None and not isinstance(call.excinfo.value, pytest.skip.Exception):
            os._exit(1)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Nor is there anything to run where a file cannot be imported."""
        if report.failed:
            os._exit(1)


class Worker:
    """A pytest plugin in place of its loop over the tests."""

    def __init__(self, jobs: Any, say: Callable[[Any], None], entered: Entered) -> None:
        self._jobs, self._say, self._entered = jobs, say, entered

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """What needs the emulator is left to others."""
        items[:] = [one for one in items if not one.name.endswith("[dynamodb]")]

    def pytest_collection_finish(self) -> None:
        """From here on nothing is imported that tests would share."""
        sys.settrace(None)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Answer jobs until there are no more."""
        items = {one.nodeid: one for one in session.items}
        functions, passes = Functions(self._entered.functions()), set[str]()
        gc.disable()  # a child lives for seconds
        for line in self._jobs:
            job = json.loads(line)
            if "files" in job:
                self._say(files_of([*items]))
            elif "cover" in job:
                wanted = {*job["among"]}
                tests = [one for one in items if one.partition("::")[0] in wanted]
                self._say(in_child(partial(cover, tests, Path(job["cover"])))[0])
            else:
                told = answer(session, items, functions, job)
                by = {told["by"]} - {"", *passes}
                passes |= {one for one in by if in_child(partial(tried, session, items, _unchanged, [one], LIMIT_S))[0]}
                self._say(told | {"fails_anyway": [*by - passes]})
        return True


def answer(
    session: pytest.Session, items: dict[str, pytest.Item], functions: Functions, job: dict[str, Any]
) -> dict[str, Any]:
    """Whether a mutant survives, and which test noticed it. What cannot be planted or asked is told, not taken for noticed."""
    made = Planted(**job["planted"]) if "planted" in job else Mutant(**job["mutant"])
    tests = named(items, job["tests"])
    change = functions.change(made) if isinstance(made, Mutant) and made.function else None
    if change is None:
        made.tree((CHECKOUT / made.path).read_text())
    for some in (tests,) if change else in_two(tests):
        passed, begun = in_child(partial(tried, session, items, change or made, some, job["enough_s"]))
        if not passed:
            return {"survives": False, "by": some[max(begun, 1) - 1]}
    return {"survives": True, "by": ""}


def _unchanged() -> None:
    """What a test has to pass on, for its failure to say anything."""


def in_two(tests: list[str]) -> list[list[str]]:
    """Those of the first few files, then the others, if there are any."""
    first = {*files_of(tests)[:FILES_FIRST]}
    both = [[one for one in tests if (one.partition("::")[0] in first) is now] for now in (True, False)]
    return [some for some in both if some]


def named(collected: dict[str, pytest.Item], tests: list[str]) -> list[str]:
    """These tests; a file or a function stands for all of its own. Raises AssertionError for one that is not there."""
    found: list[str] = []
    for test in tests:
        own = (f"{test}::", f"{test}[")
        these = [test] if test in collected else [one for one in collected if one.startswith(own)]
        assert these, f"no test {test}"
        found += these
    return found


def in_child(work: Callable[[int], int]) -> tuple[bool, int]:
    """Do something in a child: whether it ended well, and how many tests had begun."""
    told = os.memfd_create("begun")
    child = os.fork()
    if child == 0:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        os._exit(work(told))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    begun = int.from_bytes(os.pread(told, WORD, 0), "big")
    os.close(told)
    return code == 0, begun


def cover(tests: list[str], file: Path, _: int) -> int:
    """Run tests once without any mutant, on a product with marks, and write down which of them run which statement."""
    forget_the_house()
    marks = Marks()
    marks.begin()
    watching = Watching(marks, set(tests))
    pytest.main([*OPTIONS, *files_of(tests)], plugins=[watching])
    told = {"failed": watching.failed, "tests": watching.tests, "took": watching.took, "imported": [*watching.imported]}
    file.write_text(json.dumps(told))
    return 0


def forget_the_house() -> None:
    """Whatever is imported from here on is imported anew; also from folders that are packages without a file of their own."""
    for name in [name for name, one in sys.modules.items() if any(where.startswith(HOUSE) for where in _places(one))]:
        del sys.modules[name]


def _places(module: types.ModuleType) -> list[str]:
    return [str(getattr(module, "__file__", "")), *map(str, getattr(module, "__path__", ()))]


def files_of(tests: list[str]) -> list[str]:
    """The files that these tests stand in."""
    return list(dict.fromkeys(one.partition("::")[0] for one in tests))


def tried(
    session: pytest.Session,
    items: dict[str, pytest.Item],
    made: Callable[[], None] | Mutant | Planted,
    tests: list[str],
    enough_s: float,
    told: int,
) -> int:
    """Run tests on a change that is made in place, or on what is imported anew with one; 0 when all of them pass, or those that
    could be asked in `enough_s` seconds of CPU."""
    for bound in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(bound, signal.SIG_DFL)
    begun = Begun(tests, enough_s, told)
    if not isinstance(made, Mutant | Planted):
        made()
        session.config.pluginmanager.register(begun)
        run(session, [items[one] for one in tests])
        return 0
    forget_the_house()
    sys.meta_path.insert(0, Finder(module_of(made.path), made))
    return int(pytest.main([*OPTIONS, *files_of(tests)], plugins=[begun]))


def main() -> int:
    """Collect, and answer on what was stdin and stdout; what pytest and the tests say is for nobody."""
    jobs, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

    def say(answer: Any) -> None:
        print(json.dumps(answer), file=answers, flush=True)

    with Entered() as entered:
        for name in LATE:
            importlib.import_module(f"placet.{name}")
        return int(pytest.main([*OPTIONS, *sys.argv[1:]], plugins=[Worker(jobs, say, entered)]))


if __name__ == "__main__":
    sys.exit(main())
