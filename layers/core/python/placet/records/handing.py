"""Whom a call was handed to before their level is reached: a person or a group of a level of its class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from placet.model.acting import Acting
from placet.records.reading import typed

MOST_HANDED = 10  # of one call: they stand in the record that every decision writes


@dataclass(frozen=True)
class Handed:
    """One handing on.

    Attributes:
        level: of the one it was handed to, in the class of the call.
        to_name, by_name: as pages show them; `at_ms`: when.
    """

    level: int
    to_name: str
    by_name: Acting
    at_ms: int

    @property
    def item(self) -> dict[str, Any]:
        """As it is stored: `by_name` is who did it, with the one in whose place, and then both stand beside it too."""
        by, told = self.by_name, {"level": self.level, "to_name": self.to_name, "at_ms": self.at_ms}
        return told | {"by_name": str(by)} | ({"by": [by.name, by.in_place_of]} if by.in_place_of else {})


def to_person(sub: str) -> str:
    """The key of a person, whatever their group."""
    return f"U#{sub}"


def to_group(group: str) -> str:
    """The key of a group: of whoever is a member when they decide."""
    return f"G#{group}"


def read_handed(raw: Any) -> dict[str, Handed]:
    """Whom a stored call was handed to, by their key. Raises what an odd one raises."""
    return {
        key: typed(Handed(one["level"], one["to_name"], Acting(*one.get("by", (one["by_name"],))), one["at_ms"]))
        for key, one in raw.items()
    }
