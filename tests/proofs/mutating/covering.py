"""Which tests run which statement, and which functions run while modules are imported."""

from __future__ import annotations

import sys
import time
import types
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.proofs.mutating.marking import CHECKOUT, WATCHED, Marks


class Entered:
    """The functions of the product that are entered while it watches."""

    def __init__(self) -> None:
        self._codes: dict[int, types.CodeType] = {}

    def __enter__(self) -> Entered:
        sys.settrace(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _note(self, frame: types.FrameType, *_: object) -> None:
        """Calls only: without a tracer of its own a function is not followed by line."""
        self._codes[id(frame.f_code)] = frame.f_code

    def functions(self) -> set[str]:
        """Each as file and first line, which is what a mutant knows of its own."""
        ours = [code for code in self._codes.values() if code.co_filename.startswith(str(WATCHED))]
        return {f"{Path(code.co_filename).relative_to(CHECKOUT)}:{code.co_firstlineno}" for code in ours}


class Watching:
    """A pytest plugin: notes the statements that run while modules are imported and in each test, and how long each takes.

    Attributes:
        imported: marks of what runs at import; took: seconds by test; tests: by mark, the places of its tests in that order;
            failed: what a test said that failed.
    """

    def __init__(self, marks: Marks, wanted: set[str]) -> None:
        self._marks, self._wanted = marks, wanted
        self.imported: set[str] = set()
        self.tests: dict[str, list[int]] = defaultdict(list)
        self.took: dict[str, float] = {}
        self.failed: list[str] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Those that are asked of this process, and no others of their files."""
        items[:] = [one for one in items if one.nodeid in self._wanted]

    def pytest_collection_finish(self) -> None:
        """What ran until now was no test."""
        self.imported = self._marks.taken()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Any:
        """Around one test, its fixtures included."""
        self._marks.taken()
        began = time.process_time()
        yield
        self.took[item.nodeid] = time.process_time() - began
        for mark in self._marks.taken():
            self.tests[mark].append(len(self.took) - 1)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """A test that fails without any mutant says nothing about one."""
        self.failed += [f"{report.nodeid}\n{report.longreprtext}"] if report.failed else []


def run(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Run tests one after the other."""
    for item, after in zip(items, [*items[1:], None], strict=True):
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
