"""DynamoDB's requests on the table in memory: what `DynamoTable` sends, with operations and items as they are."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError

from local.memory import MemoryTable
from placet.aws.expressions import from_wire, to_wire
from placet.records.keys import Key
from placet.records.ops import Check, ConditionFailed, Delete, Op, Put

VERBS = {Put: "Put", Check: "ConditionCheck", Delete: "Delete"}


def request_of(table: Any, op: Op) -> tuple[str, dict[str, Any]]:
    """In place of `DynamoTable._request`."""
    return VERBS.get(type(op), "Update"), {"op": op}


class Store:
    """Method by method what a client does. A transaction under a token that was carried out before is not another one."""

    def __init__(self, table: MemoryTable) -> None:
        self.table = table
        self._done: set[str] = set()

    def get_item(self, Key: dict[str, Any], **_: Any) -> dict[str, Any]:
        item = self.table.get(key_of(Key))
        return {"Item": item} if item is not None else {}

    def batch_get_item(self, RequestItems: dict[str, Any]) -> dict[str, Any]:
        ((name, asked),) = RequestItems.items()
        found = self.table.get_many([key_of(key) for key in asked["Keys"]])
        return {"Responses": {name: list(found.values())}}

    def query(self, ExpressionAttributeValues: dict[str, Any], **asked: Any) -> dict[str, Any]:
        values = from_wire(ExpressionAttributeValues)
        index, limit = asked.get("IndexName"), asked.get("Limit", 50)
        if index == "find":
            return {"Items": [to_wire(key._asdict()) for key in self.table.find(values[":pk"], limit=limit)]}
        if not asked.get("ScanIndexForward", True):
            newest = self.table.newest(values[":pk"], limit=limit, before=values.get(":sk", ""))
            return {"Items": [to_wire(key._asdict()) for key in newest]}
        if index == "work":
            after = from_wire(asked["ExclusiveStartKey"]) if "ExclusiveStartKey" in asked else None
            items = self.table.work(values[":pk"], up_to=values.get(":to"), limit=limit, after=after)
        else:
            items = self.table.query(values[":pk"], values.get(":sk", ""))
        return {"Items": items}

    def put_item(self, op: Op) -> dict[str, Any]:
        return self._one(op)

    update_item = delete_item = put_item

    def transact_write_items(self, TransactItems: list[dict[str, Any]], ClientRequestToken: str) -> dict[str, Any]:
        if ClientRequestToken in self._done:
            return {}
        try:
            self.table.write([request["op"] for one in TransactItems for request in one.values()])
        except ConditionFailed as failed:
            reasons = [{"Code": "None"} for _ in TransactItems]
            reasons[failed.position] = refused(failed)
            raise error("TransactionCanceledException", CancellationReasons=reasons) from None
        self._done.add(ClientRequestToken)
        return {}

    def _one(self, op: Op) -> dict[str, Any]:
        try:
            self.table.write([op])
        except ConditionFailed as failed:
            item = {"Item": failed.old} if failed.old else {}
            raise error("ConditionalCheckFailedException", **item) from None
        return {}


def key_of(wire: dict[str, Any]) -> Key:
    """A key in DynamoDB's typed form."""
    return Key(wire["pk"]["S"], wire["sk"]["S"])


def refused(failed: ConditionFailed) -> dict[str, Any]:
    """The reason of a cancelled transaction."""
    return {"Code": "ConditionalCheckFailed"} | ({"Item": failed.old} if failed.old else {})


def error(code: str, **more: Any) -> ClientError:
    """An answer that is no trouble of the service's."""
    return ClientError({"Error": {"Code": code, "Message": ""}, **more}, "operation")
