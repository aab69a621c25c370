"""The tests of the verbs once more, on a table whose writes conflict all the time."""

from __future__ import annotations

import pytest

from tests.contract.lagging import LaggingTable
from tests.gateway import Gateway
from tests.unit.conftest import house, ingrid, people  # noqa: F401 - what those tests ask their folder for


@pytest.fixture
def gateway() -> Gateway:
    return Gateway(table=LaggingTable(crowded=0.2, sleep=lambda seconds: None))
