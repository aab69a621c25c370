"""What a function of the product calls, in its order, read from its source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path


@cache
def file_of(path: Path) -> File:
    """A file, parsed once."""
    return File(ast.parse(path.read_text()))


class File:
    """One file: what it defines, and what each of that leads to."""

    def __init__(self, tree: ast.Module) -> None:
        self._own = {name: node for node in tree.body for name in _names(node)}
        self._inner = {
            f"{outer}.{node.name}": node
            for outer, body in self._own.items()
            for node in getattr(body, "body", ())
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }

    def __contains__(self, name: str) -> bool:
        """Whether it defines `name` or `Class.method`, not only imports it."""
        return name in self._own or name in self._inner

    def used_by(self, name: str) -> list[str]:
        """Every name that `name` leads to, in the order of the source: what else this file defines is gone into where it is used,
        once, and what is only made there to be called later comes last."""
        return list(self._walk(self._inner.get(name) or self._own[name], name.partition(".")[0], set()))

    def _walk(self, node: ast.AST, outer: str, seen: set[ast.AST]) -> Iterator[str]:
        seen.add(node)
        later: list[ast.AST] = []
        for child in ast.iter_child_nodes(node):
            yield from self._of(child, outer, seen, later)
        for made in later:
            yield from self._walk(made, outer, seen)

    def _of(self, node: ast.AST, outer: str, seen: set[ast.AST], later: list[ast.AST]) -> Iterator[str]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            later.append(node)
            return
        named = ""
        if isinstance(node, ast.Name):
            named, found = node.id, self._own.get(node.id)
        elif isinstance(node, ast.Attribute):
            named, found = node.attr, self._inner.get(f"{outer}.{node.attr}") if _is_self(node.value) else None
        if not named:
            for child in ast.iter_child_nodes(node):
                yield from self._of(child, outer, seen, later)
            return
        if isinstance(node, ast.Attribute):
            yield from self._of(node.value, outer, seen, later)
        yield named
        if found is not None and found not in seen:
            yield from self._walk(found, outer if isinstance(node, ast.Attribute) else named, seen)


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _names(node: ast.stmt) -> list[str]:
    targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
    return [node.name] if hasattr(node, "name") else [ast.unparse(one) for one in targets]
