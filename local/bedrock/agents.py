"""Scripted agents as data: which actions they have, how each is gated, and what they do when they are told no."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

LAST_WORD = re.compile(r"[A-Z]?[a-z0-9]+\Z")


class Mode(StrEnum):
    """How an action is gated: the values of `actionInvocationType`, and none for one that runs without asking."""

    RESULT = "RESULT"
    CONFIRM = "USER_CONFIRMATION"
    CONFIRM_AND_RESULT = "USER_CONFIRMATION_AND_RESULT"
    AT_ONCE = ""

    @classmethod
    def of(cls, returns_control: bool, confirms: bool) -> Mode:
        """What an executor and `requireConfirmation` make together."""
        if returns_control:
            return cls.CONFIRM_AND_RESULT if confirms else cls.RESULT
        return cls.CONFIRM if confirms else cls.AT_ONCE


@dataclass(frozen=True)
class Parameter:
    """One parameter of an action.

    Attributes:
        type: string, number, integer, boolean or array.
        default: the agent always sends this value; None: the prompt gives one.
        in_body: of an API operation: a property of its request body.
    """

    name: str
    type: str = "string"
    default: str | None = None
    in_body: bool = False


@dataclass(frozen=True)
class Action:
    """One function or API operation of an action group.

    Attributes:
        function: its name, for a function.
        method, path: for an API operation.
        verb: the word of a prompt that means it.
        runs: name of the Lambda that Bedrock itself would call, for whoever invokes it.
        agent: id of the collaborator that has it; empty for the agent itself.
        collaborator: that collaborator's name.
    """

    group: str
    mode: Mode
    function: str = ""
    method: str = ""
    path: str = ""
    parameters: tuple[Parameter, ...] = ()
    verb: str = ""
    runs: str = ""
    agent: str = ""
    collaborator: str = ""

    @property
    def tool(self) -> str:
        """The name under which a policy knows it."""
        return f"{self.group}.{self.function or f'{self.method} {self.path}'}"

    @property
    def word(self) -> str:
        """Its verb; the last word of its name when it has none of its own."""
        if self.verb:
            return self.verb
        if self.function:
            found = LAST_WORD.search(self.function)
            return (found[0] if found else self.function).lower()
        literal = [part for part in self.path.split("/") if part and not part.startswith("{")]
        return literal[-1] if literal else self.method.lower()

    @property
    def asked(self) -> tuple[Parameter, ...]:
        """The parameters that a prompt gives values for, in order."""
        return tuple(one for one in self.parameters if one.default is None)


@dataclass(frozen=True)
class Agent:
    """One agent.

    Attributes:
        idle_ttl_s: after so many seconds without a request its sessions are forgotten.
        complies: told no with the arguments of another call, it proposes exactly those.
        stubborn: told no, or told in a fresh session what became of its call, it proposes the very same once more.
    """

    id: str
    alias: str
    actions: tuple[Action, ...]
    name: str = ""
    version: str = "1"
    idle_ttl_s: float = 600.0
    complies: bool = False
    stubborn: bool = False

    def action(self, verb: str) -> Action | None:
        """The action that a word means; the first of two with the same word."""
        return next((one for one in self.actions if verb == one.word), None)

    def with_collaborator(self, name: str, agent: str, actions: Iterable[Action]) -> Agent:
        """The same with a collaborator, whose pauses surface on this agent's stream under its own id."""
        theirs = tuple(replace(one, agent=agent, collaborator=name) for one in actions)
        return replace(self, actions=self.actions + theirs)


REFUND = Action(
    "Refunds",
    Mode.RESULT,
    function="issueRefund",
    parameters=(
        Parameter("orderId"),
        Parameter("amountCents", "integer"),
        Parameter("notify", "boolean", "true"),
        Parameter("items", "array", "[1, 2]"),
    ),
)
REVERSE = Action(
    "Orders",
    Mode.RESULT,
    method="POST",
    path="/orders/{orderId}/refund",
    parameters=(
        Parameter("orderId"),
        Parameter("amountCents", "integer", in_body=True),
        Parameter("rate", "number", "1.50", in_body=True),
    ),
    verb="reverse",
)
TELL = Action(
    "Mail", Mode.RESULT, function="tellCustomer", parameters=(Parameter("to"), Parameter("text")), verb="tell"
)


def refund_agent(
    mode: Mode = Mode.RESULT,
    id: str = "AGENT12345",
    alias: str = "TSTALIASID",
    *,
    idle_ttl_s: float = 600.0,
    complies: bool = False,
    stubborn: bool = False,
    runs: str = "",
) -> Agent:
    """An agent that can `refund ORDER CENTS`, `reverse ORDER CENTS` (an API operation) and `tell WHOM WHAT`, all in one mode."""
    actions = tuple(replace(one, mode=mode, runs=runs) for one in (REFUND, REVERSE, TELL))
    return Agent(id, alias, actions, "refund-desk", "1", idle_ttl_s, complies, stubborn)


AGENTS = (
    refund_agent(),
    refund_agent(Mode.CONFIRM, "CONFIRM123"),
    refund_agent(Mode.CONFIRM_AND_RESULT, "BOTH123456"),
)
