"""Which named clauses each write carries, read from the source of `placet.records.writes` and `placet.records.clauses`."""

from __future__ import annotations

import ast
import functools
import inspect
from dataclasses import dataclass, field
from pathlib import Path

from placet.records import clauses, writes


@dataclass
class _Function:
    """The clause constructors that a function names, and what else of the package it uses."""

    made: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)


@functools.cache
def builders() -> tuple[str, ...]:
    """Names of the functions that build a write."""
    found = [name for name in writes.__all__ if inspect.isfunction(getattr(writes, name))]
    return tuple(name for name in found if inspect.signature(getattr(writes, name)).return_annotation == "list[Op]")


def pairs_in_the_code() -> set[tuple[str, str]]:
    """(write, clause) for every clause that a write can carry."""
    names = _names_of_constructors()
    return {(write, clause) for write, made in constructors_in_the_code() for clause in names[made]}


def constructors_in_the_code() -> set[tuple[str, str]]:
    """(write, constructor) for every constructor of clauses that a write can reach: what docs/data-model.md names."""
    functions = _functions()
    return {(write, made) for write in builders() for made in _reached(write, functions, set())}


def _names_of_constructors() -> dict[str, set[str]]:
    """The names of the clauses that each constructor of `placet.records.clauses` makes."""
    found = {}
    for path in Path(clauses.__file__).parent.glob("*.py"):
        for node in (one for one in ast.parse(path.read_text()).body if isinstance(one, ast.FunctionDef)):
            calls = [one for one in ast.walk(node) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)]
            first = [one.args[0] for one in calls if one.func.id in ("clause", "Clause") and one.args]  # type: ignore[attr-defined]
            found[node.name] = {one.value for one in first if isinstance(one, ast.Constant)}
    return {name: made for name, made in found.items() if made}


def _functions() -> dict[str, _Function]:
    """Functions and methods of the package of writes, by name."""
    found: dict[str, _Function] = {}
    for path in Path(writes.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                found[node.name] = _read(node)
    return found


def _read(node: ast.FunctionDef) -> _Function:
    found = _Function()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and inner.value.id == "c":
            found.made.add(inner.attr)
        elif isinstance(inner, ast.Attribute):
            found.used.add(inner.attr)
        elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name):
            found.used.add(inner.func.id)
    found.made.discard("Clause")
    return found


def _reached(name: str, functions: dict[str, _Function], seen: set[str]) -> set[str]:
    seen.add(name)
    made = set(functions[name].made)
    for used in functions[name].used:
        if used in functions and used not in seen and used not in builders():
            made |= _reached(used, functions, seen)
    return made
