"""Every test of the verbs in tests/unit, collected here once more under this folder's gateway."""

import ast
import importlib
from pathlib import Path

from placet.model.states import Verdict
from tests.gateway import REFUND, Gateway

UNIT = Path(__file__).parents[2] / "unit"


GATEWAYS = {"gateway", "house"}  # of their folder; a file with one of its own would bring it along


def takes_a_gateway(path: Path) -> bool:
    """Whether a file's tests, or what they stand on, ask their folder for one."""
    functions = [one for one in ast.parse(path.read_text()).body if isinstance(one, ast.FunctionDef)]
    given = {arg.arg for one in functions for arg in one.args.args}
    return bool(given & GATEWAYS) and not {one.name for one in functions} & GATEWAYS


FILES = [path for path in sorted(UNIT.glob("test_*.py")) if takes_a_gateway(path)]
for _path in FILES:
    _found = vars(importlib.import_module(f"tests.unit.{_path.stem}"))
    globals().update(
        {name: value for name, value in _found.items() if not name.startswith("_")} | {"UNIT": UNIT, "FILES": FILES}
    )


def test_nothing_is_hidden_by_a_test_of_the_same_name() -> None:
    assert len(FILES) > 70
    names = [
        one.name
        for path in FILES
        for one in ast.parse(path.read_text()).body
        if isinstance(one, ast.FunctionDef) and one.name.startswith("test_")
    ]
    assert len(names) == len(set(names))
    assert set(names) <= set(globals())


def test_writes_do_conflict_here(gateway: Gateway) -> None:
    for number in range(20):
        gateway.decide(gateway.shown(REFUND, checkpoint=f"cp-{number}"), 1, Verdict.ACCEPT)
    assert gateway.table.conflicts > 10
