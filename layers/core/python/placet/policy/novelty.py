"""Rules about what is new: who touches something for the first time, and tools in an order that was never seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from placet.model.canonical import Lexeme, canonical
from placet.policy.checks import check_texts
from placet.policy.facts import Facts, Of, OrderSeen, Question, Seen, Unjudged
from placet.policy.places import place_of, values_at

MOST_TOUCHED = 10  # different values of one call: each is a read
LONGEST_KEY = 512  # characters of what is touched


@dataclass(frozen=True)
class FirstTime:
    """Calls that touch something which this agent, or any agent by this tool, never touched before in a call that was let through.

    Values are compared to the letter: a name that only looks like a known one is new. What another tool touched is new
    here, unless both rules name the same `kind`: else an agent could make an account known by looking it up.

    Attributes:
        of: `Of.AGENT` or `Of.TOOL`.
        argument: the place of what is touched: `account_id`, `transfers[].to`.
        kind: what the value names, where several tools shall share what is known; each of them then makes it known to all.
    """

    id: str
    sentence: str
    argument: str
    of: Of = Of.AGENT
    kind: str = ""

    def __post_init__(self) -> None:
        place = f"rule {self.id}"
        check_texts(place, self, ("id", "argument"), ("sentence", "kind"))
        place_of(self.argument)
        if self.of not in (Of.AGENT, Of.TOOL) or not isinstance(self.of, Of):
            raise ValueError(f"{place}: of is Of.AGENT or Of.TOOL, and is {self.of!r}")

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        """Whether anything of it is new. Raises Unjudged."""
        return not all([facts.is_so(question) for question in self._questions(arguments, facts)])

    def asks(self, arguments: dict[str, Any], facts: Facts) -> Iterator[Question]:
        """Whether each value was touched before. Raises Unjudged."""
        yield from self._questions(arguments, facts)

    def _questions(self, arguments: dict[str, Any], facts: Facts) -> list[Seen]:
        name = facts.agent if self.of is Of.AGENT else facts.tool
        if not name:
            raise Unjudged(f"nobody said which {self.of.value} it is")
        values = dict.fromkeys(self._key(value, facts.tool) for value in values_at(self.argument, arguments))
        if len(values) > MOST_TOUCHED:
            raise Unjudged(f"{self.argument} names more than {MOST_TOUCHED} at once")
        return [Seen(self.of, name, key) for key in values]

    def _key(self, value: Any, tool: str) -> str:
        if value is None or value == "" or not isinstance(value, str | int | Lexeme):
            raise Unjudged(f"{self.argument} is no name and no number")
        key = canonical([self.kind, value] if self.kind else [tool, self.argument, value])
        if len(key) > LONGEST_KEY:
            raise Unjudged(f"{self.argument} is longer than {LONGEST_KEY} characters")
        return key


@dataclass(frozen=True)
class UnseenOrder:
    """Calls of this tool right after one after which this agent never called it, in any run before."""

    id: str
    sentence: str

    def __post_init__(self) -> None:
        check_texts(f"rule {self.id}", self, ("id",), ("sentence",))

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        """Whether the order is new. Raises Unjudged."""
        return not facts.is_so(self._question(facts))

    def asks(self, arguments: dict[str, Any], facts: Facts) -> Iterator[Question]:
        """Whether these two came in a row before. Raises Unjudged."""
        yield self._question(facts)

    def _question(self, facts: Facts) -> OrderSeen:
        if not facts.agent or not facts.tool or facts.before is None:
            raise Unjudged("nobody said which tool was called before")
        return OrderSeen(facts.agent, facts.tool, facts.before)
