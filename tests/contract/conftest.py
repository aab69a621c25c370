"""Two tables, one contract: in memory, and DynamoDB on the local AWS (never moto's, which is not atomic)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from local.memory import MemoryTable
from placet.aws.table import DynamoTable
from tests.contract.hooking import SERVING
from tests.proofs.pushing.server import Hook, serving
from tests.shared import shared_stack
from tests.tables import create_table

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def dynamodb() -> Any:
    return shared_stack().client("dynamodb")


@pytest.fixture
def hook() -> Iterator[Hook]:
    """An https server that a webhook may be sent to."""
    with serving(SERVING) as running:
        yield running


@pytest.fixture
def dynamo_table(dynamodb: Any) -> Iterator[DynamoTable]:
    """A table of the deployed one's shape, empty, for one test."""
    name = create_table(dynamodb, f"contract-{next(_numbers)}")
    yield DynamoTable(name, dynamodb)
    dynamodb.delete_table(TableName=name)


@pytest.fixture(params=["memory", "dynamodb"])
def table(request: pytest.FixtureRequest) -> Any:
    return MemoryTable() if request.param == "memory" else request.getfixturevalue("dynamo_table")
