"""One server for all browser tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.web.served import Served


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """The pages, served."""
    server = Served()
    yield server
    server.close()
