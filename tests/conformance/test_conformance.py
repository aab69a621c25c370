"""The public suites, and that each sees an agent that does not claim its permits."""

from __future__ import annotations

from tests.conformance.__main__ import SCENARIOS, agentbarrier, crashresume
from tests.shared import shared_stack


def test_agentbarrier_finds_nothing() -> None:
    summary = agentbarrier(shared_stack())["summary"]
    assert (summary["passed"], summary["failed"], summary["errors"], summary["skipped"]) == (SCENARIOS, 0, 0, 0)


def test_agentbarrier_sees_a_run_without_permits() -> None:
    report = agentbarrier(shared_stack(), "PlacetWithoutPermits", ("replay", "outcome_ambiguity"))
    assert report["summary"]["failed"] == 2


def test_crashresume_finds_nothing() -> None:
    assert crashresume(shared_stack()) == {"points": 3, "findings": 0}


def test_crashresume_sees_a_worker_without_permits() -> None:
    assert crashresume(shared_stack(), "unguarded")["findings"] > 0
