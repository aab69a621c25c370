"""What an agent's process reads of questions, and what it sends as an answer: to a gateway of this process."""

from __future__ import annotations

import json
from typing import Any

import pytest

from placet.client.errors import GatewayRefused
from placet.client.gateway import Gateway
from placet.client.questions import Question, answer, open_questions
from placet.client.transport import Answer
from placet.model.limits import LONGEST_TEXT, MOST_EVIDENCE

CALL = "k3v7q2m5n4x6b2c7d2f2g2h4j6-1"
ASKED = {"call": CALL, "question": 2, "group": "finance", "at": 7, "revision": 1, "text": "Which order?"}


class Sent:
    """Keeps what it is sent, and answers with what it was given."""

    def __init__(self, body: dict[str, Any]) -> None:
        self.body, self.sent = body, []

    def send(self, method: str, path: str, body: str | None = None) -> Answer:
        self.sent.append((method, path, body))
        return Answer(self.body, 0)


def test_open_questions_are_values() -> None:
    sends = Sent({"pause": "k", "questions": [ASKED, {**ASKED, "question": 3, "more": True}]})
    first, second = open_questions("k/3", Gateway(transport=sends))
    assert first == Question(CALL, 2, "finance", 7, 1, "Which order?")
    assert second.question == 3
    assert sends.sent == [("GET", "/v1/pauses/k%2F3", None)]


def test_an_answer_is_sent_with_as_much_evidence_as_is_taken() -> None:
    sends = Sent({"call": CALL, "question": 2, "revision": 3, "at": 9, "replayed": False})
    question = Question.of(ASKED)
    assert answer(question, "Order \ud800 1182.", gateway=Gateway(transport=sends)) == 3
    pieces = [{"title": "t", "source": "s", "trusted": False, "text": "x" * 30_000, "origin": "tool"}] * 25
    answer(question, "Yes.", pieces, Gateway(transport=sends))
    (_, path, plain), (_, _, full) = sends.sent
    assert path == f"/v1/pauses/{CALL[:-2]}/answer"
    assert json.loads(plain) == {"call": CALL, "question": 2, "text": "Order ? 1182."}
    kept = json.loads(full)["evidence"]
    assert len(kept) <= MOST_EVIDENCE
    assert max(len(one["text"]) for one in kept) <= LONGEST_TEXT
    assert kept[0]["cut"] >= 10_000


def test_a_refusal_is_raised() -> None:
    class Late(Sent):
        def send(self, method: str, path: str, body: str | None = None) -> Answer:
            raise GatewayRefused(409, "answer_too_late", "Nobody is asked about this call now.", {})

    with pytest.raises(GatewayRefused) as refused:
        answer(Question.of(ASKED), "Yes.", gateway=Gateway(transport=Late({})))
    assert refused.value.code == "answer_too_late"
