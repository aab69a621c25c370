"""Which tests enter which function, and which functions run while modules are imported."""

from __future__ import annotations

import sys
import time
import types
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).parents[3]
WATCHED = str(CHECKOUT / "layers" / "core" / "python" / "placet")


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
        ours = [code for code in self._codes.values() if code.co_filename.startswith(WATCHED)]
        return {f"{Path(code.co_filename).relative_to(CHECKOUT)}:{code.co_firstlineno}" for code in ours}


class Watching:
    """A pytest plugin: notes the functions that each test enters, how long it takes, and whether it failed."""

    def __init__(self) -> None:
        self._tests: dict[str, set[str]] = defaultdict(set)
        self._took: dict[str, float] = {}
        self.failed: list[str] = []

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Any:
        """Around one test, its fixtures included."""
        began = time.process_time()
        with Entered() as entered:
            yield
        self._took[item.nodeid] = time.process_time() - began
        for function in entered.functions():
            self._tests[function].add(item.nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """A test that fails without any mutant says nothing about one."""
        self.failed += [f"{report.nodeid}\n{report.longreprtext}"] if report.failed else []

    def quickest(self) -> dict[str, list[str]]:
        """Tests by function, the quickest first."""
        return {
            function: sorted(tests, key=lambda test: (self._took[test], test))
            for function, tests in self._tests.items()
        }


def run(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Run tests one after the other."""
    for item, after in zip(items, [*items[1:], None], strict=True):
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
