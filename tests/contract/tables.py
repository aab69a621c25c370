"""A table of the deployed one's shape on any DynamoDB, and a wrapper that keeps its stream by hand."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from placet.aws.table import DynamoTable
from tests.tables import create_table

BATCH = 25  # what one BatchWriteItem takes


@contextmanager
def made_table(dynamodb: Any, items: list[dict[str, Any]] | None = None) -> Iterator[DynamoTable]:
    """A new table holding `items` (as DynamoDB's JSON); gone afterwards."""
    name = create_table(dynamodb, f"table-{uuid.uuid4().hex[:12]}")
    try:
        puts = [{"PutRequest": {"Item": item}} for item in items or []]
        for at in range(0, len(puts), BATCH):
            dynamodb.batch_write_item(RequestItems={name: puts[at : at + BATCH]})
        yield DynamoTable(name, dynamodb)
    finally:
        dynamodb.delete_table(TableName=name)


class Streaming:
    """Any table with `changes`, the stream that the in-memory one has by itself; `images` is the same table, to read from."""

    def __init__(self, inner: Any, images: Any = None) -> None:
        self._inner = inner
        self._images = images or inner
        self.changes: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def write(self, ops: list[Any]) -> None:
        """Write, and keep the images."""
        before = [self._images.get(op.key) for op in ops]
        try:
            self._inner.write(ops)
        finally:  # a write whose answer was lost is in the stream too
            for op, old in zip(ops, before, strict=True):
                new = self._images.get(op.key)
                if new != old:
                    self.changes.append((old, new))
