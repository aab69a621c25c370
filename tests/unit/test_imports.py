"""No module of the package imports, however far around, one that imports it: not even inside a function, or for its types only."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PYTHON = Path(__file__).resolve().parents[2] / "layers/core/python"
Sources = dict[str, str]


@pytest.fixture(scope="module")
def sources() -> Sources:
    found = {}
    for path in sorted((PYTHON / "placet").rglob("*.py")):
        parts = path.relative_to(PYTHON).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path.read_text()
    return found


def _imported(name: str, sources: Sources) -> set[str]:
    """The modules that one imports anywhere in its text; one of a package's own names means the package."""
    found = set()
    for node in ast.walk(ast.parse(sources[name])):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name} imports by a relative name"
            names = {f"{node.module}.{one.name}" for one in node.names}
            found |= {one if one in sources else str(node.module) for one in names}
    return (found & sources.keys()) - {name}


def _cycle(sources: Sources) -> list[str]:
    """The modules of one cycle, the first of them again at the end; none: empty."""
    try:
        TopologicalSorter({name: _imported(name, sources) for name in sources}).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_module_imports_itself_around_others(sources: Sources) -> None:
    assert len(sources) > 300
    assert _cycle(sources) == []


@pytest.mark.parametrize("importer", ["placet.service.bedrock.ledger", "placet.service.execute"])
def test_a_cycle_that_is_hidden_inside_a_function_is_seen(sources: Sources, importer: str) -> None:
    hidden = "\n\ndef _later() -> None:\n    from placet.service import resume\n\n    resume.resume\n"
    cycle = _cycle(sources | {importer: sources[importer] + hidden})
    assert cycle[0] == cycle[-1]
    assert {importer, "placet.service.resume", "placet.service.bedrock.answering"} <= set(cycle)
