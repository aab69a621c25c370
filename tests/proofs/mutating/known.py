"""What earlier runs found, so that a run asks anew only what may have changed since.

A mutant is known by the text of its function. It is noticed still when the file of the test that noticed it is as it was, and
survives still when the same tests of files that are as they were are all that run it.
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.proofs.mutating.changes import Mutant
from tests.proofs.mutating.marking import CHECKOUT, first_line

RECORD = CHECKOUT / ".placet" / "mutants.json"


class Known:
    """The record of mutants, in a file; without one nothing is known and nothing is kept."""

    def __init__(self, mutants: Iterable[Mutant] = (), file: Path | None = None) -> None:
        self._file, self._keys = file, keys(mutants)
        self._found: dict[str, dict[str, str]] = {}
        if file is not None and file.exists():
            self._found = json.loads(file.read_text())

    def noticed_by(self, mutant: Mutant) -> str:
        """The test that noticed it, if it would still; empty when that is not known."""
        told = self._of(mutant)
        test = told.get("by", "")
        return test if test and told["of"] == _files([test]) else ""

    def survives(self, mutant: Mutant, tests: list[str]) -> bool:
        """Whether it survived exactly these tests."""
        told = self._of(mutant)
        return bool(told) and not told["by"] and told["of"] == _files(tests)

    def first(self, mutant: Mutant) -> list[str]:
        """The test that noticed it once, although its file is another by now."""
        return [one for one in [self._of(mutant).get("by", "")] if one]

    def note(self, mutant: Mutant, by: str, tests: list[str]) -> None:
        """What was found. `by`: the test that noticed it; empty when all of `tests` passed."""
        if mutant in self._keys:
            self._found[self._keys[mutant]] = {"by": by, "of": _files([by] if by else tests)}

    def write(self) -> None:
        """Keep it for the next run."""
        if self._file is None:
            return
        self._file.parent.mkdir(exist_ok=True)
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps(self._found, indent=0))
        new.rename(self._file)

    def _of(self, mutant: Mutant) -> dict[str, str]:
        return self._found.get(self._keys.get(mutant, ""), {})


def keys(mutants: Iterable[Mutant]) -> dict[Mutant, str]:
    """A name for each, that stays when other functions of its file change."""
    found, seen = dict[Mutant, str](), Counter[str]()
    for one in mutants:
        begins, text = _text(one.path, one.line)
        name = f"{one.path} {one.line - begins} {one.what} {sha256(text.encode()).hexdigest()}"
        seen[name] += 1
        found[one] = f"{name} {seen[name]}"
    return found


def _text(path: str, line: int) -> tuple[int, str]:
    """First line and text of the function around a line, else of the statement of the module."""
    around = [one for one in _parts(path) if one[0] <= line <= one[1]]
    begins, _, text = max(around, default=(0, 0, ""))
    return begins, text


@cache
def _parts(path: str) -> list[tuple[int, int, str]]:
    source = (CHECKOUT / path).read_text()
    lines, tree = source.splitlines(), ast.parse(source)
    found = [(first_line(one), _end(one)) for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
    found += [(one.lineno, _end(one)) for one in tree.body if not isinstance(one, ast.FunctionDef)]
    return [(begins, ends, "\n".join(lines[begins - 1 : ends])) for begins, ends in found]


def _end(node: Any) -> int:
    return int(node.end_lineno)


def _files(tests: list[str]) -> str:
    """These tests and the files that they stand in, as they are now."""
    whole = sha256()
    for test in sorted(tests):
        whole.update(f"{test}\n{_digest(test.partition('::')[0])}\n".encode())
    return whole.hexdigest()


@cache
def _digest(file: str) -> str:
    """Of the content of a file; empty when there is no such file any more."""
    path = CHECKOUT / file
    return sha256(path.read_bytes()).hexdigest() if path.exists() else ""
