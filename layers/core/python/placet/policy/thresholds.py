"""Rules about how much: an argument, a number that the agent hands in, its confidence."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from placet.policy.checks import check_exact, check_texts
from placet.policy.facts import Facts, Unjudged
from placet.policy.places import numbers_at, place_of


@dataclass(frozen=True)
class Threshold:
    """Calls in which a number of `argument` is over `above` or under `below` are looked at.

    Attributes:
        argument: a place: `amount`, `items[].price` (any of them), `len(recipients)`, `sum(items[].price)`.
        above: what is over it fires. Without `below`, so does what is under zero: a negative amount is not a small one.
        below: what is under it fires.
    """

    id: str
    sentence: str
    argument: str
    above: Decimal | int | None = None
    below: Decimal | int | None = None

    def __post_init__(self) -> None:
        place = f"rule {self.id}"
        check_texts(place, self, ("id", "argument"), ("sentence",))
        _check_place(place, self.argument)
        if self.above is None and self.below is None:
            raise ValueError(
                f"{place}: above is an exact number, or below is; without both it says nothing, and is None"
            )
        for field, limit in (("above", self.above), ("below", self.below)):
            if limit is not None:
                check_exact(f"{place}: {field}", limit)
        if self.above is not None and self.least is not None and self.above < self.least:
            raise ValueError(f"{place}: above is {self.above}, under {self.least}, so every number fires: write Always")

    @property
    def least(self) -> Decimal | int | None:
        """The smallest number that does not fire; None when none is too small."""
        return Decimal(0) if self.below is None else self.below

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        """Whether any of the numbers is outside. Raises Unjudged."""
        return any(
            (self.above is not None and number > self.above) or (self.least is not None and number < self.least)
            for number in numbers_at(self.argument, arguments)
        )


@dataclass(frozen=True)
class NumberOver:
    """Calls for which the agent's own number, like the rows that an update would touch, is over `above`, or under zero.

    The reviewer reads it as the agent's word. What the agent does not hand in could not be judged.

    Attributes:
        number: its name in the `numbers` of the pause.
    """

    id: str
    sentence: str
    number: str
    above: Decimal | int

    def __post_init__(self) -> None:
        check_texts(f"rule {self.id}", self, ("id", "number"), ("sentence",))
        check_exact(f"rule {self.id}: above", self.above)

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        """Whether it is over the limit. Raises Unjudged."""
        return not 0 <= self._said(facts) <= self.above

    def says(self, arguments: dict[str, Any], facts: Facts) -> str:
        """The number, as the agent's word."""
        return f"The agent says {self.number}: {shown(self._said(facts))}."

    def _said(self, facts: Facts) -> Decimal:
        said: object = facts.numbers.get(self.number)
        if not isinstance(said, Decimal) or not said.is_finite():
            raise Unjudged(f"the agent did not say {self.number}")
        return said


@dataclass(frozen=True)
class ConfidenceBelow:
    """Calls of which the agent is less sure than `least` are looked at, and those of which it does not say how sure it is.

    It can only ask more: an agent that is sure of itself opens nothing that another rule holds.

    Attributes:
        least: over 0 and at most 1.
    """

    id: str
    sentence: str
    least: Decimal

    def __post_init__(self) -> None:
        place = f"rule {self.id}"
        check_texts(place, self, ("id",), ("sentence",))
        check_exact(f"{place}: least", self.least)
        if not 0 < self.least <= 1:
            raise ValueError(
                f"{place}: least is over 0 and at most 1, and is {self.least}: else it never or always fires"
            )

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        """Whether the agent is too unsure. Raises Unjudged."""
        return self._said(facts) < self.least

    def says(self, arguments: dict[str, Any], facts: Facts) -> str:
        """The confidence, as the agent's word."""
        return f"The agent says: {shown(self._said(facts))}."

    def _said(self, facts: Facts) -> Decimal:
        said: object = facts.confidence
        if not isinstance(said, Decimal) or not said.is_finite() or not 0 <= said <= 1:
            raise Unjudged("the agent did not say how sure it is, between 0 and 1")
        return said


def shown(number: Decimal) -> str:
    """A number for a sentence: as it is, or its magnitude when it is long."""
    text = str(number)
    return text if len(text) <= 24 else f"{number:.3E}"


def _check_place(place: str, argument: str) -> None:
    try:
        place_of(argument)
    except ValueError as error:
        raise ValueError(f"{place}: argument must be a place, and is none: {error}") from None
