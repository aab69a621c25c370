"""answer: an agent answers what was asked about a call of its pause. The call is a new revision by that, with the same arguments.

Whoever agreed before agreed to another text: earlier votes are gone, and an old page decides nothing any more. What rules found is
not judged again: an answer can lessen nothing of what is asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from placet.model.canonical import MAX_BODY_BYTES, exact_text
from placet.model.canonical import digest as digest_of
from placet.model.errors import Busy, Conflict, NotFound, TooLarge
from placet.model.limits import LONGEST_ANSWER
from placet.model.pauses import Agent, Evidence, split_call_id
from placet.model.states import CallState
from placet.records import writes
from placet.records.answers import answer_content, put_answer
from placet.records.bodies import evidence_content
from placet.records.calls import HeadCall
from placet.records.conditions import failing
from placet.records.heads import Head
from placet.records.ops import ConditionFailed, Update
from placet.service.comment import said
from placet.service.loading import call_of, fact_of, not_frozen, store
from placet.service.origin import pause_of
from placet.service.ports import Ports
from placet.service.questions import answers_of
from placet.service.timely import write_timely

ATTEMPTS = 8


@dataclass(frozen=True)
class Answered:
    """The stored answer: the revision that the call has by it."""

    call: str
    question: int
    revision: int
    at_ms: int
    replayed: bool


def answer(ports: Ports, agent: Agent, call: str, question: int, text: str, evidence: tuple[Evidence, ...]) -> Answered:
    """Answer one question about a call of this agent that waits. The same answer again is the same.

    Raises:
        NotFound: absent, another agent's, or no such question.
        Invalid: `text_missing`, `text_too_long`.
        TooLarge: `answers_full`, the pause's answers would not fit onto its page any more.
        Conflict: `question_answered`, in other words; `answer_too_late`, nobody decides the call any more.
        Busy: the record did not come to rest within the request. Frozen.
    """
    pause, number = split_call_id(call)
    not_frozen(ports)
    text = said(text, LONGEST_ANSWER)
    for _ in range(ATTEMPTS):
        head = pause_of(ports, agent, pause)
        current = call_of(head, number)
        if not 1 <= question <= current.questions.asked:
            raise NotFound
        if question not in current.questions.open:
            return _told_before(ports, head, current, question, text, evidence)
        _check_waits(ports, current)
        _check_size(ports, head, text, evidence)
        now = ports.clock.now_ms()
        content = answer_content(question, current.rev + 1, text, evidence, current.questions.answer, now)
        body = put_answer(ports.keys, pause, number, content)
        store(ports, body)
        told = _told(ports, head, current, question)
        answering = writes.Answering(current, question, digest_of(content), told)
        try:
            write_timely(ports, partial(writes.answer, ports.keys, head, answering))
        except ConditionFailed as lost:
            _judge(lost)
            continue  # another question or answer came, or the answer to this very write was lost
        return Answered(call, question, current.rev + 1, now, replayed=False)
    raise Busy


def _check_waits(ports: Ports, call: HeadCall) -> None:
    if call.state is not CallState.PENDING or call.deadline_ms <= ports.clock.now_ms():
        raise _too_late()


def _check_size(ports: Ports, head: Head, text: str, evidence: tuple[Evidence, ...]) -> None:
    """All answers about the calls of a pause are together no more than a request may hold: they stand on one page with it.

    The write compares the questions of every call that waits, so no other answer comes in between. Raises TooLarge `answers_full`.
    """
    before = [one for call in head.calls for one in answers_of(ports, head.pause, call).values()]
    left = MAX_BODY_BYTES - sum(_bytes(one.text, one.evidence) for one in before)
    if _bytes(text, evidence) > left:
        says = f"The answers about a pause have at most {MAX_BODY_BYTES} bytes together; {max(left, 0)} are left."
        raise TooLarge("answers_full", says, limit=MAX_BODY_BYTES)


def _bytes(text: str, evidence: tuple[Evidence, ...]) -> int:
    return len(exact_text([text, *map(evidence_content, evidence)]).encode())


def _too_late() -> Conflict:
    return Conflict("answer_too_late", "Nobody is asked about this call now; the answer was not taken.")


def _told_before(
    ports: Ports, head: Head, call: HeadCall, question: int, text: str, evidence: tuple[Evidence, ...]
) -> Answered:
    """The stored answer, when the same comes again."""
    known = answers_of(ports, head.pause, call).get(question)
    if known is None:
        raise NotFound
    if (known.text, known.evidence) != (text, evidence):
        raise Conflict("question_answered", "This question has another answer already, which stands.")
    return Answered(f"{head.pause}-{call.number}", question, known.revision, known.at_ms, replayed=True)


def _told(ports: Ports, head: Head, call: HeadCall, question: int) -> tuple[str, ...]:
    """Who learns of it by mail: who asked, also the person in whose place, and whose vote is gone by it."""
    asked = fact_of(ports, head.pause, writes.asked_fact(call.number, question))
    return tuple(sorted({*call.votes, asked.by, asked.in_place_of} - {""}))


def _judge(lost: ConditionFailed) -> None:
    if isinstance(lost.op, Update) and lost.old is not None:
        failed = failing(lost.op.clauses, lost.old)
        if "call_pending" in failed or "in_time" in failed:
            raise _too_late()
