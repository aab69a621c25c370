"""Every test of the verbs in tests/unit, collected here once more under this folder's gateway."""

# ruff: noqa: F403 - the point is to collect whatever is there

import ast
from pathlib import Path

from placet.model.states import Verdict
from tests.gateway import REFUND, Gateway
from tests.unit.test_asked_again import *
from tests.unit.test_beside import *
from tests.unit.test_budgets import *
from tests.unit.test_cancel import *
from tests.unit.test_capture import *
from tests.unit.test_claims import *
from tests.unit.test_damaged import *
from tests.unit.test_decide import *
from tests.unit.test_delivering import *
from tests.unit.test_deploys import *
from tests.unit.test_exact_edits import *
from tests.unit.test_going_on import *
from tests.unit.test_invoked import *
from tests.unit.test_keys import *
from tests.unit.test_last_attempt import *
from tests.unit.test_leases import *
from tests.unit.test_limits import *
from tests.unit.test_meanwhile import *
from tests.unit.test_names import *
from tests.unit.test_natural_keys import *
from tests.unit.test_not_run import *
from tests.unit.test_observed import *
from tests.unit.test_pages import *
from tests.unit.test_people import *
from tests.unit.test_readers import *
from tests.unit.test_refusals import *
from tests.unit.test_remembered import *
from tests.unit.test_repeated import *
from tests.unit.test_restores import *
from tests.unit.test_resume_execute import *
from tests.unit.test_rounds import *
from tests.unit.test_spending import *
from tests.unit.test_stored import *
from tests.unit.test_sweep_sessions import *
from tests.unit.test_targets import *
from tests.unit.test_timely import *
from tests.unit.test_told import *
from tests.unit.test_unknown import *
from tests.unit.test_votes import *
from tests.unit.test_wait import *
from tests.unit.test_walks import *

UNIT = Path(__file__).parents[2] / "unit"


def test_nothing_is_hidden_by_a_test_of_the_same_name_and_no_file_is_left_out() -> None:
    taken = [line.module for line in ast.parse(Path(__file__).read_text()).body if isinstance(line, ast.ImportFrom)]
    files = [path for path in UNIT.glob("test_*.py") if "gateway: Gateway" in path.read_text()]
    assert {f"tests.unit.{path.stem}" for path in files} <= set(taken)
    names = [
        one.name
        for path in files
        for one in ast.parse(path.read_text()).body
        if isinstance(one, ast.FunctionDef) and one.name.startswith("test_")
    ]
    assert len(names) == len(set(names))
    assert set(names) <= set(globals())


def test_writes_do_conflict_here(gateway: Gateway) -> None:
    for number in range(20):
        gateway.decide(gateway.shown(REFUND, checkpoint=f"cp-{number}"), 1, Verdict.ACCEPT)
    assert gateway.table.conflicts > 10
