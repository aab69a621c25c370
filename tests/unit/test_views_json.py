"""Results as the API answers them, field by field, each with a value of its own."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import pytest

from placet.http import views
from placet.model.canonical import Lexeme
from placet.model.pauses import Evidence
from placet.model.states import CallState, Verdict
from placet.policy.rules import Effect
from placet.service.asking_undo import Asked
from placet.service.comment import Commented
from placet.service.decide import Decided
from placet.service.extend import Extended
from placet.service.reassign import Reassigned
from placet.service.undo import Undone
from placet.service.views import (
    AskedLevel,
    CallView,
    Comment,
    Detail,
    Extension,
    HandedOn,
    Headline,
    Inbox,
    InboxRow,
)
from placet.service.views import Decided as Ended
from tests.gateway import DELETE, REFUND, Gateway, without_class

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
    decided=Ended("edited", "Maria", 90, "less", "240.5", "12", "done", True, "p-2", True, True, True),
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
    handed=(HandedOn("Lea", "Maria", 60),),
    undo_tool="take_back",
    undone_by=("p-9",),
    undoes="p-0-1",
    asked=(AskedLevel(("finance", "board"), 70, True),),
    remind_ms=2_500,
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
    extensions=(Extension(2, "Maria", 40, 4_500, 5_000, "lunch"),),
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
    "latest_deadline": 9_000,
    "may_decide": True,
    "why_not": "it is yours",
    "in_place_of": "Jonas",
    "handed": [{"to_name": "Lea", "by_name": "Maria", "at": 60}],
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
        "by": "Maria",
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
        "extensions": [
            {"call": "p-1-2", "by": "Maria", "at": 40, "before": 4_500, "deadline": 5_000, "reason": "lunch"}
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


ROW = InboxRow(
    pause="p-1",
    title="Refund 240.5",
    tools=("issue_refund",),
    entity="order:1182",
    classes=("money-out",),
    why=("large",),
    requester="elif@example.com",
    agent="support-agent",
    framework="langchain",
    effect=Effect.NEVER,
    asked_ms=10,
    deadline_ms=20,
    open_calls=2,
    why_not="it is yours",
    kept_out=("maria",),
)


def test_the_inbox_names_nobody_who_is_kept_out() -> None:
    row: dict[str, Any] = {
        "pause": "p-1",
        "title": "Refund 240.5",
        "tools": ["issue_refund"],
        "entity": "order:1182",
        "classes": ["money-out"],
        "why": ["large"],
        "requester": "elif@example.com",
        "agent": "support-agent",
        "framework": "langchain",
        "effect": "never",
        "asked_at": 10,
        "deadline": 20,
        "open_calls": 2,
        "why_not": "it is yours",
        "may_decide": False,
    }
    assert views.inbox(Inbox((ROW,), "behind", 5)) == {"reviews": [row], "more": True, "next": "behind"}
    mine = views.inbox(Inbox((replace(ROW, why_not=""),), "", 5))
    assert mine == {"reviews": [row | {"why_not": "", "may_decide": True}], "more": False, "next": ""}


@pytest.mark.parametrize(
    ("view", "answer", "told"),
    [
        (
            views.decided,
            Decided("p-1-2", CallState.EDITED, "digest-1", "maria", 90, True),
            {"call": "p-1-2", "state": "edited", "digest": "digest-1", "decided_by": "maria", "decided_at": 90},
        ),
        (
            views.undone,
            Undone("p-1-2", 3, "digest-1", "maria", 90, True),
            {"call": "p-1-2", "state": "pending", "revision": 3, "digest": "digest-1"}
            | {"undone_by": "maria", "undone_at": 90},
        ),
        (
            views.reassigned,
            Reassigned("p-1-2", "lea", "leads", "Lea", "Maria", 90, True),
            {"call": "p-1-2", "to": "lea", "group": "leads", "to_name": "Lea", "handed_by": "Maria", "handed_at": 90},
        ),
        (
            views.reassigned,
            Reassigned("p-1-2", "", "leads", "leads", "Maria", 90, True),
            {"call": "p-1-2", "to": None, "group": "leads", "to_name": "leads", "handed_by": "Maria", "handed_at": 90},
        ),
        (
            views.undo_asked,
            Asked("p-1-2", "p-9", "take_back", "open", "pending", True),
            {"call": "p-1-2", "undo": "p-9", "tool": "take_back", "state": "pending"},
        ),
        (
            views.extended,
            Extended("p-1-2", 4_500, 5_000, "maria", 90, True),
            {"call": "p-1-2", "deadline": 5_000, "before": 4_500, "extended_by": "maria", "extended_at": 90},
        ),
        (views.commented, Commented("p-1", 4, 90, True), {"pause": "p-1", "comment": 4, "at": 90}),
    ],
)
def test_a_stored_answer_says_all_of_itself(view: Any, answer: Any, told: dict[str, Any]) -> None:
    assert view(answer) == told | {"replayed": True}


def test_an_agent_may_tell_its_user_what_the_class_of_the_first_open_call_says() -> None:
    gateway = Gateway()
    head = gateway.shown(REFUND, DELETE)
    say = gateway.policy.classes["money-out"].say
    assert say
    told = views.pause(gateway.ports, head, replayed=True)
    assert (told["replayed"], told["say"], told["pause"]) == (True, say, head.pause)
    gateway.decide(head, 1, Verdict.REJECT)
    told = views.pause(gateway.ports, gateway.head(head.pause), replayed=False)
    assert (told["replayed"], told["say"]) == (False, gateway.policy.classes[head.calls[1].action_class].say)
    policy = gateway.policy
    gateway.policy = without_class(policy, head.calls[1].action_class)
    told = views.pause(gateway.ports, gateway.head(head.pause), replayed=False)
    assert told["say"] == "A person has to agree to this first."
    gateway.policy = policy
    gateway.decide(gateway.head(head.pause), 2, Verdict.REJECT)
    assert views.pause(gateway.ports, gateway.head(head.pause), replayed=False)["say"] == ""
