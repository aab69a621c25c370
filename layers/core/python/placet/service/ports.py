"""What the verbs need from the world. `placet.aws` implements each on AWS, `local` in one process (`memory`, `ports`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from placet.model.pauses import Agent
from placet.model.registry import Registry
from placet.policy.rules import Policy
from placet.records.keys import Key, Keys
from placet.records.ops import Item, Op

if TYPE_CHECKING:
    from placet.model.bus import BusEvent
    from placet.model.sinks import Sink

T = TypeVar("T")


class Table(Protocol):
    """The one table."""

    def get(self, key: Key) -> Item | None:
        """One item, read consistently."""

    def get_many(self, keys: list[Key]) -> dict[Key, Item]:
        """These items, read consistently, without those that are absent. For many in few requests."""

    def query(self, pk: str, prefix: str = "") -> list[Item]:
        """Every item of a partition whose sort key begins with `prefix`, read consistently, in key order."""

    def work(self, pk: str, *, up_to: int | None = None, limit: int = 50, after: Item | None = None) -> list[Item]:
        """Entries of a list in the `work` index by moment, `up_to` included, `after` excluded. May lag behind the writes."""

    def newest(self, pk: str, *, limit: int, before: str = "") -> list[Key]:
        """Keys of a partition from the last sort key downwards, those below `before` only; read consistently."""

    def find(self, pk: str, *, limit: int) -> list[Key]:
        """Keys under an entry of the `find` index, which only earlier releases wrote to."""

    def write(self, ops: list[Op]) -> None:
        """Carry out all of them or none.

        Raises:
            ConditionFailed: a clause did not hold; carries the old item.
            Busy: conflicts or throttling outlived the retries.
            Contended: the first conflict of a write of which a clause expires (`service.timely` makes it anew).
        """


class Bodies(Protocol):
    """Texts that are too large for the table, under their digest. Written before the item that names them."""

    def put(self, name: str, text: str) -> None:
        """Store; the same again is the same."""

    def get(self, name: str) -> str | None:
        """The text, None when there is none."""


class Waits(Protocol):
    """The state machine that holds the wait."""

    def start(self, name: str, facts: dict[str, Any]) -> bool:
        """Start an execution; the same again while it runs is a success. False when one of this name has ended. Raises Busy."""

    def answer(self, token: str, facts: dict[str, Any]) -> bool:
        """Answer a task token. False when the wait is gone already (answered, timed out, unknown)."""


class Timers(Protocol):
    """One schedule per pause holds its next moment."""

    def set(self, pause: str, at_ms: int) -> None:
        """Set or move the pause's timer."""


@dataclass(frozen=True)
class Note:
    """One mail to one reviewer. No argument of a call is in it.

    Attributes:
        why: `reminded` or `widened`; empty for the first one. thens: what becomes of what nobody decides (`policy.Then`).
        to: their `sub`. rules: sentences of the policy's rules that asked for a person.
        group: for which they may decide, as its member or in a member's place.
    """

    to_name: str
    to_email: str
    pause: str
    action_class: str
    tools: tuple[str, ...]
    agent: str
    requester: str
    entity: str
    effect: str
    asked_ms: int
    deadline_ms: int
    calls: int = 1
    why: str = ""
    thens: tuple[str, ...] = ("expire",)
    to: str = ""
    rules: tuple[str, ...] = ()
    group: str = ""


@dataclass(frozen=True)
class Digest:
    """One mail to one person for everything that waits for them.

    Attributes:
        to: their `sub`. waiting: how many calls; `more`: there are others. deadline_ms: of the most urgent one.
        handed: how many of the calls were handed on to them, or to a group of theirs; handed_by: names of who did it.
    """

    to: str
    to_name: str
    to_email: str
    waiting: int
    more: bool
    deadline_ms: int
    handed: int = 0
    handed_by: tuple[str, ...] = ()


class Mail(Protocol):
    """Mail to reviewers."""

    def digest(self, digest: Digest) -> bool:
        """Send the mail of what waits. As `send`."""

    def send(self, note: Note) -> bool:
        """Send one mail. False when the address or account is refused for good; raises Busy when it may work later."""


class StillAtWork(Exception):
    """The agent has not answered as long as could be waited: it may work on with what it was sent."""


class Agents(Protocol):
    """Agents that can be called."""

    def deliver(self, agent: Agent, payload: dict[str, Any]) -> None:
        """Hand the decisions of a pause to the agent and wait until it took them.

        Raises:
            Busy: it did not take them, and does not work on them any more.
            StillAtWork: nobody knows; it may.
        """


@dataclass(frozen=True)
class Turn:
    """What one turn of a Bedrock agent came to: text, or a control that it returned; never neither.

    Attributes:
        text: everything the agent said, empty when it said nothing.
        control: `returnControl` as it came, None when the turn ended with text.
    """

    text: str
    control: dict[str, Any] | None = None


class TurnFailed(Exception):
    """A turn without a result.

    Attributes:
        code: what happened, snake_case: Bedrock's error without `Exception`, or `response_lost`, `stream_broken`, `inconclusive`, …
        nothing_done: True when Bedrock certainly took nothing in; False when nobody knows what it did.
    """

    def __init__(self, code: str, *, nothing_done: bool) -> None:
        super().__init__(code)
        self.code = code
        self.nothing_done = nothing_done

    @property
    def passing(self) -> bool:
        """Whether the very same turn may be sent again in a while."""
        return self.nothing_done and self.code in ("throttling", "model_not_ready", "unreachable")


class Runtime(Protocol):
    """The Bedrock Agents runtime."""

    def turn(self, agent: Agent, session: str, text: str, state: dict[str, Any], definition: str) -> Turn:
        """Send one turn, in one attempt, and read its stream to the end.

        Args:
            text: what the user says; empty when `state` answers a control.
            state: `sessionState` of InvokeAgent.
            definition: of an inline agent, as JSON text; empty for one with an alias.

        Raises:
            TurnFailed.
        """

    def definition(self, agent: Agent) -> str:
        """The deployed definition of an inline agent as JSON text; empty for one with an alias."""


class ExecutorUnknown(Exception):
    """Nobody knows whether the executor acted."""


class Executors(Protocol):
    """The customers' Lambdas that run one decided call."""

    def run(self, agent: Agent, order: dict[str, Any]) -> tuple[bool, str]:
        """Run it: whether it was done, and its result. (False, why) when it certainly had no effect.

        Raises:
            Busy: it certainly was not started, and may be in a while.
            ExecutorUnknown: it may have acted.
        """


class Verbs(Protocol):
    """The other functions of the gateway, for the sweep and for a turn whose calls all pass."""

    def call(self, verb: str, payload: dict[str, Any]) -> None:
        """Ask a function for its verb, without waiting for it. Raises Busy."""

    def ask(self, verb: str, payload: dict[str, Any]) -> dict[str, Any]:
        """Ask a function for its verb and wait for its answer. Raises Busy."""


class Bus(Protocol):
    """Where what happened is told to whoever listens."""

    def put(self, events: Sequence[BusEvent]) -> list[bool]:
        """Put them there. Whether each was taken; raises Busy when none could be sent."""


class Outlets(Protocol):
    """Topics, chats and webhooks that are told of pauses."""

    def tell(self, sink: Sink, detail: Mapping[str, Any], headline: str) -> None:
        """Tell a sink of an event. Raises Busy when it may take it later, Refused when it never will."""


class Clock(Protocol):
    """The time."""

    def now_ms(self) -> int:
        """Milliseconds since 1970 UTC."""


class Ids(Protocol):
    """Names that cannot be guessed."""

    def pause_id(self, agent: str, run: str, natural_key: str) -> str:
        """26 characters of base32, the same for the same pause, unguessable for everybody without the key."""

    def secret(self) -> str:
        """Fresh randomness of at least 128 bits, URL-safe."""


@dataclass(frozen=True)
class Ports:
    """Everything a verb may touch. A port that a function must not use is left out when it is wired, and fails loudly.

    Attributes:
        most_open: how many pauses of one agent may wait for people in one class.
        base_url: the public address of the pages, for links; empty where none are made.
    """

    table: Table
    keys: Keys
    clock: Clock
    policy: Policy
    registry: Registry
    epoch: int = 1
    base_url: str = ""
    most_open: int = 1_000
    bodies: Bodies | None = None
    waits: Waits | None = None
    timers: Timers | None = None
    mail: Mail | None = None
    agents: Agents | None = None
    ids: Ids | None = None
    verbs: Verbs | None = None
    runtime: Runtime | None = None
    executors: Executors | None = None
    bus: Bus | None = None
    outlets: Outlets | None = None
    log: Callable[[str, dict[str, Any]], None] = field(default=lambda name, facts: None)


def wired(port: T | None) -> T:
    """A port that must be there."""
    if port is None:
        raise RuntimeError("this function was wired without a port that it uses")
    return port
