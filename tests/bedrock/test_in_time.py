"""Decisions while the session that asked still waits."""

from __future__ import annotations

import json
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from local.bedrock import Action, Agent, Mode, Parameter
from placet.frameworks.bedrock.ways import Way
from placet.model.errors import Conflict
from placet.service.bedrock import answering, continuing
from placet.service.bedrock.ledger import approved_before
from placet.service.bedrock.looking import Answer
from tests.bedrock.desk import ONE, TWO, Desk, desk

MODES = [Mode.RESULT, Mode.CONFIRM, Mode.CONFIRM_AND_RESULT]


def last_answer(made: Desk) -> list[dict[str, Any]]:
    """The results of the last request that answered a control."""
    found = [one.request.body["sessionState"] for one in made.runtime.log if one.request.is_answer]
    return [next(iter(one.values())) for one in found[-1]["returnControlInvocationResults"]]


@pytest.mark.parametrize("mode", MODES)
def test_an_accepted_call_runs_once_and_the_run_finishes(mode: Mode) -> None:
    with desk(mode) as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        assert made.resumes(head.pause) == "delivered"
        assert made.paid() == [("ORD-7", 50000)]
        assert made.permit(head.pause) == "done"
        assert made.status().status == "finished"
        assert made.resumes(head.pause) == "done"
        assert made.runtime.unanswered() == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("how", ["reject", "expire"])
def test_what_nobody_approved_does_not_run_and_the_agent_is_told_why(mode: Mode, how: str) -> None:
    with desk(mode) as made:
        made.with_policy(deadline_s=60)
        head = made.asks()
        made.ends(head, 1, how)
        assert made.resumes(head.pause) == "delivered"
        assert made.paid() == []
        (answer,) = last_answer(made)
        assert answer.get("confirmationState") == (None if mode is Mode.RESULT else "DENY")
        said = json.loads(answer["responseBody"]["TEXT"]["body"])
        assert said["status"] == {"reject": "rejected", "expire": "expired"}[how]
        assert ("not this one" in said.get("reason", "")) == (how == "reject")
        assert made.status().status == "finished"


@pytest.mark.parametrize("mode", [Mode.RESULT, Mode.CONFIRM_AND_RESULT])
def test_an_edited_call_runs_as_edited_where_a_result_is_returned(mode: Mode) -> None:
    with desk(mode) as made:
        head = made.asks()
        made.ends(head, 1, "edit")
        assert made.resumes(head.pause) == "delivered"
        assert made.paid() == [("ORD-7", 30000)]
        (answer,) = last_answer(made)
        said = json.loads(answer["responseBody"]["TEXT"]["body"])
        assert "A reviewer changed the arguments before it ran" in said["note"]
        assert json.loads(said["arguments"])["amountCents"] == 30000


def test_an_edit_of_what_bedrock_runs_is_an_instruction_and_passes_once() -> None:
    with desk(Mode.CONFIRM, behaves={"complies": True}) as made:
        head = made.asks()
        made.ends(head, 1, "edit")
        assert made.resumes(head.pause) == "delivered"
        assert made.paid() == [("ORD-7", 30000)]
        assert made.permit(head.pause) == "done"
        child = next(one for one in made.heads() if one.pause != head.pause)
        assert child.calls[0].state.value == "passed"
        assert made.status().status == "finished"
        again = made.say("refund ORD-7 30000")
        assert again.status == "waiting", "a later equal call is a new call"


def test_an_approval_that_somebody_else_used_lets_nothing_pass() -> None:
    """Then the call that the edit asked for is a person's to decide, like any other."""

    def used(*given: Any, **more: Any) -> None:
        raise Conflict("permit_settled", "It was used.")

    with desk(Mode.CONFIRM, behaves={"complies": True}) as made, pytest.MonkeyPatch.context() as patch:
        head = made.asks()
        made.ends(head, 1, "edit")
        patch.setattr(continuing, "claim", used)
        made.resumes(head.pause)
        child = next(one for one in made.heads() if one.pause != head.pause)
        assert child.calls[0].state.value == "pending"
        assert made.paid() == []


@pytest.mark.parametrize("way", Way)
def test_only_an_edit_that_bedrock_was_told_of_approves_a_call_to_come(way: Way) -> None:
    call = SimpleNamespace(number=1, tool="Refunds__issueRefund", digest="d")
    parent, proposed = SimpleNamespace(head=SimpleNamespace(calls=(call,))), SimpleNamespace(calls=(call, call))
    found = approved_before(parent, proposed, {1: way})  # type: ignore[arg-type]
    assert found == ({1: call} if way is Way.INSTRUCT else {}), "one approval is for one call"


@pytest.mark.parametrize("method", ["get", "GET", "patch"])
def test_a_confirmed_operation_runs_however_its_method_is_written(method: str) -> None:
    """Bedrock matches an answer by the very names of its control, and runs nothing for another spelling."""
    operation = Action(
        "Weather", Mode.CONFIRM, method=method, path="/of", verb="weather", parameters=(Parameter("place"),)
    )
    with desk(script=Agent("AGENT12345", "TSTALIASID", (operation,), "desk", "1", 600)) as made:
        head = made.asks("weather seattle")
        made.ends(head, 1, "accept")
        assert made.resumes(head.pause) == "delivered"
        assert [event["httpMethod"] for event in made.acted] == [method]
        assert made.session == made.run
        assert made.status().status == "finished"


def test_an_agent_that_does_not_comply_has_run_nothing() -> None:
    with desk(Mode.CONFIRM) as made:
        head = made.asks()
        made.ends(head, 1, "edit")
        assert made.resumes(head.pause) == "delivered"
        assert made.paid() == []
        assert made.status().status == "finished"


def test_a_reason_is_said_again_in_the_next_turn_where_bedrock_may_drop_it() -> None:
    with desk(Mode.CONFIRM) as made:
        head = made.asks()
        made.ends(head, 1, "reject")
        made.resumes(head.pause)
        made.say("hello")
        told = made.runtime.log[-1].request.body["sessionState"]["promptSessionAttributes"]["placet_outcome"]
        assert "not this one" in told
        made.say("hello again")
        assert "placet_outcome" not in made.runtime.log[-1].request.body.get("sessionState", {}).get(
            "promptSessionAttributes", {}
        )


@pytest.mark.parametrize("mode", MODES)
def test_two_equal_calls_are_never_told_confirm_and_deny(mode: Mode) -> None:
    with desk(mode) as made:
        head = made.asks(TWO)
        made.ends(head, 1, "accept")
        made.ends(head, 2, "reject")
        assert made.resumes(head.pause) == "delivered"
        assert made.paid() == [("ORD-1", 50000)]
        answers = last_answer(made)
        assert len({one.get("confirmationState") for one in answers}) == 1
        said = [json.loads(one["responseBody"]["TEXT"]["body"]) for one in answers]
        assert [one["status"] for one in said] == ["done", "rejected"]
        assert [json.loads(one["arguments"])["orderId"] for one in said] == ["ORD-1", "ORD-2"]


def test_two_equal_calls_that_are_both_accepted_are_confirmed() -> None:
    with desk(Mode.CONFIRM) as made:
        head = made.asks(TWO)
        made.ends(head, 1, "accept")
        made.ends(head, 2, "accept")
        made.resumes(head.pause)
        assert made.paid() == [("ORD-1", 50000), ("ORD-2", 60000)]
        assert made.executors.effects == []


def test_what_was_run_under_a_deny_is_answered_from_the_ledger_when_the_agent_tries_again() -> None:
    with desk(Mode.CONFIRM, behaves={"stubborn": True}) as made:
        head = made.asks(TWO)
        made.ends(head, 1, "accept")
        made.ends(head, 2, "reject")
        made.resumes(head.pause)
        assert made.paid() == [("ORD-1", 50000)]
        children = [one for one in made.heads() if one.pause != head.pause]
        assert children, "the stubborn agent asked again"
        assert children[0].calls[0].state.value == "repeated"


def test_a_call_that_passes_needs_nobody() -> None:
    with desk() as made:
        found = made.say("refund ORD-9 500")
        assert (found.status, made.paid()) == ("finished", [("ORD-9", 500)])


def test_chained_pauses_lead_to_one_completion() -> None:
    with desk() as made:
        head = made.asks("refund ORD-1 50000 then refund ORD-2 60000")
        made.ends(head, 1, "accept")
        assert made.resumes(head.pause) == "delivered"
        found = made.status()
        assert found.status == "waiting"
        assert found.pause != head.pause
        child = made.seen(found.pause)
        assert made.parent(child) == head.pause
        made.ends(child, 1, "accept")
        made.resumes(child.pause)
        assert made.status().status == "finished"
        assert made.paid() == [("ORD-1", 50000), ("ORD-2", 60000)]


def test_a_call_that_bedrock_runs_now_is_not_told_as_failed() -> None:
    with desk(Mode.CONFIRM) as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        made.resumes(head.pause)
        told = made.runtime.log[-1].request.body["sessionState"]["promptSessionAttributes"]["placet_outcome"]
        assert told == "Refunds.issueRefund: It was approved as proposed, and runs now."


def test_the_attributes_name_the_pause_and_the_digest_of_what_is_confirmed() -> None:
    with desk(Mode.CONFIRM) as made:
        head = made.asks(ONE)
        made.ends(head, 1, "accept")
        made.resumes(head.pause)
        attributes = made.acted[0]["sessionAttributes"]
        assert attributes["placet_pause"] == head.pause
        (call,) = json.loads(attributes["placet_calls"])
        assert call == {"call": f"{head.pause}-1", "tool": "Refunds.issueRefund", "digest": head.calls[0].digest}


@pytest.mark.parametrize(
    ("text", "decided", "named"),
    [
        (ONE, ["accept"], [1]),
        (ONE, ["edit"], []),
        (ONE, ["reject"], []),
        (TWO, ["accept", "accept"], [1, 2]),
        (TWO, ["accept", "reject"], []),
        (TWO, ["accept", "edit"], []),
    ],
)
def test_an_action_may_claim_what_the_answer_lets_bedrock_run_and_nothing_else_that_was_approved(
    text: str, decided: list[str], named: list[int]
) -> None:
    """An edit waits for the agent to propose it again, and of mixed verdicts the executor has run what was approved."""
    with desk(Mode.CONFIRM) as made:
        head = made.asks(text)
        for number, how in enumerate(decided, start=1):
            made.ends(head, number, how)
        at = len(made.runtime.log)
        made.resumes(head.pause)
        answer = next(
            one.request.body["sessionState"] for one in made.runtime.log[at:] if "sessionState" in one.request.body
        )
        calls = json.loads(answer["sessionAttributes"]["placet_calls"])
        assert [one["call"] for one in calls] == [f"{head.pause}-{number}" for number in named]


def test_every_approved_call_that_is_named_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug: an action is told of all that may run, also of an edit whose permit is the next call's."""

    def approved(found: Answer) -> list[dict[str, str]]:
        calls = [call for call in found.pause.head.calls if call.state.may_run]
        return [{"call": f"{found.id}-{one.number}", "tool": one.tool, "digest": one.digest} for one in calls]

    monkeypatch.setattr(answering, "_for_actions", approved)
    for decided, named in ((["edit"], []), (["accept"], [1])):
        wrong = pytest.raises(AssertionError) if decided == ["edit"] else nullcontext()
        with wrong:
            test_an_action_may_claim_what_the_answer_lets_bedrock_run_and_nothing_else_that_was_approved(
                ONE, decided, named
            )
