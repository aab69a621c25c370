"""Clauses and updates as DynamoDB expressions."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from boto3.dynamodb.types import Binary, TypeDeserializer, TypeSerializer

from placet.records.conditions import Clause, Comparison, Path
from placet.records.ops import Item, Update

_write = TypeSerializer()
_read = TypeDeserializer()


def to_wire(item: Item) -> dict[str, Any]:
    """An item in DynamoDB's typed form. Only text, bytes, integers, booleans, lists and maps are stored: never a float."""
    return {name: _write.serialize(value) for name, value in item.items()}


def from_wire(item: dict[str, Any]) -> Item:
    """An item as plain values; every number of ours is an integer, and what is none of ours is left for its reader to refuse."""
    return {name: _plain(_read.deserialize(value)) for name, value in item.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, Binary):
        return value.value
    return int(value) if isinstance(value, Decimal) and value == value.to_integral_value() else value


class Expression:
    """Collects the placeholders of one request: `#a`, `#b` for names, `:a`, `:b` for values."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._values: list[Any] = []

    def request(self) -> dict[str, Any]:
        """The placeholder maps, left out when empty: DynamoDB refuses empty ones."""
        found: dict[str, Any] = {}
        if self._names:
            found["ExpressionAttributeNames"] = {alias: name for name, alias in self._names.items()}
        if self._values:
            values = {f":v{index}": _write.serialize(value) for index, value in enumerate(self._values)}
            found["ExpressionAttributeValues"] = values
        return found

    def condition(self, clauses: Iterable[Clause]) -> str:
        """All clauses, joined by AND."""
        return " AND ".join(self._clause(one) for one in clauses)

    def changes(self, op: Update) -> str:
        """SET, ADD and REMOVE of an update."""
        sets = [f"{self._path(path)} = {self._value(value)}" for path, value in op.set.items()]
        adds = [f"{self._path(path)} {self._value(value)}" for path, value in op.add.items()]
        removes = [self._path(path) for path in op.remove]
        parts = [("SET", sets), ("ADD", adds), ("REMOVE", removes)]
        return " ".join(f"{verb} {', '.join(found)}" for verb, found in parts if found)

    def _clause(self, clause: Clause) -> str:
        tests = [self._test(test) for test in clause.any_of]
        return tests[0] if len(tests) == 1 else f"({' OR '.join(tests)})"

    def _test(self, test: Comparison) -> str:
        at = self._path(test.path)
        if test.operator == "exists":
            return f"attribute_exists({at})"
        if test.operator == "absent":
            return f"attribute_not_exists({at})"
        if test.operator == "size=":
            return f"size({at}) = {self._value(test.value)}"
        return f"{at} {test.operator} {self._value(test.value)}"

    def _path(self, path: Path) -> str:
        return ".".join(self._names.setdefault(name, f"#n{len(self._names)}") for name in path)

    def _value(self, value: Any) -> str:
        self._values.append(value)
        return f":v{len(self._values) - 1}"
