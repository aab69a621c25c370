"""The table of a race: DynamoDB on the local AWS, in the deployed one's shape; and what is planted between it and the service."""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from local.endpoint import Endpoint
from local.settings import REGION
from placet.aws.table import DynamoTable
from placet.records.ops import ConditionFailed, Op
from tests.tables import create_table

_numbers = itertools.count(1)
_CONFIG = Config(
    retries={"mode": "standard", "max_attempts": 3},
    max_pool_connections=64,
    read_timeout=60,
    parameter_validation=False,
)


def dynamodb_at(url: str) -> Any:
    """A client with room for many threads; the user's own AWS configuration stays out of it."""
    os.environ.pop("AWS_PROFILE", None)
    os.environ |= {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
    root = Endpoint(url).root
    return boto3.Session().client(
        "dynamodb",
        region_name=REGION,
        endpoint_url=url,
        aws_access_key_id=root.id,
        aws_secret_access_key=root.secret,
        config=_CONFIG,
    )


@contextlib.contextmanager
def empty_table(dynamodb: Any) -> Iterator[str]:
    """The name of a new table, dropped at the end."""
    name = create_table(dynamodb, f"proof-{os.getpid()}-{next(_numbers)}")
    try:
        yield name
    finally:
        dynamodb.delete_table(TableName=name)


class Held:
    """A client whose transactions meet somebody else's for as long as a thread is held."""

    def __init__(self, inner: Any) -> None:
        self._inner, self._mine = inner, threading.local()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def hold(self, until_ms: float) -> None:
        """Every transaction of this thread conflicts until that moment of the machine's clock."""
        self._mine.until_ms, self._mine.first_ms = until_ms, 0.0

    @property
    def first_ms(self) -> float:
        """When this thread met its first conflict; 0 when it met none."""
        return getattr(self._mine, "first_ms", 0.0)

    def transact_write_items(self, **request: Any) -> Any:
        """As DynamoDB answers while another transaction has the item."""
        now = time.time() * 1000
        if now >= getattr(self._mine, "until_ms", 0.0):
            return self._inner.transact_write_items(**request)
        self._mine.first_ms = self._mine.first_ms or now
        told = {"Error": {"Code": "TransactionCanceledException", "Message": "[TransactionConflict, None]"}}
        reasons = [{"Code": "TransactionConflict"}, {"Code": "None"}]
        raise ClientError({**told, "CancellationReasons": reasons}, "TransactWriteItems")


class Watched:
    """A table that notes, by thread, whether one of its writes lost a race; `drop` takes clauses out (the planted bug)."""

    def __init__(self, inner: DynamoTable, drop: tuple[str, ...] = ()) -> None:
        self._inner, self._drop, self._seen = inner, drop, threading.local()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def write(self, ops: list[Op]) -> None:
        """Write what is left of the conditions."""
        try:
            self._inner.write([self._without(op) for op in ops])
        except ConditionFailed:
            self._seen.lost = True
            raise

    def begin(self) -> None:
        """This thread starts a job."""
        self._seen.lost = False

    @property
    def lost(self) -> bool:
        """Whether a write of this thread's job lost."""
        return getattr(self._seen, "lost", False)

    def _without(self, op: Any) -> Any:
        return replace(op, clauses=tuple(one for one in op.clauses if one.name not in self._drop)) if self._drop else op
