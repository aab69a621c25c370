"""Every test of the verbs in tests/unit, collected here once more under this folder's gateway."""

import ast
import importlib
from pathlib import Path

from placet.model.states import Verdict
from tests.gateway import REFUND, Gateway

UNIT = Path(__file__).parents[2] / "unit"


# Those that take the gateway of their folder; a file with one of its own would bring it along.
TEXTS = {path: path.read_text() for path in sorted(UNIT.glob("test_*.py"))}
FILES = [path for path, text in TEXTS.items() if "gateway: Gateway" in text and "def gateway(" not in text]
for _path in FILES:
    _found = vars(importlib.import_module(f"tests.unit.{_path.stem}"))
    globals().update(
        {name: value for name, value in _found.items() if not name.startswith("_")}
        | {"UNIT": UNIT, "FILES": FILES, "TEXTS": TEXTS}
    )


def test_nothing_is_hidden_by_a_test_of_the_same_name() -> None:
    assert len(FILES) > 40
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
