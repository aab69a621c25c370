"""What reviewers ask this agent about calls that wait, and its answers.

The call waits on meanwhile, and its deadline does not stop. An answer makes a new revision of the call, which its reviewers read
afresh; it changes no argument. Whoever wants other arguments takes the pause back and proposes anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from placet.client.gateway import Gateway


@dataclass(frozen=True)
class Question:
    """One question that waits for an answer.

    Attributes:
        call, question: which call, and the number of the question about it.
        group: the group whose member asks; no name of a person.
        at_ms: when it was asked.
        revision: of the call, as the person saw it.
        text: a person's words, of at most 1,000 characters.
    """

    call: str
    question: int
    group: str
    at_ms: int
    revision: int
    text: str

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Question:
        """From an answer of the gateway."""
        return cls(body["call"], body["question"], body["group"], body["at"], body["revision"], body["text"])


def open_questions(pause: str, gateway: Gateway | None = None) -> tuple[Question, ...]:
    """What was asked about the calls of a pause and has no answer yet. Raises as every method of Gateway."""
    return tuple(Question.of(one) for one in (gateway or Gateway()).questions(pause))


def answer(
    question: Question, text: str, evidence: Sequence[Mapping[str, Any]] = (), gateway: Gateway | None = None
) -> int:
    """Answer a question; the same answer again is the same. Gives the revision that the call is by it.

    Args:
        text: at most 4,000 characters; shown as the agent's words.
        evidence: pieces as of a capture, cut to what the gateway takes.

    Raises GatewayRefused `answer_too_late` when nobody is asked about the call any more, `question_answered` when it has another
    answer already; else as every method of Gateway.
    """
    gateway = gateway or Gateway()
    return int(gateway.answer(question.call, question.question, text, evidence)["revision"])
