"""Events: written with the change they tell, under a key that is unique per fact."""

from __future__ import annotations

from placet.model.absences import InPlaceOf
from placet.model.events import Event
from placet.model.pauses import Reviewer
from placet.records import clauses as c
from placet.records.keys import SCHEMA_VERSION, Keys
from placet.records.ops import Item, Put


def put_event(keys: Keys, pause: str, fact: str, event: Event) -> Put:
    """One fact under its unique key; the second telling of the same fact is refused."""
    item: Item = {
        **keys.event(pause, fact)._asdict(),
        "schema_version": SCHEMA_VERSION,
        "kind": "EVENT",
        "name": event.name.value,
        "at_ms": event.at_ms,
        **{name: value for name, value in event.fields.items() if value not in ("", None)},
    }
    return Put(item, (c.first(),))


def by_whom(person: Reviewer, away: InPlaceOf | None, group: str) -> dict[str, str]:
    """Who did something and in whose place, and the membership that gave the right, as an event tells them."""
    return {
        "by": person.sub,
        "by_name": person.name,
        "in_place_of": away.sub if away else "",
        "in_place_of_name": away.name if away else "",
        "membership": str(group),
    }


def generation_mark(gen: int) -> str:
    """What a fact's name ends in that is told once under each execution of a pause: with the next one its calls may begin anew."""
    return "" if gen == 1 else f"#g{gen}"
