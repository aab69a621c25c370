"""What the card of a pause says of the questions about its open calls: kept by every write that opens, closes or answers one."""

from __future__ import annotations

from collections.abc import Sequence

from placet.records import clauses as c
from placet.records.calls import HeadCall
from placet.records.heads import Head
from placet.records.questions import ANSWERED, OPEN
from placet.records.writes.places import Move


def questions_told(head: Head, calls: Sequence[HeadCall]) -> Move:
    """What the card says of questions once these are the open calls of a pause, as they are then.

    Judged on the questions of all that were open, and on that one of which it is said is open still.
    """
    says, speaks = max(((_says(call), call.number) for call in calls), key=lambda one: one[0])
    asked = bool(says or head.card.question)
    numbers = {call.number for call in calls}
    judged = [
        c.questions_as_seen(one.number, one.questions) for one in head.pending if asked or one.number not in numbers
    ]
    judged += [c.call_pending(speaks)] if says and speaks in {one.number for one in head.pending} else []
    text = ("", ANSWERED, OPEN)[says]
    if text == head.card.question:
        return Move(head, judged=tuple(judged))
    if not text:
        return Move(head, remove=("card.question",), judged=tuple(judged))
    return Move(head, {"card.question": text}, judged=tuple(judged))


def _says(call: HeadCall) -> int:
    """0: nobody asked about it; 1: all is answered; 2: its agent has not answered."""
    return 2 if call.questions.open else int(call.questions.asked > 0)
