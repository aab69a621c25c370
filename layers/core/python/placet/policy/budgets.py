"""Rules about how much in all: a budget that calls share, so that nine times 99 is not nine small amounts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

from placet.model.canonical import canonical
from placet.model.folding import key, two_ways
from placet.model.people import names_in
from placet.policy.checks import check_exact, check_texts
from placet.policy.facts import Facts, Of, Question, Spending, Unjudged
from placet.policy.places import addable, added, numbers_at, place_of
from placet.policy.spelling import seen
from placet.policy.thresholds import shown

ONE = Decimal(1)


class Per(StrEnum):
    """When a budget begins anew."""

    DAY = "day"  # of UTC
    RUN = "run"


@dataclass(frozen=True)
class Budget:
    """Calls that would bring a sum over `limit` are looked at. What passes without a person adds to the sum.

    Rules with the same id share one sum, whichever tools they stand at. Names of entities and requesters are one name in any
    spelling; a call without one, or with one that may be read in two ways, could not be judged.

    Attributes:
        limit: what the sum may reach.
        of: whose sum: `Of.AGENT`, `Of.ENTITY` or `Of.REQUESTER`.
        per: `Per.DAY`, or `Per.RUN`.
        argument: the place of the amount; with `number` empty too, each call counts one: `Budget(..., 20, per=Per.RUN)`, 20 steps.
        number: or the name of one of the agent's own numbers, like the cost of the run's last step.
    """

    id: str
    sentence: str
    limit: Decimal | int
    of: Of = Of.AGENT
    per: Per = Per.DAY
    argument: str = ""
    number: str = ""

    def __post_init__(self) -> None:
        place = f"rule {self.id}"
        check_texts(place, self, ("id",), ("sentence", "argument", "number"))
        check_exact(f"{place}: limit", self.limit)
        if self.limit < 0:
            raise ValueError(f"{place}: limit is {self.limit}, under zero, so every call fires: write Always")
        if self.argument and self.number:
            raise ValueError(
                f"{place}: number is {self.number!r} and argument {self.argument!r}: an amount is one of them"
            )
        if self.argument:
            place_of(self.argument)
        if not isinstance(self.of, Of) or self.of is Of.TOOL:
            raise ValueError(f"{place}: of is Of.AGENT, Of.ENTITY or Of.REQUESTER, and is {self.of!r}")
        if not isinstance(self.per, Per):
            raise ValueError(f"{place}: per is Per.DAY or Per.RUN, and is {self.per!r}")

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        """Whether the sum would be over the limit. Raises Unjudged."""
        question = self._question(arguments, facts)
        return added(facts.spent(question), question.amount) > self.limit

    def asks(self, arguments: dict[str, Any], facts: Facts) -> Iterator[Question]:
        """What was spent so far. Raises Unjudged."""
        yield self._question(arguments, facts)

    def says(self, arguments: dict[str, Any], facts: Facts) -> str:
        """The sum so far, the amount of this call, and the limit."""
        question = self._question(arguments, facts)
        spent, amount, limit = (shown(one) for one in (facts.spent(question), question.amount, question.limit))
        whose = f"this {self.of.value}{', today' if self.per is Per.DAY else ', in this run'}"
        return f"Of {limit} for {whose}, {spent} is spent; this call adds {amount}."

    def _question(self, arguments: dict[str, Any], facts: Facts) -> Spending:
        whose = {Of.AGENT: facts.agent, Of.ENTITY: facts.entity, Of.REQUESTER: facts.requester}[self.of]
        if not whose or (self.per is Per.RUN and not facts.run):
            raise Unjudged(f"nobody said which {self.of.value if not whose else 'run'} it is")
        if self.of is not Of.AGENT and two_ways(whose):
            raise Unjudged(f"the {self.of.value} is written with a sign that may be read in two ways")
        name = whose if self.of is Of.AGENT else _one_spelling(whose)
        counter = [self.id, self.of.value, name, *([facts.agent, facts.run] if self.per is Per.RUN else [])]
        return Spending(canonical(counter), self._amount(arguments, facts), Decimal(self.limit), self.per is Per.DAY)

    def _amount(self, arguments: dict[str, Any], facts: Facts) -> Decimal:
        if self.number:
            said: object = facts.numbers.get(self.number)
            if not isinstance(said, Decimal):
                raise Unjudged(f"the agent did not say {self.number}")
            numbers: tuple[Decimal, ...] = (said,)
        else:
            numbers = numbers_at(self.argument, arguments) if self.argument else (ONE,)
        total = Decimal(0)
        for number in numbers:
            if number < 0:
                raise Unjudged(f"{self.argument or self.number} is under zero")
            total = added(total, addable(self.argument or self.number, number))
        return addable(self.argument or self.number, total)


def _one_spelling(whose: str) -> str:
    """An entity or a person in one spelling: the shortest address that a text means, else what looks alike."""
    addresses = sorted((key(name) for name in names_in(whose) if "@" in name), key=lambda name: (len(name), name))
    return (addresses[0] if addresses else key(whose)) or seen(whose) or whose
