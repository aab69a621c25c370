"""Whatever lists a pause as stuck has words for an operator, and no words stand there for nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import placet
from placet.service.operate import REASONS

CORE = Path(placet.__file__).parent
LISTING = {"list_stuck", "with_unknown"}  # the reason is their third argument


def trees() -> Iterator[ast.Module]:
    """Everything but the list itself."""
    for path in CORE.rglob("*.py"):
        if path != CORE / "service/operate.py":
            yield ast.parse(path.read_text())


def texts(node: ast.AST) -> set[str]:
    return {one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)}


def named(tree: ast.Module) -> set[str]:
    """The reasons that are handed to what lists, as they stand there."""
    calls = [one for one in ast.walk(tree) if isinstance(one, ast.Call) and len(one.args) >= 3]
    return {
        text
        for one in calls
        if (one.func.attr if isinstance(one.func, ast.Attribute) else getattr(one.func, "id", "")) in LISTING
        for text in texts(one.args[2])
    }


def test_every_reason_that_is_written_has_words() -> None:
    found = set().union(*map(named, trees()))
    assert {"agent_gone", "not_picked_up", "resume_failed", "restored_permits"} <= found
    assert found <= set(REASONS)


def test_every_reason_with_words_is_written_somewhere() -> None:
    machine = (ast.parse(path.read_text()) for path in (CORE.parents[3] / "infra").rglob("*.py"))
    assert set(REASONS) <= set().union(*map(texts, (*trees(), *machine)))


def test_a_reason_without_words_would_be_seen() -> None:
    assert named(ast.parse('list_stuck(ports, head, "a" if lost else "b")')) == {"a", "b"}
    assert named(ast.parse('swept.listed += writes.list_stuck(keys, head, "c", now)')) == {"c"}
