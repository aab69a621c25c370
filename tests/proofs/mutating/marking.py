"""Which statements of the product run: its modules are imported with a mark before each statement of their functions."""

from __future__ import annotations

import ast
import builtins
import importlib.machinery
import sys
import types
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).parents[3]
WATCHED = CHECKOUT / "layers" / "core" / "python" / "placet"
MARKS = "__marks__"  # a name that every module finds, and that no class makes its own


class Marks:
    """What was marked since it was asked last: `path:line` of a statement, `path:line()` of a function that was entered."""

    def __init__(self) -> None:
        self._found: dict[str, None] = {}

    def begin(self) -> None:
        """From here on the product is imported with marks."""
        setattr(builtins, MARKS, self._found)
        sys.meta_path.insert(0, Marker())

    def taken(self) -> set[str]:
        """What was marked; it is forgotten."""
        found = set(self._found)
        self._found.clear()
        return found


class Marker:
    """Finds the modules of the product before everybody else does."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        """A module's spec, with a loader that marks it."""
        if fullname.partition(".")[0] != WATCHED.name:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = Marked(fullname, spec.loader.path)
        return spec


class Marked(importlib.machinery.SourceFileLoader):
    """Loads a module with its marks."""

    def get_code(self, fullname: str) -> types.CodeType:
        """The code with its marks."""
        where = Path(self.path)
        return compile(marked(str(where.relative_to(CHECKOUT)), where.read_text()), self.path, "exec")


def marked(path: str, source: str) -> ast.Module:
    """The source with a mark at the beginning of each function, and before each statement in one."""
    tree = ast.parse(source)
    inside = {
        id(inner): inner for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for inner in ast.walk(node)
    }
    for node in inside.values():
        for name in ("body", "orelse", "finalbody"):
            suite = getattr(node, name, None)
            if isinstance(suite, list):
                setattr(node, name, [one for each in suite for one in _with_mark(path, each)])
        if isinstance(node, ast.FunctionDef):
            at = 1 if _says_nothing(node.body[0]) else 0
            node.body.insert(at, _mark(f"{path}:{first_line(node)}()", node.body[0]))
    return ast.fix_missing_locations(tree)


def first_line(function: ast.FunctionDef) -> int:
    """Where a function begins, as its code says: at its first decorator."""
    return min([function.lineno, *(one.lineno for one in function.decorator_list)])


def _with_mark(path: str, statement: ast.stmt) -> list[ast.stmt]:
    return [statement] if _says_nothing(statement) else [_mark(f"{path}:{statement.lineno}", statement), statement]


def _says_nothing(statement: ast.stmt) -> bool:
    """Whether it is a docstring, which has to stay the first."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _mark(key: str, before: ast.stmt) -> ast.stmt:
    made = ast.parse(f"{MARKS}[{key!r}] = None").body[0]
    for node in ast.walk(made):
        ast.copy_location(node, before)
    return made
