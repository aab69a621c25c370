"""A gateway in one process: real verbs on the in-memory ports, and the example policy that is deployed."""

import pytest

from tests.gateway import Gateway


@pytest.fixture
def gateway() -> Gateway:
    return Gateway()
