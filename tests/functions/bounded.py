"""The in-memory table with DynamoDB's own limits, so that what a real table would refuse is an error here too."""

from __future__ import annotations

from local.memory import MemoryTable
from placet.aws.expressions import Expression, to_wire
from placet.records.keys import Key
from placet.records.ops import Check, Delete, Item, Op, Put

LONGEST = {"pk": 2_048, "sk": 1_024}


class TooMuch(AssertionError):
    """DynamoDB would refuse it, and the caller would get a 502."""


class BoundedTable(MemoryTable):
    """Refuses keys and numbers that DynamoDB does not take."""

    def get(self, key: Key) -> Item | None:
        _check(key)
        return super().get(key)

    def query(self, pk: str, prefix: str = "") -> list[Item]:
        _check(Key(pk, prefix or "x"))
        return super().query(pk, prefix)

    def newest(self, pk: str, *, limit: int, before: str = "") -> list[Key]:
        _check(Key(pk, before or "x"))
        return super().newest(pk, limit=limit, before=before)

    def find(self, pk: str, *, limit: int) -> list[Key]:
        _check(Key(pk, "x"))
        return super().find(pk, limit=limit)

    def write(self, ops: list[Op]) -> None:
        for op in ops:
            _check(op.key)
            expression = Expression()
            expression.condition(op.clauses)  # each value is serialized
            if isinstance(op, Put):
                to_wire(op.item)
                _check(Key(str(op.item.get("fpk", "x")), str(op.item.get("wpk", "x"))))
            elif not isinstance(op, Check | Delete):
                expression.changes(op)
            expression.request()
        super().write(ops)


def _check(key: Key) -> None:
    for name, text in zip(("pk", "sk"), key, strict=True):
        size = len(text.encode())  # a half of a character cannot be written at all
        if not 0 < size <= LONGEST[name]:
            raise TooMuch(f"{name} of {size} bytes")
