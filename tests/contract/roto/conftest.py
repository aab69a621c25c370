"""A second DynamoDB, written independently of the first: roto, on this machine only, everything in memory."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from local import venvs
from local.processes import listens, wait_until
from placet.aws.table import DynamoTable
from placet.records.ops import ConditionFailed, Op
from tests.contract.tables import made_table


@pytest.fixture(scope="module")
def dynamodb() -> Iterator[Any]:
    server = venvs.ensure("conformance").path / "bin" / "roto-server"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    running = subprocess.Popen([server, "--ephemeral", "--port", str(port)], stdout=subprocess.DEVNULL)
    try:
        assert wait_until(lambda: listens(port)), "roto does not listen"
        made = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
        yield boto3.client("dynamodb", endpoint_url=f"http://127.0.0.1:{port}", **made)
    finally:
        running.terminate()
        running.wait(10)


class ReadsAfterwards(DynamoTable):
    """roto does not give back the old item of a failed condition, so it is read afterwards."""

    def write(self, ops: list[Op]) -> None:
        try:
            super().write(ops)
        except ConditionFailed as lost:
            raise ConditionFailed(lost.position, self.get(ops[lost.position].key)) from None


@pytest.fixture
def dynamo_table(dynamodb: Any) -> Iterator[DynamoTable]:
    with made_table(dynamodb) as table:
        yield ReadsAfterwards(table._name, dynamodb)


@pytest.fixture
def table(dynamo_table: DynamoTable) -> DynamoTable:
    return dynamo_table
