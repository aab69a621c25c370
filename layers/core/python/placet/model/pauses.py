"""What a pause is made of, as immutable values. Times are milliseconds since 1970 UTC (`_ms`), spans are seconds (`_s`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from placet.model.canonical import Lexeme, digest, exact_text
from placet.model.errors import NotFound
from placet.model.frameworks import UNSAID
from placet.model.ids import is_call_number, is_pause_id

Number = int | Lexeme  # as it was written: nothing passes through a float


@dataclass(frozen=True)
class Evidence:
    """One piece of the bundle that shows why, with the agent's word on where it comes from.

    Attributes:
        trusted: True when the agent says that it comes from the customer's own systems.
        origin: who wrote the text: `user`, `tool`, `retrieved` or `agent`; empty when nobody said.
        cut: at least so many characters of the text were left out.
    """

    title: str
    source: str
    trusted: bool
    text: str
    origin: str = ""
    cut: int = 0


@dataclass(frozen=True)
class ProposedCall:
    """One tool call as the framework proposed it.

    Attributes:
        number: 1, 2, … in the order of the pause; part of the call id.
        framework_call_id: the framework's id of the call; not unique by itself (LangChain re-uses them).
        interrupt_id: the framework's id of the question, where it has one.
        arguments: parsed exactly (`placet.model.canonical.parse`).
        schema: the tool's own JSON Schema, if the agent sent it.
        takes_key: whether the tool takes an idempotency key.
        unreadable: (argument, why) of values that have no certain reading; such a call may only be rejected.
    """

    number: int
    framework_call_id: str
    interrupt_id: str
    tool: str
    arguments: dict[str, Any]
    schema: dict[str, Any] | None = None
    takes_key: bool = False
    unreadable: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """The exact text of the arguments."""
        return exact_text(self.arguments)

    @property
    def digest(self) -> str:
        """The digest of the arguments' canonical form."""
        return digest(self.arguments)


@dataclass(frozen=True)
class NativePause:
    """What an adapter reads out of a framework's pause.

    Attributes:
        natural_key: repeatable for the same pause of the same run; its parts per framework are in docs/data-model.md.
        ref: what the framework needs to find the paused place again.
        earlier_key: the natural key that earlier releases made of the same parts; empty where it is the same.
    """

    natural_key: str
    ref: dict[str, str]
    calls: tuple[ProposedCall, ...]
    earlier_key: str = ""


@dataclass(frozen=True)
class Capture:
    """A paused run as it was handed in; everything but `agent`, `by` and `kept_out` is the agent's word.

    Attributes:
        confidence: how sure the agent says it is, 0 to 1.
        numbers: what the agent counted, by name: rows that an update would touch, steps and cost of the run so far.
        before: the tool that the run called before these; empty when they are its first, None when nobody said.
        by: the verb that captured it, when its agent did not hand it in.
        kept_out: who has no say in it beside its requester and owner, by every name that is known of them.
    """

    agent: str
    framework: str
    run: str
    native: NativePause
    native_text: str
    entity: str = ""
    requester: str = ""
    evidence: tuple[Evidence, ...] = ()
    says: str = ""
    facts: dict[str, str] = field(default_factory=dict)
    parent: str = ""
    wait_at_most_s: int | None = None
    by: str = ""
    confidence: Number | None = None
    numbers: dict[str, Number] = field(default_factory=dict)
    before: str | None = None
    kept_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class BedrockTarget:
    """How a Bedrock agent is invoked, and who runs its calls when Bedrock cannot.

    Attributes:
        agent_id, alias_id: of an agent that exists; empty for an inline agent.
        definition: name of the inline agent's definition, deployed beside the policy; empty for an agent with an alias.
        executor: the Lambda that runs one decided call under a permit.
        session_ttl_s: after this long without a turn Bedrock forgets the session.
        verified: its action-group Lambdas claim the permit themselves (`placet.client.bedrock.verified_action`).
        idempotent: the executor takes an idempotency key.
        action_role: name of the IAM role of the action-group Lambdas, which may claim and report.
    """

    agent_id: str
    alias_id: str
    definition: str
    executor: str
    session_ttl_s: int
    verified: bool = False
    idempotent: bool = False
    action_role: str = ""
    region: str = ""


@dataclass(frozen=True)
class Agent:
    """One entry of the agent registry that is deployed with the stack.

    Attributes:
        role: name of the IAM role its processes run under.
        owner: the person who answers for the agent and therefore may not decide its calls.
        target: `pick_up`, `lambda`, `sqs`, `webhook`, `bedrock` or `bedrock_inline`: how decisions reach it.
        function: the Lambda to invoke, for `lambda`.
        queue: name of the FIFO queue, for `sqs`.
        url, secret: https address and the name of its signing secret, for `webhook`.
        bedrock: for `bedrock` and `bedrock_inline`.
        keeps_runs_s: how long its saver keeps a paused run; 0 when nobody said.
        built_with: the framework of one that hands in its own pauses.
        executor: the Lambda that runs what people propose beside its runs, of an agent whose tools run in its own processes.
    """

    name: str
    role: str
    owner: str
    target: str
    function: str = ""
    queue: str = ""
    url: str = ""
    secret: str = ""
    bedrock: BedrockTarget | None = None
    keeps_runs_s: int = 0
    built_with: str = UNSAID
    executor: str = ""

    @property
    def executes(self) -> str:
        """The Lambda that runs decided calls in its place; empty without one."""
        return self.bedrock.executor if self.bedrock is not None else self.executor

    @property
    def framework(self) -> str:
        """The framework whose pauses it has, and no other's."""
        return "bedrock" if self.bedrock is not None else self.built_with


class ByBadge(str):
    """The name of a group in which somebody is by a badge: a write checks another item for it."""

    __slots__ = ()


@dataclass(frozen=True)
class Reviewer:
    """A signed-in person: `sub` from the verified token or session, the rest from our own memberships; never from a body.

    Attributes:
        badges: of `groups`, those in which they are by what their sign-in said alone.
        email: where mails go; `addresses`: all that their memberships know of, because each may be entered with another one.
    """

    sub: str
    name: str
    email: str
    groups: frozenset[str] = frozenset()
    addresses: frozenset[str] = frozenset()
    badges: frozenset[str] = frozenset()

    def membership(self, group: str) -> str:
        """A group of theirs, as a write that checks it takes it."""
        return ByBadge(group) if group in self.badges else group

    @property
    def names(self) -> frozenset[str]:
        """Under what a requester or an owner may mean this person."""
        return frozenset({self.sub, self.email, *self.addresses} - {""})


def call_id(pause: str, number: int) -> str:
    """The public id of a call."""
    return f"{pause}-{number}"


def split_call_id(call: str) -> tuple[str, int]:
    """Pause id and number of a call id. Raises NotFound for anything that cannot be one."""
    pause, _, number = call.partition("-")
    if not is_pause_id(pause) or not is_call_number(number):
        raise NotFound
    return pause, int(number)
