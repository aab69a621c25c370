"""Which tests enter which function: `python -m tests.proofs.mutating.covering FILE TESTS…` runs them once and writes it down."""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).parents[3]
WATCHED = str(CHECKOUT / "layers" / "core" / "python" / "placet")


class Watching:
    """A pytest plugin: notes the functions that each test enters, and how long it takes."""

    def __init__(self) -> None:
        self.tests: dict[str, set[str]] = defaultdict(set)
        self.took: dict[str, float] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Any:
        """Around one test, its fixtures included."""
        entered: set[str] = set()

        def note(frame: Any, event: str, _: Any) -> None:
            if event == "call" and frame.f_code.co_filename.startswith(WATCHED):
                entered.add(f"{frame.f_code.co_filename}:{frame.f_code.co_firstlineno}")

        began = time.monotonic()
        sys.setprofile(note)
        yield
        sys.setprofile(None)
        self.took[item.nodeid] = time.monotonic() - began
        for function in entered:
            self.tests[str(Path(function).relative_to(CHECKOUT))].add(item.nodeid)


def main() -> int:
    """Run, and write tests by function, quickest first."""
    watching = Watching()
    code = pytest.main([*sys.argv[2:], "-q", "-p", "no:cacheprovider", "--no-header"], plugins=[watching])
    quickest = {
        function: sorted(tests, key=lambda test: watching.took[test]) for function, tests in watching.tests.items()
    }
    Path(sys.argv[1]).write_text(json.dumps(quickest))
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
