"""The ports beside the table in one process, for tests and evals: small real implementations, no patched mocks."""

from __future__ import annotations

import hashlib
import hmac
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from placet.model.bus import BusEvent
from placet.model.canonical import exact_text
from placet.model.errors import Busy
from placet.model.ids import name_text, short_name
from placet.model.pauses import Agent
from placet.service.ports import Digest, ExecutorUnknown, Note


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
