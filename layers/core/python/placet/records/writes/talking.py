"""What is said about a pause beside its decisions: events of its own. The first of them leaves one mark on the head."""

from __future__ import annotations

from placet.model.events import Event, EventName
from placet.model.pauses import Reviewer
from placet.model.people import address_marks
from placet.records import clauses as c
from placet.records.heads import Head
from placet.records.keys import Keys
from placet.records.ops import Op, update
from placet.records.writes.telling import put_event


def comment(keys: Keys, head: Head, number: int, person: Reviewer, text: str, now_ms: int) -> list[Op]:
    """What a person says, as the comment of this number: of two at once one takes it, and the other the next.

    The mark has the page look for events; no other write is judged by it.
    """
    marks = sorted(address_marks(person.names))  # so that whoever has several accounts is counted as one person
    event = Event(EventName.COMMENTED, now_ms, {"by": person.sub, "by_name": person.name, "marks": marks, "text": text})
    told: list[Op] = [put_event(keys, head.pause, comment_fact(number), event)]
    return told if head.said else [*told, update(keys.head(head.pause), [c.head_known()], set={"said": True})]


def comment_fact(number: int) -> str:
    """The unique name of a comment; in the order of these names they were said."""
    return f"comment#{number:03}"
