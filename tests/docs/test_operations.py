"""docs/operations.md: alarms and reasons are those of the code, and the repair by hand repairs."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

import boto3
import pytest
from moto import mock_aws

from infra.constructs.alarms import FACTS
from placet.aws.table import DynamoTable
from placet.model.states import Verdict
from placet.service.resume import list_stuck, pick_up
from placet.service.sweep import sweep
from tests.docs.reading import PACKAGE, ROOT, blocks, rows
from tests.docs.tables import make_table
from tests.gateway import REFUND, SUPPORT, Gateway

PAGE = ROOT / "docs/operations.md"


def test_every_alarm_is_explained() -> None:
    source = "".join((ROOT / name).read_text() for name in ("infra/constructs/alarms.py", "infra/gateway_stack.py"))
    made = set(re.findall(r'(?:_alarm|watch_queue)\(\s*"(\w+)"', source))
    made |= {"".join(word.title() for word in fact.split("_")) for fact in FACTS}
    assert {name.strip("`") for name, *_ in rows(PAGE, "alarm", "it means", "do")} == made


def test_every_reason_of_the_stuck_list_is_explained() -> None:
    source = "".join(path.read_text() for path in (PACKAGE / "service").glob("*.py"))
    source += (ROOT / "infra/constructs/lifecycle.py").read_text()
    given = set(re.findall(r'(?:list_stuck|_listed)\([^"()]*(?:"\w+", resume, )?"(\w+)"\)', source))
    assert {reason.strip("`") for reason, *_ in rows(PAGE, "reason", "it means", "do")} == given


@pytest.fixture
def gateway(monkeypatch: pytest.MonkeyPatch) -> Any:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "made-up")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        client = boto3.client("dynamodb")
        made = Gateway(table=Driven(make_table(client), client))
        yield made


class Driven(DynamoTable):
    """With the list of changes that the in-memory table keeps for `Gateway.deliver`."""

    def __init__(self, name: str, dynamodb: Any) -> None:
        super().__init__(name, dynamodb)
        self.name, self.dynamodb, self.changes = name, dynamodb, []

    def write(self, ops: Any) -> None:
        before = [self.get(op.key) for op in ops]
        super().write(ops)
        self.changes += zip(before, [self.get(op.key) for op in ops], strict=True)


def on_the_page(table: Driven, command: int, **values: str) -> Any:
    """Run one of the page's `aws dynamodb update-item` as the CLI would, with the `<…>` filled in."""
    text = [one for one in blocks(PAGE, "sh") if "update-item" in one][command]
    for name, value in {"pause": "", **values}.items():
        text = text.replace(f"<{name}>", value)
    words = shlex.split(text.replace("\\\n", " "))[3:]
    options = dict(zip(words[::2], words[1::2], strict=True))
    return table.dynamodb.update_item(
        TableName=table.name,
        Key=json.loads(options["--key"]),
        ConditionExpression=options["--condition-expression"],
        UpdateExpression=options["--update-expression"],
        ExpressionAttributeValues=json.loads(options["--expression-attribute-values"]),
    )


def to_list(row: int, **values: str) -> str:
    """The `:list` of a row of the page's table."""
    name = rows(PAGE, "head", "`:list`", "`:at`")[row][1].split("`")[1]
    for field, value in values.items():
        name = name.replace(f"<{field}>", value)
    return name


def test_a_pause_that_nobody_was_told_of_is_started_again(gateway: Gateway) -> None:
    pause = gateway.capture(REFUND).head.pause
    gateway.deliver()
    list_stuck(gateway.ports, pause, "wait_failed")
    on_the_page(gateway.table, 0, pause=pause, list=to_list(0), milliseconds=str(gateway.clock.now_ms()))
    assert sweep(gateway.ports).started == 1


def test_a_shown_pause_is_back_in_the_inbox(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    list_stuck(gateway.ports, head.pause, "wait_failed")
    called = to_list(1, **{"class": "money-out", "level": "0"})
    on_the_page(gateway.table, 0, pause=head.pause, list=called, milliseconds=str(head.deadline_ms))
    assert gateway.head(head.pause).wpk == head.wpk


def test_a_decided_pause_is_back_on_its_agents_list(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    list_stuck(gateway.ports, head.pause, "not_picked_up")
    assert not pick_up(gateway.ports, SUPPORT)
    called = to_list(2, agent=SUPPORT.name)
    on_the_page(gateway.table, 0, pause=head.pause, list=called, milliseconds=str(gateway.clock.now_ms()))
    assert [one["pause"] for one in pick_up(gateway.ports, SUPPORT)] == [head.pause]


def test_putting_back_twice_changes_nothing(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    with pytest.raises(gateway.table.dynamodb.exceptions.ConditionalCheckFailedException):
        on_the_page(gateway.table, 0, pause=head.pause, list=to_list(0), milliseconds="1")


def test_a_pause_of_an_old_epoch_is_released(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    on_the_page(gateway.table, 1, pause=head.pause)
    assert gateway.head(head.pause).epoch == 2
