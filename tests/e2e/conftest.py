"""Ends to ends: what `make synth` wrote, deployed into the embedded AWS, once per test run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from local.stack import LocalStack
from tests.shared import end_shared_stack, shared_stack


@pytest.fixture(scope="session")
def stack() -> Iterator[LocalStack]:
    """The running product; its logs stay in `.placet/run-…/logs` when a test failed to start it."""
    yield shared_stack()
    end_shared_stack()
