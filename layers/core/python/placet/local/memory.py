"""The ports in one process, for tests and evals: small real implementations, no patched mocks.

`MemoryTable` carries out the same writes and clauses as `placet.aws.table`; one suite of contract tests runs on both.
"""

from __future__ import annotations

import hashlib
import hmac
import itertools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from placet.model.bus import BusEvent
from placet.model.canonical import exact_text
from placet.model.errors import Busy, Refused
from placet.model.ids import name_text, short_name
from placet.model.pauses import Agent
from placet.records.conditions import MISSING, failing, look_up
from placet.records.keys import Key
from placet.records.ops import Check, ConditionFailed, Delete, Item, Op, Put
from placet.service.ports import Digest, ExecutorUnknown, Note

T = TypeVar("T")


class MemoryTable:
    """A table whose writes are all or nothing. `changes` is its stream: (old image, new image) in order."""

    def __init__(self) -> None:
        self.items: dict[Key, Item] = {}
        self.changes: list[tuple[Item | None, Item | None]] = []
        self._lock = threading.Lock()

    def get(self, key: Key) -> Item | None:
        """One item."""
        with self._lock:
            return _copied(self.items.get(key))

    def get_many(self, keys: list[Key]) -> dict[Key, Item]:
        """Items by their keys."""
        with self._lock:
            return {key: _copied(self.items[key]) for key in keys if key in self.items}

    def query(self, pk: str, prefix: str = "") -> list[Item]:
        """Items of a partition in key order."""
        with self._lock:
            keys = sorted(key for key in self.items if key.pk == pk and key.sk.startswith(prefix))
            return _copied([self.items[key] for key in keys])

    def work(self, pk: str, *, up_to: int | None = None, limit: int = 50, after: Item | None = None) -> list[Item]:
        """Entries of a work list by moment. As DynamoDB it refuses to go on from behind an entry beyond the bound."""
        if up_to is not None and after is not None and after["wsk"] > up_to:
            raise Refused("table_refused", "The provided starting key is outside query boundaries.")
        with self._lock:
            found = [item for item in self.items.values() if item.get("wpk") == pk]
            found = [item for item in found if up_to is None or item["wsk"] <= up_to]
            found = sorted(found, key=_place)
            found = [item for item in found if after is None or _place(item) > _place(after)]
            return _copied(found[:limit])

    def newest(self, pk: str, *, limit: int, before: str = "") -> list[Key]:
        """Keys of a partition, last first."""
        with self._lock:
            found = [key for key in self.items if key.pk == pk and (not before or key.sk < before)]
            return sorted(found, reverse=True)[:limit]

    def find(self, pk: str, *, limit: int) -> list[Key]:
        """Keys under an entry of the find index."""
        with self._lock:
            return sorted(key for key, item in self.items.items() if item.get("fpk") == pk)[:limit]

    def write(self, ops: list[Op]) -> None:
        """All or none. Raises ConditionFailed; ValueError for two operations on one item, as DynamoDB does."""
        if len({op.key for op in ops}) != len(ops):
            raise ValueError("a transaction may not touch one item twice")
        with self._lock:
            for position, op in enumerate(ops):
                old = self.items.get(op.key)
                if failing(op.clauses, old):
                    raise ConditionFailed(position, _copied(old))
            for op in ops:
                self._apply(op)

    def _apply(self, op: Op) -> None:
        if isinstance(op, Check):
            return
        old = self.items.get(op.key)
        new = None if isinstance(op, Delete) else _changed(old, op)
        if new is None:
            self.items.pop(op.key, None)
        else:
            self.items[op.key] = new
        if old != new:
            self.changes.append((_copied(old), _copied(new)))


def _copied(value: T) -> T:
    """A copy of an item or a part of it: `copy.deepcopy` for what is nothing but JSON, in a fifth of the time."""
    if isinstance(value, dict):
        return cast(T, {name: _copied(one) if type(one) in _NESTED else one for name, one in value.items()})
    return cast(T, [_copied(one) for one in value]) if isinstance(value, list) else value


_NESTED = (dict, list)


def _place(item: Item) -> tuple[int, str]:
    return item["wsk"], item["pk"]


def _changed(old: Item | None, op: Op) -> Item:
    if isinstance(op, Put):
        return _copied(op.item)
    if isinstance(op, Check | Delete):
        raise TypeError("neither a check nor a delete makes an item")
    item = _copied(old) if old is not None else dict(op.key._asdict())
    for path, value in op.set.items():
        _parent(item, path)[path[-1]] = _copied(value)
    for path, value in op.add.items():
        before = look_up(item, path)
        _parent(item, path)[path[-1]] = value if before is MISSING else before + value
    for path in op.remove:
        _parent(item, path).pop(path[-1], None)
    return item


def _parent(item: Item, path: tuple[str, ...]) -> dict[str, Any]:
    parent = item if len(path) == 1 else look_up(item, path[:-1])
    if not isinstance(parent, dict):
        raise Refused("table_refused", f"The document path {'.'.join(path)} is not in the item.")
    return parent


@dataclass
class MemoryBodies:
    """Texts by name."""

    texts: dict[str, str] = field(default_factory=dict)

    def put(self, name: str, text: str) -> None:
        """Keep it."""
        self.texts[name] = text

    def get(self, name: str) -> str | None:
        """Give it back."""
        return self.texts.get(name)


@dataclass
class MemoryWaits:
    """Records started executions and answered tokens."""

    started: dict[str, dict[str, Any]] = field(default_factory=dict)
    answered: list[str] = field(default_factory=list)
    ended: set[str] = field(default_factory=set)

    def start(self, name: str, facts: dict[str, Any]) -> bool:
        """Start once."""
        if name in self.ended:
            return False
        if self.started.setdefault(name, facts) != facts:
            raise ValueError(f"execution {name} was started with other facts")
        return True

    def answer(self, token: str, facts: dict[str, Any]) -> bool:
        """Answer once."""
        if token in self.answered:
            return False
        self.answered.append(token)
        return True


@dataclass
class MemoryBus:
    """What was put onto the bus, every time that it was; `refused` says of an event whether it is not taken now."""

    events: list[BusEvent] = field(default_factory=list)
    refused: Callable[[BusEvent], bool] = lambda event: False

    def put(self, events: Sequence[BusEvent]) -> list[bool]:
        """Keep those that are taken."""
        taken = [not self.refused(one) for one in events]
        self.events += [one for one, done in zip(events, taken, strict=True) if done]
        return taken


@dataclass
class MemoryTimers:
    """The next moment of each pause."""

    moments: dict[str, int] = field(default_factory=dict)

    def set(self, pause: str, at_ms: int) -> None:
        """Set or move."""
        self.moments[pause] = at_ms


@dataclass
class MemoryMail:
    """An outbox; addresses in `refused` are refused."""

    sent: list[Note] = field(default_factory=list)
    digests: list[Digest] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)

    def send(self, note: Note) -> bool:
        """Keep the note."""
        if note.to_email in self.refused:
            return False
        self.sent.append(note)
        return True

    def digest(self, digest: Digest) -> bool:
        """Keep the digest."""
        if digest.to_email in self.refused:
            return False
        self.digests.append(digest)
        return True


@dataclass
class MemoryAgents:
    """Agents that take every delivery, unless `error` is set."""

    delivered: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    error: Exception | None = None

    def deliver(self, agent: Agent, payload: dict[str, Any]) -> None:
        """Keep the payload."""
        if self.error is not None:
            raise self.error
        self.delivered.append((agent.name, payload))


@dataclass
class MemoryVerbs:
    """Keeps what the sweep asked for; `do` carries out what is waited for."""

    called: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    do: Callable[[str, dict[str, Any]], object] = lambda verb, payload: None

    def call(self, verb: str, payload: dict[str, Any]) -> None:
        """Keep the call."""
        self.called.append((verb, payload))

    def ask(self, verb: str, payload: dict[str, Any]) -> dict[str, Any]:
        """Do it now."""
        self.called.append((verb, payload))
        answer = self.do(verb, payload)
        return answer if isinstance(answer, dict) else {}


@dataclass
class MemoryExecutors:
    """An executor with a table of its effects.

    Attributes:
        effects: every order that was carried out, oldest first.
        fails: ids of calls, or tools, that it refuses without effect; loses: those whose answer is lost after the effect.
        keyed: an order whose idempotency key it knows has no second effect. asked: how often it was asked.
        throttled: how many of the next orders are turned away before they start.
    """

    effects: list[dict[str, Any]] = field(default_factory=list)
    fails: set[str] = field(default_factory=set)
    loses: set[str] = field(default_factory=set)
    keyed: bool = False
    asked: int = 0
    throttled: int = 0

    def run(self, agent: Agent, order: dict[str, Any]) -> tuple[bool, str]:
        """Carry it out, and remember that it was."""
        if self.throttled:
            self.throttled -= 1
            raise Busy("The executor cannot be started now.")
        names = {order["call"], order["tool"]}
        if names & self.fails:
            return False, "The shop refused it."
        self.asked += 1
        if not (self.keyed and any(one["idempotency_key"] == order["idempotency_key"] for one in self.effects)):
            self.effects.append(order)
        if names & self.loses:
            raise ExecutorUnknown
        return True, f"{order['tool']} done: {exact_text(order['arguments'])}"


@dataclass
class MemoryClock:
    """A clock that stands until it is moved."""

    at_ms: int = 1_795_968_000_000

    def now_ms(self) -> int:
        """The moment it stands at."""
        return self.at_ms

    def move(self, seconds: float) -> None:
        """Let time pass."""
        self.at_ms += int(seconds * 1000)


class MemoryIds:
    """Names from a fixed key and a counter."""

    def __init__(self, key: bytes = b"a key for tests") -> None:
        self._key = key
        self._count = itertools.count(1)

    def pause_id(self, agent: str, run: str, natural_key: str) -> str:
        """As `placet.aws.ids`, with a local key."""
        return short_name(hmac.new(self._key, name_text(agent, run, natural_key), hashlib.sha256).digest())

    def secret(self) -> str:
        """`secret-1`, `secret-2`, …"""
        return f"secret-{next(self._count)}"
