"""A table of the deployed one's shape, for documentation that talks to DynamoDB."""

from __future__ import annotations

from typing import Any

NAME = "placet"
_ATTRIBUTES = {"pk": "S", "sk": "S", "wpk": "S", "wsk": "N"}


def make_table(dynamodb: Any) -> str:
    """Make it and give its name."""
    dynamodb.create_table(
        TableName=NAME,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": one, "AttributeType": kind} for one, kind in _ATTRIBUTES.items()],
        KeySchema=_keys("pk", "sk"),
        GlobalSecondaryIndexes=[
            {"IndexName": "work", "KeySchema": _keys("wpk", "wsk"), "Projection": {"ProjectionType": "ALL"}}
        ],
    )
    return NAME


def _keys(hash_key: str, range_key: str) -> list[dict[str, str]]:
    return [{"AttributeName": hash_key, "KeyType": "HASH"}, {"AttributeName": range_key, "KeyType": "RANGE"}]
