from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from langgraph_checkpoint_aws import DynamoDBSaver
from moto import mock_aws

from tests.frameworks.langchain.scene import Scene


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Callable[..., Scene]]:
    """Makes scenes by their turns; closes their files."""
    made: list[Scene] = []

    def make(*turns: Any) -> Scene:
        made.append(Scene(tmp_path, list(turns)))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def saver(monkeypatch: pytest.MonkeyPatch) -> Iterator[DynamoDBSaver]:
    """On a table of its own."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "made-up")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "made-up")
    with mock_aws():
        boto3.client("dynamodb", region_name="us-east-1").create_table(
            TableName="runs",
            KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")],
            BillingMode="PAY_PER_REQUEST",
        )
        yield DynamoDBSaver("runs", region_name="us-east-1")
