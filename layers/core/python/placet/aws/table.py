"""The table on DynamoDB: the writes of `placet.records.writes` as conditional requests, lost races as ConditionFailed."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable
from typing import Any, TypeVar

from botocore.exceptions import ClientError, ConnectionError, HTTPClientError

from placet.aws.clients import client
from placet.aws.expressions import Expression, from_wire, to_wire
from placet.aws.refusals import is_final
from placet.aws.time_left import NoTimeLeft
from placet.model.errors import Busy, Contended, Refused
from placet.records.keys import Key
from placet.records.ops import Check, ConditionFailed, Delete, Item, Op, Put, expires

ATTEMPTS = 6
MOST_LOST = 3  # of these may find nobody who answers: each of them takes seconds
FIRST_PAUSE_S = 0.03
BATCH = 100  # keys of one BatchGetItem

# A right or the table is missing, or the write does not fit the item.
_REFUSED = frozenset(
    {
        "AccessDeniedException",
        "ValidationException",
        "ResourceNotFoundException",
        "ItemCollectionSizeLimitExceededException",
        "IdempotentParameterMismatchException",
        "SerializationException",
    }
)
_REASON_REFUSED = frozenset({"ValidationError", "ItemCollectionSizeLimitExceeded", "AccessDenied"})
T = TypeVar("T")
_jitter = random.SystemRandom()


class DynamoTable:
    """The one table."""

    def __init__(self, name: str, dynamodb: Any = None, sleep: Callable[[float], None] = time.sleep) -> None:
        self._name = name
        self._dynamodb = dynamodb if dynamodb is not None else client("dynamodb")
        self._sleep = sleep

    def get(self, key: Key) -> Item | None:
        """One item, read consistently."""
        wire = to_wire(key._asdict())
        answer = self._try(lambda: self._dynamodb.get_item(TableName=self._name, Key=wire, ConsistentRead=True))
        return from_wire(answer["Item"]) if "Item" in answer else None

    def get_many(self, keys: list[Key]) -> dict[Key, Item]:
        """Items by their keys, in requests of BATCH; what DynamoDB leaves over of one is asked for again."""
        found: dict[Key, Item] = {}
        for start in range(0, len(keys), BATCH):
            left = [to_wire(key._asdict()) for key in keys[start : start + BATCH]]
            for attempt in range(ATTEMPTS):
                items, left = self._batch(left)
                found |= {Key(item["pk"], item["sk"]): item for item in items}
                if not left:
                    break
                self._wait(attempt)
            else:
                raise Busy
        return found

    def _batch(self, keys: list[dict[str, Any]]) -> tuple[list[Item], list[dict[str, Any]]]:
        asked = {self._name: {"Keys": keys, "ConsistentRead": True}}
        answer = self._try(lambda: self._dynamodb.batch_get_item(RequestItems=asked))
        left = answer.get("UnprocessedKeys", {}).get(self._name, {}).get("Keys", [])
        return [from_wire(item) for item in answer["Responses"].get(self._name, [])], left

    def query(self, pk: str, prefix: str = "") -> list[Item]:
        """A partition's items in key order, read consistently."""
        values = {":pk": {"S": pk}} | ({":sk": {"S": prefix}} if prefix else {})
        condition = "pk = :pk" + (" AND begins_with(sk, :sk)" if prefix else "")
        return self._pages(KeyConditionExpression=condition, ExpressionAttributeValues=values, ConsistentRead=True)

    def work(self, pk: str, *, up_to: int | None = None, limit: int = 50, after: Item | None = None) -> list[Item]:
        """Entries of a work list by moment; may lag."""
        values = {":pk": {"S": pk}} | ({":to": {"N": str(up_to)}} if up_to is not None else {})
        condition = "wpk = :pk" + (" AND wsk <= :to" if up_to is not None else "")
        request = {"KeyConditionExpression": condition, "ExpressionAttributeValues": values, "IndexName": "work"}
        if after is not None:
            request["ExclusiveStartKey"] = to_wire({name: after[name] for name in ("wpk", "wsk", "pk", "sk")})
        answer = self._try(lambda: self._dynamodb.query(TableName=self._name, Limit=limit, **request))
        return [from_wire(item) for item in answer["Items"]]

    def newest(self, pk: str, *, limit: int, before: str = "") -> list[Key]:
        """Keys of a partition, last first, read consistently."""
        values = {":pk": {"S": pk}} | ({":sk": {"S": before}} if before else {})
        request = {
            "KeyConditionExpression": "pk = :pk" + (" AND sk < :sk" if before else ""),
            "ExpressionAttributeValues": values,
            "ScanIndexForward": False,
            "ConsistentRead": True,
        }
        answer = self._try(lambda: self._dynamodb.query(TableName=self._name, Limit=limit, **request))
        return [_key(item) for item in answer["Items"]]

    def find(self, pk: str, *, limit: int) -> list[Key]:
        """Keys under an entry of the find index: one request, since 1,000 of them are less than a page."""
        request = {"KeyConditionExpression": "fpk = :pk", "ExpressionAttributeValues": {":pk": {"S": pk}}}
        answer = self._try(lambda: self._dynamodb.query(TableName=self._name, IndexName="find", Limit=limit, **request))
        return [_key(item) for item in answer["Items"]]

    def write(self, ops: list[Op]) -> None:
        """All or none. What expires is tried once."""
        once = expires(ops)
        if len(ops) == 1 and not isinstance(ops[0], Check):
            self._try(lambda: self._one(ops[0]), once=once)
        else:
            token = uuid.uuid4().hex  # of all tries, so that one whose answer was lost is not a second transaction
            self._try(lambda: self._all(ops, token), once=once)

    def _one(self, op: Op) -> None:
        verb, request = self._request(op)
        call = {"Put": "put_item", "Update": "update_item", "Delete": "delete_item"}[verb]
        try:
            getattr(self._dynamodb, call)(**request)
        except ClientError as error:
            if error.response["Error"]["Code"] == "ConditionalCheckFailedException":
                raise ConditionFailed(0, _old(error.response)) from None
            raise

    def _all(self, ops: list[Op], token: str) -> None:
        requests = [self._request(op) for op in ops]
        try:
            items = [{verb: request} for verb, request in requests]
            self._dynamodb.transact_write_items(TransactItems=items, ClientRequestToken=token)
        except ClientError as error:
            reasons = error.response.get("CancellationReasons", [])
            for position, reason in enumerate(reasons):
                if reason.get("Code") == "ConditionalCheckFailed":
                    raise ConditionFailed(position, _old(reason)) from None
            raise

    def _request(self, op: Op) -> tuple[str, dict[str, Any]]:
        expression = Expression()
        request: dict[str, Any] = {"TableName": self._name}
        if isinstance(op, Put):
            verb, request["Item"] = "Put", to_wire(op.item)
        else:
            request["Key"] = to_wire(op.key._asdict())
            verb = {Check: "ConditionCheck", Delete: "Delete"}.get(type(op), "Update")
        if not isinstance(op, Put | Check | Delete):
            request["UpdateExpression"] = expression.changes(op)
        if op.clauses:
            request["ConditionExpression"] = expression.condition(op.clauses)
            request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        return verb, request | expression.request()

    def _pages(self, **request: Any) -> list[Item]:
        found: list[Item] = []
        while True:
            answer = self._try(lambda: self._dynamodb.query(TableName=self._name, **request))
            found += [from_wire(item) for item in answer["Items"]]
            if "LastEvaluatedKey" not in answer:
                return found
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def _try(self, request: Callable[[], T], *, once: bool = False) -> T:
        """Repeat on conflict and throttling, with jitter, inside the request; then Busy; sooner when nobody answers.

        `once`: not at all; then the first conflict, and the first answer that is lost, is Contended.
        """
        lost = 0
        for attempt in range(ATTEMPTS):
            try:
                return request()
            except ClientError as error:
                if _is_refused(error):
                    raise _refused(error) from error
                if once:
                    raise Contended(self._wait) from None
            except NoTimeLeft:
                raise Busy from None
            except (ConnectionError, HTTPClientError) as error:
                lost += 1
                if once:
                    raise Contended(self._wait, lost=True) from None
                if lost == MOST_LOST:
                    raise Busy from error
            self._wait(attempt)
        raise Busy

    def _wait(self, tried: int) -> None:
        self._sleep(_jitter.uniform(0, FIRST_PAUSE_S * 2**tried))


def _refused(error: ClientError) -> Refused:
    """A request that can never succeed: a right is missing, or the write does not fit the item."""
    code, text = error.response["Error"]["Code"], error.response["Error"].get("Message", "")
    return Refused("table_refused", f"DynamoDB refused the request: {code}: {text[:200]}")


def _is_refused(error: ClientError) -> bool:
    """The SDK does not retry a cancelled transaction, and says of it only that it was."""
    if is_final(error, _REFUSED):
        return True
    return any(reason.get("Code") in _REASON_REFUSED for reason in error.response.get("CancellationReasons", []))


def _key(item: Any) -> Key:
    return Key(item["pk"]["S"], item["sk"]["S"])


def _old(answer: Any) -> Item | None:
    return from_wire(answer["Item"]) if answer.get("Item") else None
