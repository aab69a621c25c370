"""A pause as the API answers it, field by field, each with a value of its own."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from placet.http import views
from placet.model.acting import Acting
from placet.model.canonical import Lexeme
from placet.model.pauses import Evidence
from placet.policy.rules import Effect
from placet.service.happened import Answered as Answer
from placet.service.happened import Comment, Earlier, Extension, Question
from placet.service.views import AskedLevel, CallView, Detail, HandedOn, Headline
from placet.service.views import Decided as Ended

MARIA, FOR = Acting("Maria", "Jonas"), "Maria for Jonas"
BY_WHOM = {"name": "Maria", "in_place_of": "Jonas"}
EVIDENCE = Evidence("Order", "get_order", True, "total 240.50")
CALL = CallView(
    call="p-1-2",
    number=2,
    tool="issue_refund",
    headline=Headline((("Refund ", False), ("240.5", True))),
    effect=Effect.HARD,
    consequence="Money is gone.",
    action_class="money-out",
    arguments={"amount": Lexeme("240.50")},
    text='{"amount": 240.50}',
    digest="digest-1",
    revision=3,
    schema={"type": "object"},
    why=(("large", "More than 100."),),
    deadline_ms=5_000,
    state="pending",
    may_decide=True,
    why_not="it is yours",
    may_edit=False,
    fixed=("order_id",),
    type_to_accept=("amount", "240.50"),
    group="finance",
    quorum=4,
    votes=1,
    decided=Ended("edited", MARIA, 90, "less", "240.5", "12", "done", True, "p-2", True, True, True),
    unreadable=(("memo", "it hides text"),),
    notes=("The framework takes it.",),
    hindered="requester_may_not_decide",
    known=("Three before.",),
    observed=True,
    sampled=False,
    in_place_of="Jonas",
    latest_ms=9_000,
    undo_until_ms=4_000,
    may_undo=True,
    handed=(HandedOn("Lea", MARIA, 60),),
    undo_tool="take_back",
    undone_by=("p-9",),
    undoes="p-0-1",
    asked=(AskedLevel(("finance", "board"), 70, True),),
    remind_ms=2_500,
    then="reject",
    may_ask=True,
)
DETAIL = Detail(
    pause="p-1",
    run="thread-1",
    agent="support-agent",
    framework="langchain",
    requester="elif@example.com",
    entity="order:1182",
    asked_ms=10,
    deadline_ms=20,
    as_of_ms=30,
    state="open",
    calls=(CALL,),
    evidence=(EVIDENCE,),
    says="It is broken.",
    policy_version="v7",
    not_compared=("owner",),
    confidence="0.90",
    numbers=(("orders", "1.0"),),
    extensions=(Extension(2, MARIA, 40, 4_500, 5_000, "lunch"),),
    earlier=(Earlier(2, "decided", 45, MARIA, "edit", "less"), Earlier(2, "undone", 46, MARIA)),
    unheard=True,
    questions=(
        Question(2, 1, MARIA, True, 70, 2, "Why?", Answer(80, 3, "Because.", (EVIDENCE,))),
        Question(2, 2, MARIA, False, 75, 3, "And?", None),
    ),
    comments=(Comment("Jonas", True, 50, "Who knows?"),),
)
AS_JSON: dict[str, Any] = {
    "call": "p-1-2",
    "tool": "issue_refund",
    "title": "Refund 240.5",
    "state": "pending",
    "revision": 3,
    "digest": "digest-1",
    "arguments": '{"amount": 240.50}',
    "schema": {"type": "object"},
    "class": "money-out",
    "effect": "hard",
    "why": [{"rule": "large", "sentence": "More than 100."}],
    "known": ["Three before."],
    "observed": True,
    "sampled": False,
    "deadline": 5_000,
    "then": "reject",
    "latest_deadline": 9_000,
    "may_ask": True,
    "may_decide": True,
    "why_not": "it is yours",
    "in_place_of": "Jonas",
    "handed": [{"to_name": "Lea", "by_name": FOR, "by_whom": BY_WHOM, "at": 60}],
    "asked": [{"groups": ["finance", "board"], "at": 70, "reached": True}],
    "reminds_at": 2_500,
    "may_edit": False,
    "type_to_accept": ["amount", "240.50"],
    "quorum": 4,
    "votes": 1,
    "unreadable": [{"argument": "memo", "why": "it hides text"}],
    "notes": ["The framework takes it."],
    "undo_until": 4_000,
    "may_undo": True,
    "undo_tool": "take_back",
    "undone_by": ["p-9"],
    "undoes": "p-0-1",
    "decided": {
        "state": "edited",
        "by": FOR,
        "by_whom": BY_WHOM,
        "at_ms": 90,
        "reason": "less",
        "before": "240.5",
        "after": "12",
        "permit": "done",
        "ended": True,
        "successor": "p-2",
        "by_rule": True,
        "by_you": True,
        "observed": True,
    },
}


def test_a_pause_as_a_reviewer_gets_it() -> None:
    assert views.detail(DETAIL) == {
        "pause": "p-1",
        "run": "thread-1",
        "agent": "support-agent",
        "framework": "langchain",
        "requester": "elif@example.com",
        "not_compared": ["owner"],
        "entity": "order:1182",
        "asked_at": 10,
        "deadline": 20,
        "policy_version": "v7",
        "says": "It is broken.",
        "confidence": "0.90",
        "numbers": {"orders": "1.0"},
        "evidence": [asdict(EVIDENCE)],
        "calls": [AS_JSON],
        "earlier": [
            {
                "call": "p-1-2",
                "what": "decided",
                "by": FOR,
                "by_whom": BY_WHOM,
                "at": 45,
                "verdict": "edit",
                "reason": "less",
            },
            {"call": "p-1-2", "what": "undone", "by": FOR, "by_whom": BY_WHOM, "at": 46, "verdict": None, "reason": ""},
        ],
        "nobody_there": True,
        "extensions": [
            {
                "call": "p-1-2",
                "by": FOR,
                "by_whom": BY_WHOM,
                "at": 40,
                "before": 4_500,
                "deadline": 5_000,
                "reason": "lunch",
            }
        ],
        "questions": [
            {
                "call": "p-1-2",
                "question": 1,
                "by": FOR,
                "by_whom": BY_WHOM,
                "by_you": True,
                "at": 70,
                "revision": 2,
                "text": "Why?",
                "answer": {"at": 80, "revision": 3, "text": "Because.", "evidence": [asdict(EVIDENCE)]},
            },
            {
                "call": "p-1-2",
                "question": 2,
                "by": FOR,
                "by_whom": BY_WHOM,
                "by_you": False,
                "at": 75,
                "revision": 3,
                "text": "And?",
                "answer": None,
            },
        ],
        "comments": [{"by": "Jonas", "by_you": True, "at": 50, "text": "Who knows?"}],
    }


def test_numbers_that_an_agent_said_are_numbers_as_they_were_written() -> None:
    found = views.detail(DETAIL)
    assert isinstance(found["confidence"], Lexeme)
    assert isinstance(found["numbers"]["orders"], Lexeme)
    assert views.detail(replace(DETAIL, confidence=""))["confidence"] is None


def test_what_a_call_does_not_have_is_null() -> None:
    without = replace(CALL, decided=None, type_to_accept=None, remind_ms=0, latest_ms=0)
    (found,) = views.detail(replace(DETAIL, calls=(without,)))["calls"]
    nothing = dict.fromkeys(("decided", "type_to_accept", "reminds_at", "latest_deadline"))
    assert found == AS_JSON | nothing
