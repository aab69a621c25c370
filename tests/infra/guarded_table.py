"""A table and a bucket that ask the synthesized policies before every access, as IAM does and the emulators do not."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from infra.checks.template import Templates, actions, as_list, resources, verb_of
from local.memory import MemoryTable
from local.ports import MemoryBodies
from placet.records.ops import Check, Delete, Op, Put


class Right(NamedTuple):
    """One action on the partitions of one pattern; `beside` are all patterns of its statement, which a batch needs together."""

    action: str
    index: str
    pattern: str
    beside: tuple[str, ...]


def rights(action: str, *patterns: str, index: str = "") -> set[Right]:
    """What one statement of one action allows."""
    return {Right(action, index, pattern, tuple(sorted(patterns))) for pattern in patterns}


class Denied(AssertionError):
    """IAM would have answered AccessDenied."""


def rights_of(templates: Templates) -> dict[str, set[Right]]:
    """What each function's policy allows on partitions, and on texts of the bucket."""
    found: dict[str, set[Right]] = {}
    for role, statements in templates.roles.items():
        for one in statements:
            for action in actions(one):
                if action.startswith("s3:"):
                    found.setdefault(verb_of(role), set()).update(rights(action, "*"))
            condition = one.get("Condition", {}).get("ForAllValues:StringLike", {})
            patterns = as_list(condition.get("dynamodb:LeadingKeys", []))
            for index in indexes_of(one):
                for action in actions(one) if patterns else ():
                    mine = found.setdefault(verb_of(role), set())
                    mine |= rights(action.removeprefix("dynamodb:"), *patterns, index=index)
    return found


def indexes_of(statement: Any) -> list[str]:
    """What a statement of the table is about: its indexes, and "" for the table itself. CDK joins statements that are alike."""
    return sorted({resource.partition("/index/")[2] for resource in resources(statement)})


def _matches(partition: str, patterns: Collection[str]) -> bool:
    return any(fnmatch.fnmatchcase(partition, pattern) for pattern in patterns)


class GuardedTable(MemoryTable):
    """``as_verb`` says whose rights count; outside of it (seeding, looking at the result) everything is allowed."""

    def __init__(self, rights: dict[str, set[Right]]) -> None:
        super().__init__()
        self._rights, self._verb = rights, ""
        self.denied: list[str] = []

    @contextmanager
    def as_verb(self, verb: str) -> Iterator[None]:
        before, self._verb = self._verb, verb
        try:
            yield
        finally:
            self._verb = before

    def ask(self, action: str, *partitions: str, index: str = "") -> None:
        """Raises Denied unless the verb may do this on all of these partitions by one statement: IAM judges each alone."""
        if not self._verb:
            return
        if not any(
            (right.action, right.index) == (action, index) and all(_matches(one, right.beside) for one in partitions)
            for right in self._rights[self._verb]
        ):
            self.denied.append(f"{self._verb}: {action} on {' and '.join(partitions)} {index}".rstrip())
            raise Denied(self.denied[-1])

    def get(self, key: Any) -> Any:
        self.ask("GetItem", key.pk)
        return super().get(key)

    def get_many(self, keys: Any) -> Any:
        if keys:
            self.ask("BatchGetItem", *sorted({key.pk for key in keys}))
        return super().get_many(keys)

    def query(self, pk: str, prefix: str = "") -> Any:
        self.ask("Query", pk)
        return super().query(pk, prefix)

    def work(self, pk: str, **bounds: Any) -> Any:
        self.ask("Query", pk, index="work")
        return super().work(pk, **bounds)

    def newest(self, pk: str, *, limit: int, before: str = "") -> Any:
        self.ask("Query", pk)
        return super().newest(pk, limit=limit, before=before)

    def find(self, pk: str, *, limit: int) -> Any:
        self.ask("Query", pk, index="find")
        return super().find(pk, limit=limit)

    def write(self, ops: list[Op]) -> None:
        names: dict[type, str] = {Put: "PutItem", Check: "ConditionCheckItem", Delete: "DeleteItem"}
        for op in ops:
            self.ask(names.get(type(op), "UpdateItem"), op.key.pk)
        super().write(ops)


class GuardedBodies(MemoryBodies):
    """The bucket beside a guarded table."""

    def __init__(self, table: GuardedTable) -> None:
        super().__init__()
        self._table = table

    def put(self, name: str, text: str) -> None:
        self._table.ask("s3:PutObject", name)
        super().put(name, text)

    def get(self, name: str) -> str | None:
        self._table.ask("s3:GetObject", name)
        return super().get(name)
