"""A mutant in modules that are imported already: the code of one function is replaced by the changed one."""

from __future__ import annotations

import gc
import importlib
import sys
import types
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.proofs.mutating.changes import Mutant
from tests.proofs.mutating.covering import Entered
from tests.proofs.mutating.marking import CHECKOUT


def module_of(path: str) -> str:
    """The dotted name of a file of the package."""
    return path.partition("python/")[2].removesuffix(".py").replace("/", ".")


class Functions:
    """The functions that live in this process, by file."""

    def __init__(self, at_import: set[str]) -> None:
        self._live: dict[str, list[types.FunctionType]] = {}  # by the file of their code
        self._code: dict[str, types.CodeType] = {}
        self._at_import = at_import

    def swap(self, mutant: Mutant) -> bool:
        """Change the code in place; False when that is not the mutant: what an import computed would stay as it was."""
        found = self.change(mutant)
        if found is not None:
            found()
        return found is not None

    def change(self, mutant: Mutant) -> Callable[[], None] | None:
        """What changes the code in place; None when that is not the mutant."""
        live = self.of(mutant.path)
        before = _around(self._code[mutant.path], mutant.function)
        after = _around(self._compiled(mutant.path, mutant), mutant.function)
        ran = {f"{mutant.path}:{first}" for first in (mutant.function, before.co_firstlineno if before else 0)}
        if before is None or after is None or before == after or ran & self._at_import:
            return None
        found = [one for one in live if one.__code__ == before]
        if not found or before.co_freevars != after.co_freevars:
            return None

        def made() -> None:
            for one in found:
                one.__code__ = after

        return made

    def _compiled(self, path: str, mutant: Mutant | None = None) -> types.CodeType:
        where = str(CHECKOUT / path)
        source = Path(where).read_text()
        return compile(mutant.tree(source) if mutant else source, where, "exec")

    def of(self, path: str) -> list[types.FunctionType]:
        """Those of a file; it is imported when no test has done so yet."""
        if module_of(path) not in sys.modules or not self._live:
            with Entered() as entered:
                importlib.import_module(module_of(path))
            self._at_import |= entered.functions()
            self._look()
        if path not in self._code:
            self._code[path] = self._compiled(path)
        return self._live[str(CHECKOUT / path)]

    def _look(self) -> None:
        """Find all that live. What is frozen is not among the objects that are told; frozen no child copies what it looks at."""
        gc.unfreeze()
        self._live = defaultdict(list)
        for one in gc.get_objects():
            if isinstance(one, types.FunctionType):
                self._live[one.__code__.co_filename].append(one)
        gc.freeze()


def _around(module: types.CodeType, function: int) -> types.CodeType | None:
    """The outermost function around one that begins at a line."""
    return next((one for one in _outermost(module) if any(_begins(one, function))), None)


def _outermost(code: types.CodeType) -> Iterator[types.CodeType]:
    for one in _inside(code):
        if one.co_flags & 0x2:  # CO_NEWLOCALS: a function; a class's body has none
            yield one
        else:
            yield from _outermost(one)


def _begins(code: types.CodeType, function: int) -> Iterator[bool]:
    yield code.co_firstlineno == function and not code.co_name.startswith("<")
    for one in _inside(code):
        yield from _begins(one, function)


def _inside(code: types.CodeType) -> list[types.CodeType]:
    return [one for one in code.co_consts if isinstance(one, types.CodeType)]
