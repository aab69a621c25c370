"""The model at its quick size; and that it, its comparison with the code and its checker see what they are for."""

from dataclasses import replace
from unittest import mock

import pytest

from tests.proofs import Size, model
from tests.proofs.modelling import comparing
from tests.proofs.modelling.checker import check
from tests.proofs.modelling.clauses import WRITES
from tests.proofs.modelling.moves import MOVES
from tests.proofs.modelling.settings import PLANTED


def test_the_proof_holds() -> None:
    proof = model.prove(print, Size(quick=True))
    assert proof.violations == []
    assert proof.figures["planted"] == proof.figures["found"] >= 67


def test_a_planted_bug_makes_the_proof_fail() -> None:
    broken = replace(PLANTED["no sweeper"], name="no sweeper")
    with mock.patch.object(model, "QUICK", [broken]), mock.patch.object(model, "PLANTED", {}):
        proof = model.prove(lambda line: None, Size(quick=True))
    assert proof.figures["violations"] == 1
    assert any("neither ends nor is listed" in one for one in proof.violations)


def test_a_way_is_the_shortest_and_begins_at_the_capture() -> None:
    found = check(PLANTED["a late accept is taken"])
    assert found.trace[0] == "dispatch starts the wait"
    assert found.trace[-1].endswith("accepts")
    assert len(found.trace) == 6


EXPIRY, WRONG = ("call", "pending", "expired"), ("call", "expired", "accepted")


@pytest.mark.parametrize(
    ("patched", "told"),
    [
        (
            mock.patch.dict(WRITES, {"claim": {"permit_free": ""}}),
            "claim carries may_run in the code, not in the model",
        ),
        (mock.patch.dict(WRITES, {"thaw": {"held": ""}}), "thaw carries held in the model, not in the code"),
        (mock.patch.dict(WRITES, {"forget": {}}), "only one of model and code has the write forget"),
        (mock.patch.object(comparing, "MOVES", MOVES - {EXPIRY}), "the code moves a call from pending to expired"),
        (mock.patch.object(comparing, "MOVES", MOVES | {WRONG}), "the model moves a call from expired to accepted"),
    ],
)
def test_the_comparison_sees_what_only_one_side_knows(patched, told: str) -> None:
    with patched:
        assert any(one.startswith(told) for one in comparing.differences())
