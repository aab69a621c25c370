"""A write as a value: which item, what changes, on which clauses. `placet.aws.table` and `local.memory` carry it out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from placet.records.conditions import Clause, Path
from placet.records.keys import Key

Item = dict[str, Any]


@dataclass(frozen=True)
class Put:
    """Write a whole item."""

    item: Item
    clauses: tuple[Clause, ...] = ()

    @property
    def key(self) -> Key:
        """The item's primary key."""
        return Key(self.item["pk"], self.item["sk"])


@dataclass(frozen=True)
class Update:
    """Change attributes of an existing item: set, add to a number, remove."""

    key: Key
    clauses: tuple[Clause, ...]
    set: dict[Path, Any]
    add: dict[Path, int]
    remove: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Check:
    """Write nothing, but only together with the others if the clauses hold."""

    key: Key
    clauses: tuple[Clause, ...]


@dataclass(frozen=True)
class Delete:
    """Remove an item (browser sessions and memberships only)."""

    key: Key
    clauses: tuple[Clause, ...] = ()


Op = Put | Update | Check | Delete


class ConditionFailed(Exception):
    """A clause of a write did not hold; nothing was written.

    Attributes:
        position: index of the first operation whose condition failed.
        old: that item as it was, None when it is absent.
        op: that operation, where each try made its own.
    """

    def __init__(self, position: int, old: Item | None, op: Op | None = None) -> None:
        super().__init__(f"operation {position}: condition failed")
        self.position = position
        self.old = old
        self.op = op


def expires(ops: Iterable[Op]) -> bool:
    """Whether a clause of a write may stop to hold as time passes: then each try has to be made anew, with the clock as it is."""
    return any(clause.expires for op in ops for clause in op.clauses)


def update(key: Key, clauses: list[Clause], **changes: Any) -> Update:
    """An update whose `set`, `add` and `remove` name paths with dots: `update(k, c, set={"calls.1.state": "expired"})`."""
    return Update(
        key,
        tuple(clauses),
        {_path(name): value for name, value in changes.get("set", {}).items()},
        {_path(name): value for name, value in changes.get("add", {}).items()},
        tuple(_path(name) for name in changes.get("remove", ())),
    )


def _path(name: str) -> Path:
    return tuple(name.split("."))
