"""What a rule may know of a call beside its arguments, and what it may ask. Values only: the service gathers, a rule reads.

A rule that needs something stored asks for it (`asks`), the service reads it in a bounded number of requests, and the answers
stand in `Facts.answers`. What is missing there could not be judged, and goes to a person.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType

MOST_QUESTIONS = 20  # of one call: each is a read; what is not asked has no answer, so its rule goes to a person


class Origin(StrEnum):
    """Whose words a passage is made of, as the agent says. Only the user's own are trusted."""

    USER = "user"
    TOOL = "tool"  # the result of an earlier call
    RETRIEVED = "retrieved"  # a document, a page, a mail
    AGENT = "agent"  # what the model wrote itself


class Of(StrEnum):
    """Of whom something is counted or remembered."""

    ENTITY = "entity"
    REQUESTER = "requester"
    AGENT = "agent"
    TOOL = "tool"


@dataclass(frozen=True)
class Passage:
    """One text that the run had before it when it proposed the call; everything but `origin` is hostile text.

    Attributes:
        source: the tool or document that it came from.
        cut: whether the text is not all of it. A passage that was left out whole is one without text that is cut.
    """

    origin: Origin
    text: str
    source: str = ""
    cut: bool = False


@dataclass(frozen=True)
class Seen:
    """Whether this agent (or this tool, by any agent) touched this before, in a call that was let through. The answer is a bool.

    Attributes:
        of: `AGENT` or `TOOL`; name: which one.
        key: what it touched: the kind and the exact value, in canonical JSON.
    """

    of: Of
    name: str
    key: str


@dataclass(frozen=True)
class OrderSeen:
    """Whether this agent called `tool` right after `before` in an earlier run. The answer is a bool.

    Attributes:
        before: the tool of the call before this one; empty when the run began with this one.
    """

    agent: str
    tool: str
    before: str


@dataclass(frozen=True)
class Spending:
    """What was spent of a budget so far, without this call: a Decimal. What passes without a person is added to it.

    Attributes:
        key: of the counter: budget, whose, and the run for a budget of one run; canonical JSON.
        amount: what this call would add, at most 38 digits, never below zero.
        limit: what the sum may reach.
        day: whether the counter begins anew each day (UTC); else it belongs to one run.
    """

    key: str
    amount: Decimal
    limit: Decimal
    day: bool


Question = Seen | OrderSeen | Spending
Answer = bool | Decimal

NOTHING: Mapping[str, Decimal] = MappingProxyType({})
UNANSWERED: Mapping[Question, Answer] = MappingProxyType({})


@dataclass(frozen=True)
class Facts:
    """What is known of one call. Everything but `agent` and `answers` is the agent's word, and only makes rules stricter.

    Attributes:
        tool: of the call; `rule_on` sets it.
        before: the tool that the run called before this one, empty at its start, None when nobody knows.
        passages: what the run had before it; empty when the agent handed in nothing, which is no proof of anything.
        confidence: between 0 and 1, None when the agent said none.
        numbers: by name, like the rows that an update would touch.
        named: the keys that the tool's schema names, wherever in it; all other keys of objects are the model's words.
        answers: to the questions of `questions_of`; a question without one could not be read.
    """

    agent: str = ""
    requester: str = ""
    entity: str = ""
    run: str = ""
    tool: str = ""
    before: str | None = None
    passages: tuple[Passage, ...] = ()
    confidence: Decimal | None = None
    numbers: Mapping[str, Decimal] = field(default_factory=lambda: NOTHING)
    named: frozenset[str] = frozenset()
    answers: Mapping[Question, Answer] = field(default_factory=lambda: UNANSWERED)

    def is_so(self, question: Seen | OrderSeen) -> bool:
        """The answer to a question of yes or no. Raises Unjudged."""
        answer = self.answers.get(question)
        if not isinstance(answer, bool):
            raise Unjudged("what happened before could not be read")
        return answer

    def spent(self, question: Spending) -> Decimal:
        """What was spent so far. Raises Unjudged."""
        answer = self.answers.get(question)
        if not isinstance(answer, Decimal) or not answer.is_finite():
            raise Unjudged("what was spent so far could not be read")
        return answer


NO_FACTS = Facts()


class Unjudged(Exception):
    """A rule cannot tell. The call goes to a person, who reads why.

    Args:
        why: what is missing, in words of the policy: names of arguments, never their values.
    """

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why
