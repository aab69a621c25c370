"""What an event tells, read back. The head decides; an event only says how it came about, so one that is gone stops nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from placet.model.absences import InPlaceOf
from placet.model.acting import Acting
from placet.model.pauses import Reviewer
from placet.model.people import address_marks
from placet.records.ops import Item
from placet.records.reading import reads, typed


@dataclass(frozen=True)
class Fact:
    """One stored event, as far as verbs and pages read it (`placet.model.events` has all of it).

    Attributes:
        calls: numbers of the calls that it is about, where it is about several. `level`: the highest that one reached by it.
        pause: another pause that it names. marks: of whose addresses it is (`model.people.address_marks`), where that is told.
        in_place_of: the `sub` of the person who was away, when somebody did it in their place.
        membership: the group by which the person did it. people: how many were to be mailed by it.
    """

    name: str = ""
    at_ms: int = 0
    by: str = ""
    by_name: str = ""
    in_place_of: str = ""
    in_place_of_name: str = ""
    verdict: str = ""
    digest: str = ""
    reason: str = ""
    result: str = ""
    text: str = ""
    call: int = 0
    before_ms: int = 0
    until_ms: int = 0
    calls: tuple[int, ...] = ()
    pause: str = ""
    level: int = 0
    marks: tuple[str, ...] = ()
    question: int = 0
    revision: int = 0
    membership: str = ""
    people: int = 0

    @property
    def who(self) -> Acting:
        """The person who did it, with the one in whose place; empty when nobody did."""
        return Acting(self.by_name, self.in_place_of_name)


def acting(person: Reviewer, away: InPlaceOf | None) -> Acting:
    """Who does something, with the one in whose place."""
    return Acting(person.name, away.name if away else "")


def count_of(facts: Iterable[Fact], person: Reviewer) -> int:
    """How many of these a person did, with whatever account that has one of their addresses."""
    own = address_marks(person.names)
    return sum(one.by == person.sub or bool(own.intersection(one.marks)) for one in facts)


NOTHING = Fact()


@reads("event of this pause")
def read_fact(item: Item) -> Fact:
    """The fact in a stored event. Raises Parked, Damaged."""
    told = {name: item[name] for name in Fact.__dataclass_fields__ if name in item}
    several = {name: tuple(item.get(name, ())) for name in ("calls", "marks")}
    return typed(Fact(**{**told, "name": item["name"], "at_ms": item["at_ms"], **several}))
