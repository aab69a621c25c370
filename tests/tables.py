"""A table of the deployed one's shape, on any DynamoDB."""

from __future__ import annotations

from typing import Any

ATTRIBUTES = {"pk": "S", "sk": "S", "wpk": "S", "wsk": "N", "fpk": "S"}


def create_table(dynamodb: Any, name: str) -> str:
    """Make it, empty, and give its name."""
    dynamodb.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": one, "AttributeType": kind} for one, kind in ATTRIBUTES.items()],
        KeySchema=_keys("pk", "sk"),
        GlobalSecondaryIndexes=[
            {"IndexName": "work", "KeySchema": _keys("wpk", "wsk"), "Projection": {"ProjectionType": "ALL"}},
            {"IndexName": "find", "KeySchema": _keys("fpk", "pk"), "Projection": {"ProjectionType": "KEYS_ONLY"}},
        ],
    )
    return name


def _keys(hash_key: str, range_key: str) -> list[dict[str, str]]:
    return [{"AttributeName": hash_key, "KeyType": "HASH"}, {"AttributeName": range_key, "KeyType": "RANGE"}]
