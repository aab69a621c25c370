"""The demo agents' own tables: their runs, and what their tools really did. The gateway has no rights on either."""

from __future__ import annotations

import json
import os
import signal
import time
import uuid
from typing import Any

import boto3

from placet.client import current_permit
from placet.client.exact import to_text

CHECKPOINTS = "placet-demo-checkpoints"
EXECUTIONS = "placet-demo-executions"
TABLES = {CHECKPOINTS: ("PK", "SK"), EXECUTIONS: ("id",)}
DIES = "PLACET_DEMO_DIES_AFTER_ACTING"  # a test sets it: the process is killed between the act and the report
ACTIONS = [f"dynamodb:{verb}" for verb in ("GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "BatchGetItem")]


def record(tool: str, arguments: dict[str, Any], call: str = "") -> str:
    """What a demo tool does instead of acting: write down that it acted. Never overwrites, so a second time shows.

    Args:
        call: under which it acts, where the permit is in other hands; else that of the current permit.
    """
    permit = current_permit()
    item = {
        "id": uuid.uuid4().hex,
        "call": call or (permit.call if permit else "none"),
        "tool": tool,
        "arguments": to_text(arguments),
        "pid": str(os.getpid()),
        "at": str(time.time()),
    }
    values = {name: {"S": value} for name, value in item.items()}
    boto3.client("dynamodb").put_item(TableName=EXECUTIONS, Item=values, ConditionExpression="attribute_not_exists(id)")
    if os.environ.get(DIES):
        os.kill(os.getpid(), signal.SIGKILL)
    return f"{tool}: done"


def executed(dynamodb: Any) -> list[dict[str, str]]:
    """Everything that was ever done, oldest first."""
    pages = dynamodb.get_paginator("scan").paginate(TableName=EXECUTIONS, ConsistentRead=True)
    items = [{name: value["S"] for name, value in item.items()} for page in pages for item in page["Items"]]
    return sorted(items, key=lambda item: float(item["at"]))


def make_tables(dynamodb: Any, iam: Any, roles: list[str]) -> None:
    """Create the tables and give the agents' roles their rights, as the agents' owner would. May be called again."""
    there = set(dynamodb.list_tables()["TableNames"])
    for name, keys in TABLES.items():
        if name not in there:
            dynamodb.create_table(
                TableName=name,
                KeySchema=[
                    {"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)
                ],
                AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in keys],
                BillingMode="PAY_PER_REQUEST",
            )
    resources = [f"arn:aws:dynamodb:*:*:table/{name}" for name in TABLES]
    rights = {"Effect": "Allow", "Action": ACTIONS, "Resource": resources}
    document = json.dumps({"Version": "2012-10-17", "Statement": [rights]})
    for role in roles:
        iam.put_role_policy(RoleName=role, PolicyName="placet-demo-tables", PolicyDocument=document)
