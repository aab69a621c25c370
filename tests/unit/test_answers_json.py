"""What waits, and stored answers, as the API answers them, field by field, each with a value of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from placet.http import views
from placet.model.acting import Acting
from placet.model.states import CallState, Verdict
from placet.policy.rules import Effect
from placet.service.answer import Answered
from placet.service.ask import Asked
from placet.service.asking_undo import Asked as UndoAsked
from placet.service.comment import Commented
from placet.service.decide import Decided
from placet.service.extend import Extended
from placet.service.questions import OpenQuestion
from placet.service.reassign import Reassigned
from placet.service.undo import Undone
from placet.service.views import Inbox, InboxRow
from tests.gateway import DELETE, REFUND, Gateway, without_class

MARIA, FOR = Acting("Maria", "Jonas"), "Maria for Jonas"
BY_WHOM = {"name": "Maria", "in_place_of": "Jonas"}
HANDED = {"handed_by": FOR, "by_whom": BY_WHOM, "handed_at": 90}


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
    question="answered",
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
        "question": "answered",
    }
    assert views.inbox(Inbox((ROW,), "behind", 5)) == {"reviews": [row], "more": True, "next": "behind"}
    mine = views.inbox(Inbox((replace(ROW, why_not=""),), "", 5))
    assert mine == {"reviews": [row | {"why_not": "", "may_decide": True}], "more": False, "next": ""}


@pytest.mark.parametrize(
    ("view", "answer", "told"),
    [
        (
            views.decided,
            Decided("p-1-2", CallState.EDITED, "digest-1", MARIA, 90, True),
            {
                "call": "p-1-2",
                "state": "edited",
                "digest": "digest-1",
                "decided_by": FOR,
                "by_whom": BY_WHOM,
                "decided_at": 90,
            },
        ),
        (
            views.undone,
            Undone("p-1-2", 3, "digest-1", MARIA, 90, True),
            {"call": "p-1-2", "state": "pending", "revision": 3, "digest": "digest-1"}
            | {"undone_by": FOR, "by_whom": BY_WHOM, "undone_at": 90},
        ),
        (
            views.reassigned,
            Reassigned("p-1-2", "lea", "leads", "Lea", MARIA, 90, True),
            {
                "call": "p-1-2",
                "to": "lea",
                "group": "leads",
                "to_name": "Lea",
                "handed_by": FOR,
                "by_whom": BY_WHOM,
                "handed_at": 90,
            },
        ),
        (
            views.reassigned,
            Reassigned("p-1-2", "", "leads", "leads", MARIA, 90, True),
            {
                "call": "p-1-2",
                "to": None,
                "group": "leads",
                "to_name": "leads",
                "handed_by": FOR,
                "by_whom": BY_WHOM,
                "handed_at": 90,
            },
        ),
        (
            views.undo_asked,
            UndoAsked("p-1-2", "p-9", "take_back", "open", "pending", True),
            {"call": "p-1-2", "undo": "p-9", "tool": "take_back", "state": "pending"},
        ),
        (
            views.extended,
            Extended("p-1-2", 4_500, 5_000, MARIA, 90, True),
            {
                "call": "p-1-2",
                "deadline": 5_000,
                "before": 4_500,
                "extended_by": FOR,
                "by_whom": BY_WHOM,
                "extended_at": 90,
            },
        ),
        (
            views.asked,
            Asked("p-1-2", 1, 3, MARIA, 90, True),
            {"call": "p-1-2", "question": 1, "revision": 3, "asked_by": FOR, "by_whom": BY_WHOM, "asked_at": 90},
        ),
        (
            views.answered,
            Answered("p-1-2", 1, 4, 90, True),
            {"call": "p-1-2", "question": 1, "revision": 4, "at": 90},
        ),
        (views.commented, Commented("p-1", 4, 90, True), {"pause": "p-1", "comment": 4, "at": 90}),
    ],
)
def test_a_stored_answer_says_all_of_itself(view: Any, answer: Any, told: dict[str, Any]) -> None:
    assert view(answer) == told | {"replayed": True}


def test_a_question_as_its_agent_gets_it_names_no_person() -> None:
    assert views.open_question(OpenQuestion("p-1-2", 1, "finance", 70, 2, "Why?")) == {
        "call": "p-1-2",
        "question": 1,
        "group": "finance",
        "at": 70,
        "revision": 2,
        "text": "Why?",
    }


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
