"""The call that takes another one back: built from what it was called with and what it answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from placet.model.canonical import Lexeme
from placet.policy.checks import check_texts
from placet.policy.facts import Unjudged
from placet.policy.places import place_of, values_at


@dataclass(frozen=True)
class Argument:
    """A value of the undo call: what the first call had at this place."""

    place: str


@dataclass(frozen=True)
class Outcome:
    """A value of the undo call: what the first call answered, or what stands at this place of its answer."""

    place: str = ""


Source = Argument | Outcome | str | int | bool


@dataclass(frozen=True)
class Undo:
    """How a call is taken back: `Undo("cancel_refund", {"refund_id": Outcome("id"), "order_id": Argument("order_id")})`.

    Attributes:
        tool: proposed as a call of its own, which the policy judges like any other.
        arguments: where each of its arguments comes from; a text, whole number, True or False stands for itself.
    """

    tool: str
    arguments: Mapping[str, Source]

    def __post_init__(self) -> None:
        place = f"undo by {self.tool}"
        check_texts(place, self, ("tool",), ())
        if not isinstance(self.arguments, Mapping) or not all(
            isinstance(name, str) and name for name in self.arguments
        ):
            raise ValueError(
                f'{place}: arguments is a dict by name, written {{"id": Outcome("id")}}, and is {self.arguments!r}'
            )
        for name, source in self.arguments.items():
            _check(f"{place}: {name}", source)

    def call(self, arguments: dict[str, Any], outcome: Any) -> dict[str, Any]:
        """The arguments of the undo call.

        Args:
            outcome: what the first call answered, parsed if it is JSON, else its text.

        Raises Unjudged where something is not there: then nothing can be proposed.
        """
        return {name: _value(source, arguments, outcome) for name, source in self.arguments.items()}


def _check(place: str, source: object) -> None:
    if isinstance(source, Argument) or (isinstance(source, Outcome) and source.place):
        found = place_of(source.place)
        if found.of or None in found.steps:
            raise ValueError(f"{place} must be one value, and is {source.place!r}")
    elif not isinstance(source, Outcome | str | int) or isinstance(source, Lexeme):
        raise ValueError(
            f"{place} is Argument(...), Outcome(...), a text, a whole number, True or False, and is {source!r}"
        )


def _value(source: Source, arguments: dict[str, Any], outcome: Any) -> Any:
    if isinstance(source, Argument):
        return values_at(source.place, arguments)[0]
    if not isinstance(source, Outcome):
        return source
    if source.place and not isinstance(outcome, dict):
        raise Unjudged(f"the answer holds no {source.place}")
    value = values_at(source.place, outcome)[0] if source.place else outcome
    if value is None:
        raise Unjudged(f"the answer holds null for {source.place}" if source.place else "the answer is null")
    return value
