"""Watches what the functions ask of DynamoDB, Scheduler and SES, and counts what DynamoDB would bill for it."""

from __future__ import annotations

import base64
import json
import re
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from tests.cost.relay import Answer, Request, Send
from tests.cost.units import Item, item_size, read_units, write_units

NAMED = re.compile(r"\bapp/([\w-]+)")  # the SDK tells AWS_SDK_UA_APP_ID; here it is the function's name
SINGLE = {"PutItem": "put_item", "UpdateItem": "update_item", "DeleteItem": "delete_item"}
READS = ("GetItem", "BatchGetItem", "Query")
LISTS = "#L#lists"  # the partition of the remembered work lists
PARTS = ("Put", "Update", "Delete", "ConditionCheck")
NOT_WHOLE = ("ProjectionExpression", "FilterExpression", "Select", "AttributesToGet")


@dataclass(frozen=True)
class Access:
    """One request to the table.

    Attributes:
        items: what it named or found, as `kind bytes` for people.
        before: the written items as they were, by key; what a second opinion needs.
        unknown: why the rules here cannot judge it; empty otherwise.
        once: of the remembered work lists: a process looks at them once, however many pauses it captures.
    """

    at: float
    function: str
    verb: str
    items: tuple[str, ...]
    wru: float = 0
    rru: float = 0
    request: dict[str, Any] = field(default_factory=dict)
    before: tuple[Item, ...] = ()
    unknown: str = ""
    once: bool = False


@dataclass(frozen=True)
class Effect:
    """One request to another service: a schedule, a mail, or one event of the bus and `of` what it tells."""

    at: float
    function: str
    kind: str
    of: str = ""


class Meter:
    """The watch of a relay; one request to the table at a time, so that before and after are this request's own."""

    def __init__(self, dynamodb: Any, table: str) -> None:
        self._dynamodb = dynamodb
        self.description: dict[str, Any] = dynamodb.describe_table(TableName=table)["Table"]
        self._indexes = self.description["GlobalSecondaryIndexes"]
        self._one_at_a_time = threading.Lock()
        self.accesses: list[Access] = []
        self.effects: list[Effect] = []

    def watch(self, request: Request, send: Send) -> Answer:
        found = NAMED.search(request.headers.get("user-agent", ""))
        function = found.group(1) if found else "nobody"
        target = request.headers.get("x-amz-target", "")
        if not target.startswith("DynamoDB_"):
            answer = send(request)
            if answer.status < 300 and target == "AWSEvents.PutEvents":
                self.effects += [Effect(time.time(), function, "event", of) for of in _events(request)]
            elif answer.status < 300 and (kind := _effect(request)):
                self.effects.append(Effect(time.time(), function, kind))
            return answer
        with self._one_at_a_time:
            return self._table(function, target.rpartition(".")[2], request, send)

    def _table(self, function: str, verb: str, request: Request, send: Send) -> Answer:
        at, asked = time.time(), json.loads(request.body)
        if verb in READS:
            answer = send(request)
            self.accesses.append(_read(at, function, verb, asked, json.loads(answer.body)))
            return answer
        parts = _parts(verb, asked)
        before = [self._image(part) for part in parts]
        answer = send(request)
        after = [self._image(part) for part in parts] if answer.status < 300 else before
        pairs = list(zip(before, after, strict=True))
        units = sum(
            write_units(old, new, self._indexes, transaction=verb == "TransactWriteItems") for old, new in pairs
        )
        self.accesses.append(
            Access(
                at,
                function,
                verb,
                tuple(_named(new or old or {}) for old, new in pairs),
                wru=units,
                request=asked,
                before=tuple(old for old in before if old),
                unknown="" if parts else f"{verb} is not known here",
                once=all((new or old or {}).get("kind") == {"S": "LIST"} for old, new in pairs),
            )
        )
        return answer

    def _image(self, part: dict[str, Any]) -> Item | None:
        source = part.get("Key") or part["Item"]
        key = {name: source[name] for name in ("pk", "sk")}
        answer = self._dynamodb.get_item(TableName=self.description["TableName"], Key=key, ConsistentRead=True)
        return answer.get("Item")


def _events(request: Request) -> list[str]:
    return [json.loads(entry["Detail"])["event"] for entry in json.loads(request.body)["Entries"]]


def _effect(request: Request) -> str:
    if request.method == "POST" and request.path.startswith("/schedules/"):
        return "schedule"
    return "mail" if request.method == "POST" and request.path.startswith("/v2/email/outbound-emails") else ""


def _read(at: float, function: str, verb: str, asked: dict[str, Any], answer: dict[str, Any]) -> Access:
    if verb == "BatchGetItem":
        return _batch(at, function, asked, answer)
    items = answer.get("Items", [answer["Item"]] if "Item" in answer else [])
    hidden = [name for name in NOT_WHOLE if name in asked]
    units = read_units(items, consistent=asked.get("ConsistentRead", False))
    why = f"{verb} with {hidden[0]} reads more than it shows" if hidden else ""
    once = asked.get("ExpressionAttributeValues", {}).get(":pk", {}).get("S", "").endswith(LISTS)
    return Access(at, function, verb, tuple(map(_named, items)), rru=units, unknown=why, once=once)


def _batch(at: float, function: str, asked: dict[str, Any], answer: dict[str, Any]) -> Access:
    """Each item of a batch is rounded up by itself, those that are absent too."""
    ((table, request),) = asked["RequestItems"].items()
    items, consistent = answer["Responses"].get(table, []), request.get("ConsistentRead", False)
    absent = len(request["Keys"]) - len(items)
    units = sum(read_units([item], consistent=consistent) for item in items) + absent * read_units(
        [], consistent=consistent
    )
    return Access(at, function, "BatchGetItem", tuple(map(_named, items)), rru=units)


def _parts(verb: str, asked: dict[str, Any]) -> list[dict[str, Any]]:
    if verb in SINGLE:
        return [asked]
    if verb == "TransactWriteItems":
        return [item[name] for item in asked["TransactItems"] for name in PARTS if name in item]
    return []


def _named(item: Item) -> str:
    """An index entry does not say what it is an entry of."""
    return f"{item.get('kind', {}).get('S', 'entry' if item else 'nothing')} {item_size(item)} B"


class SecondOpinion:
    """The emulator's own figure for a write, from the same write repeated on an empty table of the same shape."""

    def __init__(self, dynamodb: Any, description: dict[str, Any]) -> None:
        self._dynamodb, self._name = dynamodb, "cost-again"
        indexes = [
            {name: one[name] for name in ("IndexName", "KeySchema", "Projection")}
            for one in description["GlobalSecondaryIndexes"]
        ]
        shape = {name: description[name] for name in ("KeySchema", "AttributeDefinitions")}
        dynamodb.create_table(
            TableName=self._name, BillingMode="PAY_PER_REQUEST", GlobalSecondaryIndexes=indexes, **shape
        )

    def units(self, access: Access) -> float:
        """Repeat the write and ask for what it consumed."""
        for item in access.before:
            self._dynamodb.put_item(TableName=self._name, Item=_unwired(item))
        asked = {name: _unwired(value) for name, value in access.request.items() if name != "ClientRequestToken"}
        verb = SINGLE.get(access.verb, "transact_write_items")
        if access.verb in SINGLE:
            asked["TableName"] = self._name
        else:
            asked["TransactItems"] = [
                {name: part | {"TableName": self._name} for name, part in item.items()}
                for item in asked["TransactItems"]
            ]
        try:
            told = getattr(self._dynamodb, verb)(ReturnConsumedCapacity="INDEXES", **asked)["ConsumedCapacity"]
        except self._dynamodb.exceptions.ConditionalCheckFailedException:
            return access.wru  # a write that was refused is paid for as well, and an error tells no figure
        return sum(one["CapacityUnits"] for one in (told if isinstance(told, list) else [told]))


def _unwired(value: Any) -> Any:
    """A part of a request as the SDK takes it: bytes, which it writes as base64 onto the wire."""
    if isinstance(value, dict):
        if value.keys() == {"B"}:
            return {"B": base64.b64decode(value["B"]) if isinstance(value["B"], str) else value["B"]}
        return {name: _unwired(one) for name, one in value.items()}
    return [_unwired(one) for one in value] if isinstance(value, list) else value
