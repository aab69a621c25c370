"""The restore that docs/operations.md describes, command by command: afterwards the doctor has nothing to say about the table."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest

from infra.doctor_table import table
from infra.settings import Settings
from tests.docs.reading import ROOT, blocks
from tests.local.conftest import Bench

PAGE = ROOT / "docs/operations.md"
RESTORED = "placet-restored"


def commands() -> list[list[str]]:
    """The lines of the page that ask DynamoDB, in order."""
    lines = [line for text in blocks(PAGE, "sh") for line in text.splitlines()]
    return [shlex.split(line) for line in lines if line.startswith("aws dynamodb ")]


def camel(word: str) -> str:
    return "".join(part.title() for part in word.split("-"))


def shorthand(text: str) -> Any:
    """`A=b,C=true` of the AWS command line as a structure."""
    if not re.fullmatch(r"\w+=[^,]+(,\w+=[^,]+)*", text):
        return text
    found = dict(pair.split("=", 1) for pair in text.split(","))
    return {name: {"true": True, "false": False}.get(value, value) for name, value in found.items()}


def parsed(words: list[str]) -> tuple[str, dict[str, Any]]:
    """An operation and its parameters, as `aws dynamodb` would send them; what only the command line knows is left out."""
    operation, *rest = words[2:]
    asked: dict[str, Any] = {}
    while rest:
        word = rest.pop(0)
        name, on = camel(word.removeprefix("--no-").removeprefix("--")), not word.startswith("--no-")
        value = rest.pop(0) if rest and not rest[0].startswith("--") else on
        if name not in ("Query", "Output", "Region"):
            asked[name] = shorthand(value) if isinstance(value, str) else value
    return operation, asked


@pytest.fixture
def source(bench: Bench) -> str:
    """A table with one record, as the data stack has it."""
    dynamodb, name = bench.aws.client("dynamodb"), bench.name("table")
    text = [{"AttributeName": one, "AttributeType": "S"} for one in ("pk", "sk", "wpk", "fpk")]
    keys = {"work": ("wpk", "wsk"), "find": ("fpk", "pk")}
    dynamodb.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        AttributeDefinitions=[*text, {"AttributeName": "wsk", "AttributeType": "N"}],
        BillingMode="PAY_PER_REQUEST",
        GlobalSecondaryIndexes=[
            {
                "IndexName": index,
                "KeySchema": [{"AttributeName": pk, "KeyType": "HASH"}, {"AttributeName": sk, "KeyType": "RANGE"}],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
            for index, (pk, sk) in keys.items()
        ],
    )
    dynamodb.put_item(TableName=name, Item={"pk": {"S": "T#main#P#1"}, "sk": {"S": "HEAD"}})
    return name


def test_the_commands_of_the_page_make_a_table_that_can_be_deployed(bench: Bench, source: str) -> None:
    dynamodb = bench.aws.client("dynamodb")
    settings = Settings.of({"mail_from": "a@company.test", "login_domain_prefix": "placet"})
    said: list[list[str]] = []
    last: dict[str, Any] = {}
    for words in commands():
        operation, asked = parsed([source if word == "$TABLE" else word for word in words])
        if operation == "wait":
            dynamodb.get_waiter("table_exists").wait(TableName=RESTORED, WaiterConfig={"Delay": 1, "MaxAttempts": 20})
        else:
            last = getattr(dynamodb, operation.replace("-", "_"))(**asked)
        if operation == "restore-table-to-point-in-time":
            said.append(faults(bench, settings, ""))
    assert len(said[0]) == 4, "a restored table lacks stream, time to live, recovery and protection"
    stream = last["Table"]["LatestStreamArn"]
    assert faults(bench, settings, stream) == []
    assert dynamodb.get_item(TableName=RESTORED, Key={"pk": {"S": "T#main#P#1"}, "sk": {"S": "HEAD"}})["Item"]
    dynamodb.update_table(TableName=RESTORED, DeletionProtectionEnabled=False)
    dynamodb.delete_table(TableName=RESTORED)


def faults(bench: Bench, settings: Settings, stream: str) -> list[str]:
    """What the doctor says of the restored table."""
    restored = settings.model_copy(update={"restored_table": RESTORED, "restored_stream": stream, "epoch": 2})
    return [str(one) for one in table(bench.aws.client, restored) if one.level != "ok"]


@pytest.mark.parametrize("left_out", ["update-table", "update-time-to-live", "update-continuous-backups"])
def test_a_command_that_is_left_out_is_named_by_the_doctor(bench: Bench, source: str, left_out: str) -> None:
    """What the doctor prints is what the page says, so that either way leads there."""
    dynamodb, name = bench.aws.client("dynamodb"), bench.name("restored")
    dynamodb.restore_table_to_point_in_time(SourceTableName=source, TargetTableName=name)
    settings = Settings.of({"mail_from": "a@company.test", "login_domain_prefix": "placet"})
    restored = settings.model_copy(update={"restored_table": name, "epoch": 2})
    printed = [command for one in table(bench.aws.client, restored) for command in one.commands]
    named = {frozenset(shlex.split(one.replace(name, RESTORED).partition(" --region")[0])) for one in printed}
    on_page = {frozenset(words) for words in commands() if words[2] == left_out}
    assert on_page
    assert on_page <= named
