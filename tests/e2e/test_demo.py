"""The demo on the whole local stack: real agents, real processes, the deployed templates; and its proof."""

from __future__ import annotations

import pytest

from placet.local import venvs
from placet.local.agents.demo import play
from placet.local.stack import LocalStack


def test_every_tool_ran_exactly_as_approved_and_nothing_else_ran(stack: LocalStack) -> None:
    if not venvs.VENVS["agent"].python.exists():
        pytest.fail("The demo agent's environment is missing: make setup-local")
    proof = play(stack)
    assert proof.holds, proof.table()
    assert proof.line() == "demo: pauses=8 accepted=4 edited=1 rejected=2 expired=1 executed=6 double=0 lost=0"
    notes = [row.told.note for row in proof.rows if row.told.scenario == "kill"]
    assert "went on" in notes[0]
