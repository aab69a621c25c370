"""The code in docs/langchain.md is short enough, and it runs."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import boto3
import pytest
from moto import mock_aws

from placet.client.langchain import Finished, Waiting
from tests.frameworks.fake_gateway import FakeGateway
from tests.frameworks.langchain.scene import Scripted, refund
from tests.frameworks.serving import served

DOCS = Path(__file__).resolve().parents[3] / "docs/langchain.md"
BLOCKS = re.findall(r"```python\n(.*?)```", DOCS.read_text(), re.DOTALL)


class Shop:
    def __init__(self):
        self.refunds = []

    def refund(self, order_id, amount):
        self.refunds.append((order_id, amount))
        return "refunded"


@pytest.fixture
def environment(monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "made-up")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    fake = FakeGateway()
    with mock_aws(), served(fake) as url:
        monkeypatch.setenv("PLACET_URL", url)
        boto3.client("dynamodb").create_table(
            TableName="my-agent-runs",
            KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")],
            BillingMode="PAY_PER_REQUEST",
        )
        yield fake


def test_the_first_steps_are_short():
    first = [line for line in BLOCKS[0].splitlines() if line.strip()]
    assert len(first) <= 15


def test_the_code_in_the_docs_runs(environment):
    stop = threading.Event()
    stop.set()
    names = {"model": Scripted(turns=[[refund(1, 240.0)]]), "shop": Shop(), "stop": stop}
    exec(BLOCKS[0], names)  # noqa: S102 - our own documentation
    assert isinstance(names["outcome"], Waiting)
    environment.decide(*environment.pending(), "edited", '{"order_id":"1182","amount":200.00}')
    exec(BLOCKS[1], names)  # noqa: S102 - our own documentation
    assert names["shop"].refunds == [("1182", 200.0)]
    again = names["approvals"].run(names["agent"], names["asked"], {"configurable": {"thread_id": "t-1"}})
    assert isinstance(again, Finished)
    names["approvals"].gateway._transport._pool.close()
