"""Runs unit tests against one mutant at a time, each in a forked child that imports the changed source.

`python -m tests.proofs.mutating.worker`: jobs come as lines of JSON on stdin, verdicts go as lines to stdout.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import os
import signal
import sys
import types
from pathlib import Path
from typing import Any

import hypothesis
import jsonschema
import pydantic
import pytest

from tests.proofs.mutating.changes import Mutant, Planted

CHECKOUT = Path(__file__).parents[3]
LIMIT_S = 60
PRELOADED = (hypothesis, jsonschema, pydantic)  # imported once, for all children
OPTIONS = ["-x", "-q", "-p", "no:cacheprovider", "--no-header", "-W", "ignore"]


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


def module_of(path: str) -> str:
    """The dotted name of a file of the package."""
    return path.partition("python/")[2].removesuffix(".py").replace("/", ".")


def survives(mutant: Mutant | Planted, tests: list[str]) -> bool:
    """Whether every one of these tests passes on the mutant."""
    child = os.fork()
    if child == 0:
        os._exit(_run(mutant, tests))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _run(mutant: Mutant | Planted, tests: list[str]) -> int:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(LIMIT_S)  # a mutant that does not end is dead too
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    for name in [name for name in sys.modules if name.partition(".")[0] in ("placet", "tests", "placet_policy")]:
        del sys.modules[name]
    sys.meta_path.insert(0, Finder(module_of(mutant.path), mutant))
    return int(pytest.main([*OPTIONS, *tests]))


def main() -> None:
    """Answer jobs until there are no more."""
    for line in sys.stdin:
        job = json.loads(line)
        made = Planted(**job["planted"]) if "planted" in job else Mutant(**job["mutant"])
        made.tree(
            (CHECKOUT / made.path).read_text()
        )  # a bug that cannot be planted is told here, not taken for noticed
        print(json.dumps({"survives": survives(made, job["tests"])}), flush=True)


if __name__ == "__main__":
    main()
