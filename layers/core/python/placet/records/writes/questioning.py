"""ask: somebody who may decide a call asks its agent about it. answer: the agent does, and the call is a new revision by that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from placet.model.absences import InPlaceOf, all_names
from placet.model.events import Event, EventName
from placet.model.pauses import Reviewer
from placet.model.people import address_marks
from placet.records import clauses as c
from placet.records.calls import HeadCall
from placet.records.heads import Head
from placet.records.keys import Keys
from placet.records.ops import Op, update
from placet.records.questions import OPEN
from placet.records.writes.asked import questions_told
from placet.records.writes.deciding import apart, right_checks, right_clauses
from placet.records.writes.places import Move, placed
from placet.records.writes.telling import by_whom, put_event

TOLD_ANSWER = "answered"  # why somebody is mailed whose question is answered


@dataclass(frozen=True)
class Asking:
    """A question about one call, and who asks it.

    Attributes:
        revision: of the call, on the page of who asks.
        group, level, in_place_of, handed: the right that is used, as in `Ballot`.
    """

    reviewer: Reviewer
    call: HeadCall
    revision: int
    text: str
    group: str
    level: int
    in_place_of: InPlaceOf | None = None
    handed: str = ""

    @property
    def number(self) -> int:
        """The number of this question."""
        return self.call.questions.asked + 1

    @property
    def names(self) -> frozenset[str]:
        """Of everybody by whose right it is asked."""
        return all_names(self.reviewer.names, self.in_place_of)


@dataclass(frozen=True)
class Answering:
    """An answer, whose body is stored already.

    Attributes:
        question: its number; digest: of the answer's body.
        told: who is mailed: who asked, and whoever had a vote.
    """

    call: HeadCall
    question: int
    digest: str
    told: Sequence[str]


def ask(keys: Keys, head: Head, asking: Asking, now_ms: int) -> list[Op]:
    """A question stands beside a call that waits. Its revision, votes, deadline and place in the queue stay as they are."""
    number = asking.call.number
    clauses = [
        c.call_pending(number),
        c.shown_revision(number, asking.revision),
        c.in_time(number, now_ms),
        *apart(head, asking.names),
        *right_clauses(number, asking.level, asking.handed),
        c.questions_as_seen(number, asking.call.questions),
    ]
    changes: dict[str, Any] = {
        f"calls.{number}.questions": asking.call.questions.with_next().item,
        "card.question": OPEN,
        "said": True,
    }
    fields: dict[str, Any] = {
        "call": number,
        **by_whom(asking.reviewer, asking.in_place_of, asking.group),
        "question": asking.number,
        "revision": asking.revision,
        "marks": sorted(address_marks(asking.reviewer.names)),  # so that whoever has several accounts is counted once
        "text": asking.text,
    }
    return [
        update(keys.head(head.pause), clauses, set=changes),
        put_event(keys, head.pause, asked_fact(number, asking.number), Event(EventName.ASKED, now_ms, fields)),
        *right_checks(keys, asking.reviewer.sub, asking.group, asking.in_place_of, now_ms),
    ]


def answer(keys: Keys, head: Head, answering: Answering, now_ms: int) -> list[Op]:
    """An answer makes a new revision of its call, with the same arguments and without the votes that were given before it.

    Who asked and who had voted are written down as to be mailed, and the sweep comes at once to have it done; a pause that is
    listed as stuck keeps its moment. The card is judged by the questions of every open call.
    """
    call, number, at = answering.call, answering.call.number, f"calls.{answering.call.number}"
    questions = call.questions.answered(answering.question, answering.digest)
    after = [replace(one, questions=questions) if one.number == number else one for one in head.pending] or [call]
    move = _answered(keys, head, after, answering.told, now_ms).beside(questions_told(head, after))
    changes: dict[str, Any] = {
        f"{at}.rev": call.rev + 1,
        f"{at}.same_as": call.written_rev,
        f"{at}.questions": questions.item,
        **move.set,
    }
    gone: tuple[str, ...] = ()
    if call.quorum > 1:
        changes[f"{at}.votes"] = {}
        gone = (f"{at}.for", f"{at}.voted")
    clauses = [
        c.call_pending(number),
        c.shown_revision(number, call.rev),
        c.in_time(number, now_ms),
        *move.clauses,
    ]
    fields: dict[str, Any] = {
        "call": number,
        "question": answering.question,
        "revision": call.rev + 1,
        "digest": answering.digest,
        "agent": head.agent,
    }
    event = Event(EventName.ANSWERED, now_ms, fields)
    return [
        update(keys.head(head.pause), clauses, set=changes, remove=gone),
        put_event(keys, head.pause, answered_fact(number, answering.question), event),
    ]


def _answered(keys: Keys, head: Head, after: Sequence[HeadCall], told: Sequence[str], now_ms: int) -> Move:
    """Who asked is to be mailed. Of a pause that nobody sees now nobody is told anything."""
    if head.stuck or not head.notified_ms:
        return Move(head, judged=(c.same_work_list(head.wpk),))
    mails: dict[str, Any] = {"mails_missed": sorted({*head.mails_missed, *told})} if told else {}
    mails |= {"mails_why": TOLD_ANSWER} if told and not head.mails_missed else {}
    return placed(keys, head, after, now_ms, told).beside(Move(head, mails))


def asked_fact(number: int, question: int) -> str:
    """The unique name of a question; in the order of these names they were asked."""
    return f"{number}#asked#{question:02}"


def answered_fact(number: int, question: int) -> str:
    """The unique name of its answer: a question has one."""
    return f"{number}#answered#{question:02}"
