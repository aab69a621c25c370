"""Two tables, one contract: in memory, and DynamoDB on the local AWS (never moto's, which is not atomic)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from placet.aws.table import DynamoTable
from placet.local.memory import MemoryTable
from placet.local.shared import shared_stack
from tests.contract.hooking import SERVING
from tests.proofs.pushing.server import Hook, serving

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
    name = f"contract-{next(_numbers)}"
    text = [{"AttributeName": one, "AttributeType": kind} for one, kind in _ATTRIBUTES.items()]
    dynamodb.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=text,
        KeySchema=_keys("pk", "sk"),
        GlobalSecondaryIndexes=[
            {"IndexName": "work", "KeySchema": _keys("wpk", "wsk"), "Projection": {"ProjectionType": "ALL"}},
            {"IndexName": "find", "KeySchema": _keys("fpk", "pk"), "Projection": {"ProjectionType": "KEYS_ONLY"}},
        ],
    )
    yield DynamoTable(name, dynamodb)
    dynamodb.delete_table(TableName=name)


@pytest.fixture(params=["memory", "dynamodb"])
def table(request: pytest.FixtureRequest) -> Any:
    return MemoryTable() if request.param == "memory" else request.getfixturevalue("dynamo_table")


_ATTRIBUTES = {"pk": "S", "sk": "S", "wpk": "S", "wsk": "N", "fpk": "S"}


def _keys(hash_key: str, range_key: str) -> list[dict[str, str]]:
    return [{"AttributeName": hash_key, "KeyType": "HASH"}, {"AttributeName": range_key, "KeyType": "RANGE"}]
