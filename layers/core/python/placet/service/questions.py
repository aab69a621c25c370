"""What was asked about the calls of a pause and what was answered, read from its record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from placet.model.errors import Lost
from placet.model.pauses import Reviewer, call_id
from placet.records import writes
from placet.records.answers import Answer, read_answer
from placet.records.calls import HeadCall
from placet.records.facts import NOTHING, Fact, read_fact
from placet.records.heads import Head
from placet.service.happened import Answered, Question
from placet.service.loading import fetched, readable, reading
from placet.service.ports import Ports


@dataclass(frozen=True)
class OpenQuestion:
    """A question that waits for its agent: of which call, its number and the group whose member asks. It names no person."""

    call: str
    question: int
    group: str
    at_ms: int
    revision: int
    text: str


def answers_of(ports: Ports, pause: str, call: HeadCall) -> dict[int, Answer]:
    """The answers about one call, by the number of their question, from the last one back. Raises Unreadable."""
    found: dict[int, Answer] = {}
    named = call.questions.answer
    with reading(pause):
        while named:
            item = ports.table.get(ports.keys.answer(pause, call.number, named))
            if item is None:
                raise Lost("answer_lost", "answer about this call")
            one = read_answer(item, fetched(ports, item), named)
            found[one.question], named = one, one.before
    return found


def questions_in(ports: Ports, head: Head, facts: Mapping[str, Fact], reviewer: Reviewer) -> tuple[Question, ...]:
    """The questions about the calls of a pause with their answers, in the order of time, as this person sees them.

    Args:
        facts: the events of the pause by sort key. A question whose event cannot be read has no words.
    """
    found = []
    for call in head.calls:
        answers = answers_of(ports, head.pause, call) if call.questions.answer else {}
        for number in range(1, call.questions.asked + 1):
            fact = facts.get(f"E#{writes.asked_fact(call.number, number)}", NOTHING)
            found.append(_question(call.number, number, fact, answers.get(number), reviewer))
    return tuple(sorted(found, key=lambda one: (one.at_ms, one.call, one.number)))


def open_questions(ports: Ports, head: Head) -> tuple[OpenQuestion, ...]:
    """What an agent is asked about calls that wait, in the order of the calls. One read, and none where nothing is asked."""
    wanted = {
        ports.keys.event(head.pause, writes.asked_fact(call.number, number)): (call.number, number)
        for call in head.pending
        for number in call.questions.open
    }
    items = ports.table.get_many(list(wanted)) if wanted else {}
    stored = [(wanted[key], items[key]) for key in wanted if key in items]
    told = readable(ports, stored, lambda one: (one[0], read_fact(one[1])))
    return tuple(
        OpenQuestion(call_id(head.pause, call), number, fact.membership, fact.at_ms, fact.revision, fact.text)
        for (call, number), fact in told
    )


def _question(call: int, number: int, fact: Fact, answer: Answer | None, reviewer: Reviewer) -> Question:
    told = None if answer is None else Answered(answer.at_ms, answer.revision, answer.text, answer.evidence)
    mine = bool(fact.by) and fact.by == reviewer.sub
    return Question(call, number, fact.who, mine, fact.at_ms, fact.revision, fact.text, told)
