"""proof-starts holds, and finds what it is for: a run that is called over while it is being answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest

from placet.service.bedrock import following
from tests.proofs import Size
from tests.proofs.starts import prove

QUICK = Size(quick=True)


def silent(line: str) -> None:
    """Nobody listens."""


def test_every_start_gets_to_its_end() -> None:
    proof = prove(silent, QUICK)
    assert proof.violations == []
    assert proof.line == "starts: n=12 at_once=4 failed=0"


def first_look(ports: Any, agent: Any, run: Any) -> Any:
    """A follower that takes what it read first for the truth."""
    return run, *following._status(ports, run)


def over_when_decided(ports: Any, agent: Any, run: Any) -> Any:
    """One that calls a run over as soon as it is decided."""
    status, head = following._status(ports, run)
    return run, "ended" if status == "resuming" else status, head


@pytest.mark.parametrize("planted", [first_look, over_when_decided])
def test_a_status_that_says_ended_while_a_turn_is_answered_is_found(planted: Callable[..., Any]) -> None:
    with mock.patch.object(following, "_stands", planted):
        proof = prove(silent, QUICK)
    assert proof.figures["failed"] > 0
    assert any("Stopped(" in one and "status='ended'" in one for one in proof.violations)


def test_a_start_that_ends_with_an_error_has_failed() -> None:
    with mock.patch.dict("tests.proofs.starts.SCENES", {"bedrock": mock.Mock(side_effect=RuntimeError("gone"))}):
        proof = prove(silent, QUICK)
    assert proof.figures["failed"] == 6
