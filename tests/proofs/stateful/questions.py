"""Questions about calls and their answers: what people and agents do, and whether it was rightly taken or refused."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from placet.model.errors import PlacetError
from placet.model.pauses import call_id
from placet.model.states import Verdict
from placet.service import members
from placet.service.answer import Answered, answer
from placet.service.ask import Asked, ask
from placet.service.decide import Decision
from tests.proofs.stateful.acting import AGENTS, Heads
from tests.proofs.stateful.answers import Moment
from tests.proofs.stateful.chances import DECIDERS, MOSTLY, SOME, any_pause, may_be_decided
from tests.proofs.stateful.extensions import NO_HINDRANCE
from tests.proofs.stateful.house import MENU
from tests.proofs.stateful.oracle import YES
from tests.proofs.stateful.rules import Verbs
from tests.proofs.stateful.standing_in import Right, rights

MOST, MOST_EACH = 10, 5
STRAIGHT = st.sampled_from(["answers", "answers", "old page", "late"])


def is_asked(call: dict[str, Any]) -> bool:
    """A call that waits, of which a question is open."""
    return may_be_decided(call) and bool(call.get("questions", {}).get("open"))


class Questioning(Verbs):
    """The rules, and all others; apart, so that what else there is comes as often as without them."""

    @any_pause
    @rule(some=SOME, aimed=MOSTLY, sub=DECIDERS, words=st.integers(0, 5), usual=MOSTLY)
    def talks(self, some: int, aimed: bool, sub: str, words: int, usual: bool) -> None:
        """Somebody asks, or the agent answers, at any moment."""
        if words < 3:
            self.asks(some, aimed, sub, ("Which?", "Why?", "When?")[words], usual)
        else:
            self.answers(some, aimed, usual, "Another." if words == 5 else "Order 1182.")

    @initialize(votes=MOSTLY, then=STRAIGHT)
    def begins(self, votes: bool, then: str) -> None:
        """Each world begins with a question, so that none is without, whatever is drawn later."""
        self.asks_and_is_answered(votes, then)

    @any_pause
    @rule(votes=MOSTLY, then=STRAIGHT)
    def asks_and_is_answered(self, votes: bool, then: str) -> None:
        """The straight way in one step: a question, a vote beside it, the answer, and what somebody does about it."""
        self.comes_into_the_queue([MENU[2]], AGENTS["support-agent"], False, "wait")
        pause, number, _ = self.call(0, may_be_decided)
        self.asks(0, True, "maria", "Which?", True)
        old = self.shown_of(pause, number, True)
        if votes:
            self.accept(pause, number, "jonas")
        if then == "late":
            self.decide(pause, number, "maria", Decision(Verdict.REJECT, *old, reason="no"))
        self.answers(0, True, True, "Order 1182.")
        self.asked(pause, number, "jonas", "Why?", old[0])
        self.answered(pause, number, 1, "Another.")
        if then == "old page":
            self.decide(pause, number, "jonas", Decision(Verdict.ACCEPT, *old))
        self.decide(pause, number, "maria", Decision(Verdict.REJECT, *self.shown_of(pause, number, True), reason="no"))
        for question in (1, 2):  # the first, where the decision came before its answer; else the second
            self.answered(pause, number, question, "Order 1182.")

    def asks(self, some: int, aimed: bool, sub: str, text: str, fresh: bool) -> None:
        """A question about what a page shows, which may be old."""
        pause, number, _ = self.call(some, may_be_decided if aimed else None)
        self.asked(pause, number, sub, text, self.shown_of(pause, number, fresh)[0])

    def asked(self, pause: str, number: int, sub: str, text: str, revision: int) -> None:
        """Somebody asks about this call."""
        person = members.reviewer(self.house.ports, sub)
        held = rights(self.house, sub, self.house.heads()[pause]["calls"][str(number)]["class"])

        def judge(before: Heads, after: Heads, told: Any) -> None:
            judge_question(Moment(self.oracle, before, after, pause, number), (sub, text, revision), held, told)

        self.act("ask", lambda: ask(self.house.ports, person, call_id(pause, number), text, revision), judge)

    def answers(self, some: int, aimed: bool, first: bool, text: str) -> None:
        """The agent answers what is open, or something else; and sometimes too late."""
        pause, number, call = self.call(some, is_asked if aimed else None)
        waits = call.get("questions", {}).get("open", [])
        self.answered(pause, number, waits[0] if waits and first else 1, text)

    def answered(self, pause: str, number: int, question: int, text: str) -> None:
        """The agent answers this question, if the gateway lets it in."""
        agent, at = self.agent_of(pause), call_id(pause, number)
        if not self.house.knows(agent):
            return

        def judge(before: Heads, after: Heads, told: Any) -> None:
            judge_answer(Moment(self.oracle, before, after, pause, number), question, text, told)

        self.act("answer", lambda: answer(self.house.ports, agent, at, question, text, ()), judge)


def judge_question(at: Moment, said: tuple[str, str, int], found: list[Right], answer: Asked | PlacetError) -> None:
    """8, 10: a question is taken in time, of the revision that waits, by who may decide; nothing else changes."""
    sub, books = said[0], at.oracle.asked[at.pause, at.number]
    votes = at.oracle.votes[at.key]
    against = [one.hindrances(at.oracle.house, at.head, at.call, votes, sub) for one in found] or [{"not_found"}]
    if isinstance(answer, PlacetError):
        assert at.unchanged(), f"10: refused with {answer.code}, and something changed"
        no_right = set().union(*against) if all(against) or sub in votes else set()
        assert answer.code in _against_question(at, said) | no_right, f"10: {answer.code} is not so: {at.call}"
        return
    if answer.replayed:
        assert at.unchanged(), "10: a replayed answer, and something changed"
        assert books[answer.question - 1] == said, "10: replayed to another"
        return
    wrong = _against_question(at, said)
    assert not wrong, f"8: {sub} asked although {wrong}"
    assert any(one <= NO_HINDRANCE for one in against), f"8: {sub} asked although {against}"
    books.append(said)
    told = at.call.get("questions", {"open": []})
    asked = {**told, "asked": len(books), "open": [*told["open"], len(books)]}
    assert at.now == {**at.call, "questions": asked}, "6: a question changed more than how many there are"


def _against_question(at: Moment, said: tuple[str, str, int]) -> set[str]:
    books, pending = at.oracle.asked[at.pause, at.number], at.call["state"] == "pending"
    full = len(books) >= MOST or sum(sub == said[0] for sub, *_ in books) >= MOST_EACH
    facts = {
        **_over(at),
        "not_shown_yet": pending and not at.call.get("deadline_ms", 0),
        "revision_differs": pending and at.call["rev"] != said[2],
        "questions_full": pending and full,
    }
    return {code for code, holds in facts.items() if holds}


def _over(at: Moment) -> dict[str, bool]:
    call, head, now = at.call, at.head, at.oracle.house.now_ms
    over = call["state"] == "pending" and 0 < call.get("deadline_ms", 0) <= now
    return {
        "frozen": at.oracle.frozen,
        "already_decided": call["state"] in (*YES, "rejected", "denied"),
        "deadline_passed": call["state"] == "expired" or over,
        "call_cancelled": "cancelled" in head and "successor" not in head,
        "call_superseded": "cancelled" in head and "successor" in head,
    }


def judge_answer(at: Moment, question: int, text: str, answer: Answered | PlacetError) -> None:
    """5, 10: an answer is a new revision with the same arguments, and without the votes of before."""
    call, books = at.call, at.oracle.answered[at.pause, at.number]
    told = call.get("questions", {"asked": 0, "open": []})
    waits = call["state"] == "pending" and call.get("deadline_ms", 0) > at.oracle.house.now_ms
    known = books.get(question)
    facts = {
        "frozen": at.oracle.frozen,
        "not_found": not 1 <= question <= told["asked"],
        "question_answered": known is not None and known != text,
        "answer_too_late": known is None and not waits,
    }
    against = {code for code, holds in facts.items() if holds}
    if isinstance(answer, PlacetError):
        assert at.unchanged(), f"10: refused with {answer.code}, and something changed"
        assert answer.code in against, f"10: {answer.code} is not so: {call}"
        return
    assert not against, f"5: an answer was taken although {against}"
    if answer.replayed:
        assert at.unchanged(), "10: a replayed answer, and something changed"
        assert known == text, "10: replayed to another"
        return
    assert known is None, "10: one question has two answers"
    books[question] = text
    had_votes = bool(at.oracle.votes.pop(at.key, None))
    at.oracle.taken["an answer cleared votes"] += had_votes
    left = {name: one for name, one in call.items() if name not in ("for", "voted") or call["quorum"] == 1}
    left |= {"rev": call["rev"] + 1, "same_as": call.get("same_as") or call["rev"]}
    left |= {"votes": {}} if call["quorum"] > 1 else {}
    open_now = [one for one in told["open"] if one != question]
    left["questions"] = {"asked": told["asked"], "open": open_now, "answer": at.now["questions"].get("answer")}
    assert at.now == left, "5: an answer changed more than what is shown"
    open_ones = [one for each in at.after[at.pause]["calls"].values() for one in _open(each)]
    assert at.after[at.pause]["card"]["question"] == ("open" if open_ones else "answered"), "9: a list says otherwise"


def _open(call: dict[str, Any]) -> list[int]:
    return list(call.get("questions", {}).get("open", [])) if call["state"] == "pending" else []
