"""The small changes: each is one place of one file, named by its line, applied to a fresh syntax tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.proofs.mutating.marking import first_line

# A name that code compares or stores; sentences for people are not mutated.
NAME = re.compile(r"[a-z0-9_#.]*[a-z_][a-z0-9_#.]*")

# What returns nothing already, or is turned round as a truth value of its own: None in place of False changes no condition.
NOTHING = ("return", "return None", "return False", "return True")

# What the checker of types holds: it refuses an assignment to a frozen value, and a variable of types is nothing else.
FROZEN = "dataclass(frozen=True)"
TYPES = ("TypeVar",)

COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ADDED: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add}


@dataclass(frozen=True)
class Mutant:
    """One change.

    Attributes:
        path: of the file, from the checkout.
        line: where.
        what: the change in words.
        function: first line of the function around it, 0 for the module itself.
        statement: first line of the innermost statement around it that is in a function's body, 0 where there is none.
        node, number: which change of which node.
    """

    path: str
    line: int
    what: str
    function: int
    statement: int
    node: int
    number: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}"

    def tree(self, source: str) -> ast.Module:
        """The changed source."""
        return mutated(self, source)


@dataclass(frozen=True)
class Planted:
    """A bug that somebody thought of: other lines in place of these."""

    path: str
    before: str
    after: str

    def tree(self, source: str) -> ast.Module:
        """The source with the bug. Raises AssertionError when it has not these lines exactly once."""
        assert source.count(self.before) == 1, f"{self.path} does not have {self.before!r} once"
        return ast.parse(source.replace(self.before, self.after))


Change = tuple[str, Callable[[], object]]


def mutants(path: str, source: str) -> list[Mutant]:
    """Every mutant of a file."""
    tree = ast.parse(source)
    functions, statements, quiet = _functions(tree), _statements(tree), _quiet(tree)
    found = []
    for index, node in enumerate(ast.walk(tree)):
        if id(node) in quiet:
            continue
        for number, ((what, _), at) in enumerate(_places(node)):
            function, statement = functions.get(id(node), 0), statements.get(id(at), 0)
            found.append(Mutant(path, _line(at), what, function, statement, index, number))
    return found


def mutated(mutant: Mutant, source: str) -> ast.Module:
    """The changed tree."""
    tree = ast.parse(source)
    node = next(one for index, one in enumerate(ast.walk(tree)) if index == mutant.node)
    (_, change), _ = list(_places(node))[mutant.number]
    change()
    return ast.fix_missing_locations(tree)


def _line(node: ast.AST) -> int:
    return int(getattr(node.target if isinstance(node, ast.comprehension) else node, "lineno", 1))


def _functions(tree: ast.Module) -> dict[int, int]:
    """First line of the innermost function around each node."""
    found: dict[int, int] = {}
    for node in ast.walk(tree):  # outer ones come first, inner ones overwrite
        if isinstance(node, ast.FunctionDef):
            found |= {id(inner): first_line(node) for inner in ast.walk(node)}
    return found


def _statements(tree: ast.Module) -> dict[int, int]:
    """First line of the innermost statement around each node, where that is in the body of a function."""
    found: dict[int, int] = {}
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        for statement in function.body:
            for node in ast.walk(statement):  # outer ones come first, inner ones overwrite
                if isinstance(node, ast.stmt):
                    found |= {id(inner): node.lineno for inner in ast.walk(node)}
    return found


def _quiet(tree: ast.Module) -> set[int]:
    """Nodes that no test could notice: annotations and what else is for the checker of types, docstrings, what is exported."""
    found: set[int] = set()
    for node in ast.walk(tree):
        parts: list[ast.AST] = []
        if isinstance(node, ast.ClassDef):
            parts += [one for one in node.decorator_list if ast.unparse(one) == FROZEN]
        elif isinstance(node, ast.FunctionDef):
            given = [*node.args.args, *node.args.kwonlyargs]
            parts += [one.annotation for one in given if one.annotation] + ([node.returns] if node.returns else [])
            parts += node.decorator_list
        elif isinstance(node, ast.AnnAssign):
            parts.append(node.annotation)
        elif _says_nothing(node):
            parts.append(node)
        found |= {id(inner) for part in parts for inner in ast.walk(part)}
    return found


def _says_nothing(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign):
        typed = isinstance(node.value, ast.Call) and ast.unparse(node.value.func) in TYPES
        return typed or ast.unparse(node.targets[0]) in ("__all__", "Operator", "Path")
    return isinstance(node, ast.Import | ast.ImportFrom)


def _places(node: ast.AST) -> Iterator[tuple[Change, ast.AST]]:
    """Every change of a node, with what it changes: the node, or one statement in it."""
    for change in _changes(node):
        yield change, node
    yield from _statements_gone(node)


def _changes(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Compare):
        yield from _compare(node)
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield f"{_word(node.op)} becomes {_word(other)}", lambda: setattr(node, "op", other)
    elif isinstance(node, ast.Constant):
        yield from _constant(node)
    elif isinstance(node, ast.BinOp) and type(node.op) in ADDED:
        plus = ADDED[type(node.op)]()
        yield f"{_word(node.op)} becomes {_word(plus)}", lambda: setattr(node, "op", plus)
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        swapped = ast.UnaryOp(ast.Not(), node.test)
        yield "the condition is turned round", lambda: setattr(node, "test", swapped)
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield "the filter is gone", lambda: setattr(node, "ifs", [])
    elif isinstance(node, ast.Dict):
        yield from _dict(node)
    elif isinstance(node, ast.List):
        yield from _elements(node.elts, lambda one: f"without {ast.unparse(one)[:60]}")
    elif isinstance(node, ast.Return) and ast.unparse(node) not in NOTHING:
        yield "nothing is returned", lambda: setattr(node, "value", ast.Constant(None))


def _compare(node: ast.Compare) -> Iterator[Change]:
    """One operator of what may be a chain of them."""
    for at, op in enumerate(node.ops):
        for other in COMPARED.get(type(op), ()):
            yield f"{_word(op)} becomes {_word(other())}", lambda at=at, other=other: node.ops.__setitem__(at, other())


def _constant(node: ast.Constant) -> Iterator[Change]:
    value = node.value
    if isinstance(value, bool):
        yield f"{value} becomes {not value}", lambda: setattr(node, "value", not value)
    elif isinstance(value, int):
        yield f"{value} becomes {value + 1}", lambda: setattr(node, "value", value + 1)
    elif isinstance(value, str) and NAME.fullmatch(value):
        yield f"{value!r} becomes another text", lambda: setattr(node, "value", f"x{value}")


def _dict(node: ast.Dict) -> Iterator[Change]:
    for at in range(len(node.values)):

        def gone(at: int = at) -> None:
            del node.keys[at], node.values[at]

        key = node.keys[at]
        yield f"without {ast.unparse(key if key is not None else node.values[at])[:60]}", gone


def _elements(elements: list[ast.expr], what: Callable[[ast.expr], str]) -> Iterator[Change]:
    for at in range(len(elements)):
        yield what(elements[at]), lambda at=at: elements.pop(at)


def _statements_gone(node: ast.AST) -> Iterator[tuple[Change, ast.AST]]:
    """Statements whose absence would still be a program."""
    for name in ("body", "orelse"):
        inner = getattr(node, name, None)
        for at, one in enumerate(inner if isinstance(inner, list) else []):
            calls = isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)
            if calls or isinstance(one, ast.AugAssign | ast.Raise | ast.Continue):
                instead = ast.copy_location(ast.Pass(), one)
                what = f"gone: {ast.unparse(one).splitlines()[0][:60]}"
                yield (what, lambda inner=inner, at=at, instead=instead: inner.__setitem__(at, instead)), one


def _word(operator: ast.AST) -> str:
    return type(operator).__name__
