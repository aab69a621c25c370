"""Which named clauses every write of `placet.records.writes` carries, read from its source."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path

from placet.records import writes


@dataclass
class _Function:
    """One function of the package: the clauses it names, and the functions it calls."""

    returns: str
    clauses: set[str] = field(default_factory=set)
    calls: set[str] = field(default_factory=set)


def clauses_of_writes() -> dict[str, set[str]]:
    """The clauses of each write, by the write's name."""
    functions: dict[str, _Function] = {}
    for path in Path(writes.__file__).parent.glob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                functions[node.name] = _read(node)
    made = {
        name: one for name, one in functions.items() if name in writes.__all__ and one.returns in ("list[Op]", "Put")
    }
    return {name: _with_called(name, functions, set()) for name in made}


def _read(node: ast.FunctionDef) -> _Function:
    found = _Function(ast.unparse(node.returns) if node.returns else "")
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and inner.value.id == "c":
            found.clauses.add(inner.attr)
        elif isinstance(inner, ast.Attribute) and inner.attr == "clauses":  # a move in the work index brings its own
            found.clauses.add("as_listed")
        elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name):
            found.calls.add(inner.func.id)
    found.clauses.discard("Clause")
    return found


def _with_called(name: str, functions: dict[str, _Function], seen: set[str]) -> set[str]:
    seen.add(name)
    one = functions[name]
    inner = (
        _with_called(called, functions, seen) for called in one.calls if called in functions and called not in seen
    )
    return one.clauses.union(*inner)
