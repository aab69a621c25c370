"""From an empty account to a first approval and back, by the real CDK command line; `make rehearsal` plays what comes between."""

from __future__ import annotations

from tests.proofs import Size
from tests.proofs.rehearsal import prove


def test_the_way_into_an_empty_account_and_out_again() -> None:
    proof = prove(print, Size(quick=True))
    assert proof.violations == []
    assert proof.figures["steps"] >= 12
