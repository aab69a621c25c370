"""Answers to questions about a call: immutable bodies, each under its digest, which names the one before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from placet.model.canonical import digest, exact_text
from placet.model.pauses import Evidence
from placet.records.bodies import evidence_content
from placet.records.keys import Keys
from placet.records.ops import Item
from placet.records.reading import reads, typed
from placet.records.texts import VERSIONS, Stored, content_of, stored


@dataclass(frozen=True)
class Answer:
    """What an agent answered.

    Attributes:
        question: the number of the question.
        revision: of the call, which is a new one by this answer.
        before: digest of the answer before this one about the same call; empty of the first.
    """

    digest: str
    question: int
    revision: int
    text: str
    evidence: tuple[Evidence, ...]
    at_ms: int
    before: str = ""


def answer_content(
    question: int, revision: int, text: str, evidence: tuple[Evidence, ...], before: str, at_ms: int
) -> dict[str, Any]:
    """The JSON value of an answer."""
    told = {"question": question, "revision": revision, "text": text, "at_ms": at_ms}
    return {**told, "evidence": [evidence_content(one) for one in evidence], **({"before": before} if before else {})}


def put_answer(keys: Keys, pause: str, number: int, content: dict[str, Any]) -> Stored:
    """The item of an answer about one call, under its digest."""
    key = keys.answer(pause, number, digest(content))
    item = {**key._asdict(), "kind": "ANSWER", "call": number, "at_ms": content["at_ms"]}
    return stored(item, f"{keys.tenant}/{pause}/{number}-answer-{digest(content)}", exact_text(content))


@reads("answer about this call", VERSIONS)
def read_answer(item: Item, fetched: str | None, named: str) -> Answer:
    """The answer in a stored item, whose digest is the one named. Raises Parked, Damaged, Lost."""
    content = content_of(item, fetched)
    if digest(content) != named:
        raise ValueError("not the answer that its head names")
    told = {name: content[name] for name in ("question", "revision", "text", "at_ms")}
    pieces = tuple(Evidence(**one) for one in content["evidence"])
    return typed(Answer(digest=named, evidence=pieces, before=content.get("before", ""), **told))
