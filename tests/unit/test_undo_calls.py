"""The call that takes an executed one back: proposed once, judged and decided like any other, run by the executor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from placet.model.errors import Busy, Conflict, NotAllowed, NotFound
from placet.model.frameworks import OWN
from placet.model.pauses import call_id, split_call_id
from placet.model.states import CallState, PauseState, PermitState, ResumeState, Verdict
from placet.policy import Tool, Undo
from placet.service import operate
from placet.service.asking_undo import ask_undo, ask_undo_as_reviewer
from placet.service.cancel import cancel
from placet.service.escalate import escalate
from placet.service.execute import claim
from placet.service.resume import pick_up, resume, take
from placet.service.review import detail
from placet.service.sweep import sweep
from placet.service.undo_calls import propose, run_of
from tests.gateway import SUPPORT
from tests.undoing import AGENT, CANCEL, TAKEN_BACK, Desk


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_it_is_a_call_of_its_own_with_the_arguments_that_the_policy_makes(desk: Desk) -> None:
    call = desk.ran()
    head = desk.asked(call)
    assert (head.framework, head.run, head.agent, head.by) == (OWN, run_of(call), "support-agent", "undo")
    assert (head.requester, head.card.entity) == ("maria@example.com", "order:1182")
    view = detail(desk.ports, desk.jonas, head.pause)
    assert view.calls[0].text == '{"refund_id":"rf-1","order_id":"1182"}'
    assert [rule for rule, _ in view.calls[0].why] == ["money-out/cancel"]
    assert [one.text for one in view.evidence] == ['{"order_id":"1182","amount":240.5}', '{"id": "rf-1"}']


def test_it_runs_in_the_executor_once_it_is_accepted_and_only_then(desk: Desk) -> None:
    call = desk.ran()
    head = desk.asked(call)
    assert resume(desk.ports, head.pause) == "waiting"
    desk.decide(head, 1, Verdict.ACCEPT, desk.jonas)
    assert not desk.executors.effects
    assert desk.goes_on(head.pause) == "delivered"
    (order,) = desk.executors.effects
    assert (order["tool"], order["arguments"]) == ("cancel_refund", {"refund_id": "rf-1", "order_id": "1182"})
    after = desk.head(head.pause)
    assert (after.state, after.resume_state, after.calls[0].permit) == (
        PauseState.ENDED,
        ResumeState.DONE,
        PermitState.DONE,
    )
    assert resume(desk.ports, head.pause) == "done"
    assert len(desk.executors.effects) == 1


def test_who_asks_for_it_does_not_decide_it(desk: Desk) -> None:
    head = desk.asked(desk.ran())
    with pytest.raises(NotAllowed) as refused:
        desk.decide(head, 1, Verdict.ACCEPT, desk.maria)
    assert refused.value.code == "requester_may_not_decide"


@pytest.mark.parametrize("verdict", [Verdict.REJECT, None])
def test_a_no_and_nobody_run_nothing_and_it_may_be_proposed_again(desk: Desk, verdict: Verdict | None) -> None:
    call = desk.ran()
    head = desk.asked(call)
    if verdict:
        desk.decide(head, 1, verdict, desk.jonas)
    else:
        desk.clock.at_ms = head.deadline_ms
        escalate(desk.ports, head.pause)
    assert desk.goes_on(head.pause) == "delivered"
    assert not desk.executors.effects
    again = desk.asked(call)
    assert again.pause != head.pause
    desk.decide(again, 1, Verdict.ACCEPT, desk.jonas)
    assert desk.goes_on(again.pause) == "delivered"
    assert len(desk.executors.effects) == 1
    assert detail(desk.ports, desk.maria, split_call_id(call)[0]).calls[0].undone_by == (head.pause, again.pause)


def test_while_one_is_open_the_next_is_the_same_whoever_asks(desk: Desk) -> None:
    call = desk.ran()
    first = ask_undo_as_reviewer(desk.ports, desk.maria, call)
    again = ask_undo_as_reviewer(desk.ports, desk.jonas, call)
    by_operator = ask_undo(desk.ports, "placet-operator/olga", call)
    assert (again.pause, by_operator.pause) == (first.pause, first.pause)
    assert (first.replayed, again.replayed, by_operator.replayed) == (False, True, True)
    assert desk.head(first.pause).requester == "maria@example.com"


def test_what_is_taken_back_is_not_taken_back_again(desk: Desk) -> None:
    call = desk.ran()
    head = desk.asked(call)
    desk.decide(head, 1, Verdict.ACCEPT, desk.jonas)
    desk.goes_on(head.pause)
    with pytest.raises(Conflict) as refused:
        ask_undo_as_reviewer(desk.ports, desk.maria, call)
    assert (refused.value.code, refused.value.members) == ("already_undone", {"pause": head.pause})


@pytest.mark.parametrize("permit", [PermitState.FAILED, PermitState.UNKNOWN])
def test_only_what_is_known_to_have_run_is_taken_back(desk: Desk, permit: PermitState) -> None:
    with pytest.raises(Conflict) as refused:
        ask_undo_as_reviewer(desk.ports, desk.maria, desk.ran(permit=permit))
    assert (refused.value.code, refused.value.members) == ("undo_not_run", {"permit": permit.value})


@pytest.mark.parametrize("told", ["paid", "{}", '{"id": {"x": 1}, "id": 2}', '["id"]', '"' + "x" * 50 + '"'])
def test_an_answer_that_holds_not_what_is_needed_is_one_clear_problem(desk: Desk, told: str) -> None:
    with pytest.raises(Conflict) as refused:
        ask_undo_as_reviewer(desk.ports, desk.maria, desk.ran(told))
    assert refused.value.code == "undo_not_made"
    assert "cancel_refund" in refused.value.detail


@dataclass(frozen=True)
class Broken(Undo):
    """A policy's own."""

    def call(self, arguments: dict[str, Any], outcome: Any) -> dict[str, Any]:
        raise RuntimeError("secret of the customer")


@dataclass(frozen=True)
class Odd(Undo):
    """One that makes no arguments."""

    def call(self, arguments: dict[str, Any], outcome: Any) -> dict[str, Any]:
        return {"at": object()}


@pytest.mark.parametrize("kind", [Broken, Odd])
def test_a_policy_that_raises_is_one_clear_problem_without_its_words(desk: Desk, kind: type[Undo]) -> None:
    desk.tools(kind("cancel_refund", {}), CANCEL)
    with pytest.raises(Conflict) as refused:
        ask_undo_as_reviewer(desk.ports, desk.maria, desk.ran())
    assert refused.value.code == "undo_not_made"
    assert "secret" not in refused.value.detail


def test_without_an_executor_and_without_an_undo_it_says_so(desk: Desk) -> None:
    call = desk.ran()
    desk.agent = SUPPORT
    with pytest.raises(Conflict) as refused:
        ask_undo_as_reviewer(desk.ports, desk.maria, call)
    assert refused.value.code == "no_executor"
    desk.agent = AGENT
    plain = replace(desk.policy.tools["issue_refund"], undo=None)
    desk.policy = replace(desk.policy, tools={**desk.policy.tools, "issue_refund": plain})
    with pytest.raises(Conflict) as refused:
        ask_undo_as_reviewer(desk.ports, desk.maria, call)
    assert refused.value.code == "undo_not_named"
    with pytest.raises(NotFound):
        ask_undo_as_reviewer(desk.ports, desk.person("olga", "Olga", "gardeners"), call)
    with pytest.raises(NotFound):
        ask_undo(desk.ports, "placet-operator/olga", call_id(split_call_id(call)[0], 2))


def test_what_the_policy_lets_pass_runs_at_once(desk: Desk) -> None:
    desk.tools(TAKEN_BACK, Tool("cancel_refund", "money-out", free=True))
    found = ask_undo_as_reviewer(desk.ports, desk.maria, desk.ran())
    assert found.state == "closed"
    assert ("resume", {"tenant": "main", "pause": found.pause}) in desk.verbs.called
    assert resume(desk.ports, found.pause) == "delivered"
    assert len(desk.executors.effects) == 1


def test_what_the_policy_denies_ends_without_running(desk: Desk) -> None:
    desk.tools(TAKEN_BACK, Tool("cancel_refund", "money-out", denied=True))
    found = ask_undo_as_reviewer(desk.ports, desk.maria, desk.ran())
    assert resume(desk.ports, found.pause) == "delivered"
    after = desk.head(found.pause)
    assert (after.calls[0].state, after.state, desk.executors.effects) == (CallState.DENIED, PauseState.ENDED, [])


def test_no_process_of_the_agent_sees_takes_claims_or_cancels_it(desk: Desk) -> None:
    head = desk.asked(desk.ran())
    for job in (
        lambda: take(desk.ports, desk.agent, head.pause),
        lambda: cancel(desk.ports, desk.agent, head.pause, "no"),
    ):
        with pytest.raises(Conflict) as refused:
            job()
        assert refused.value.code == "gateway_answers"
    desk.decide(head, 1, Verdict.ACCEPT, desk.jonas)
    assert not pick_up(desk.ports, desk.agent)
    assert not take(desk.ports, desk.agent)
    with pytest.raises(Conflict) as refused:
        claim(desk.ports, desk.agent, call_id(head.pause, 1), head.calls[0].digest, "w", by_agent=True)
    assert refused.value.code == "gateway_answers"


def test_an_executor_that_is_busy_is_tried_again_and_one_that_is_lost_is_listed(desk: Desk) -> None:
    head = desk.asked(desk.ran())
    desk.decide(head, 1, Verdict.ACCEPT, desk.jonas)
    desk.executors.throttled = 1
    with pytest.raises(Busy):
        desk.goes_on(head.pause)
    desk.executors.loses.add("cancel_refund")
    assert resume(desk.ports, head.pause) == "listed"
    after = desk.head(head.pause)
    assert (after.calls[0].permit, after.stuck) == (PermitState.UNKNOWN, "permit_unknown")
    operate.reconcile(desk.ports, "ops/olga", call_id(head.pause, 1), PermitState.DONE, "seen in the shop")
    operate.repair(desk.ports, "ops/olga", head.pause)
    assert resume(desk.ports, head.pause) == "delivered"
    assert len(desk.executors.effects) == 1


def test_the_sweep_carries_out_what_the_machine_lost_also_of_an_agent_that_picks_up(desk: Desk) -> None:
    head = desk.asked(desk.ran())
    desk.decide(head, 1, Verdict.ACCEPT, desk.jonas)
    desk.verbs.called.clear()
    desk.clock.move(120)
    sweep(desk.ports)
    assert [verb for verb, _ in desk.verbs.called] == ["resume"]


def test_without_its_executor_it_is_listed_by_name(desk: Desk) -> None:
    head = desk.asked(desk.ran())
    desk.decide(head, 1, Verdict.ACCEPT, desk.jonas)
    desk.agent = SUPPORT
    assert resume(desk.ports, head.pause) == "listed"
    assert desk.head(head.pause).stuck == "no_executor"


def test_the_record_of_both_names_the_other(desk: Desk) -> None:
    call = desk.ran()
    pause = split_call_id(call)[0]
    before = detail(desk.ports, desk.maria, pause).calls[0]
    assert (before.undo_tool, before.undone_by) == ("cancel_refund", ())
    head = desk.asked(call)
    assert detail(desk.ports, desk.maria, pause).calls[0].undone_by == (head.pause,)
    assert detail(desk.ports, desk.jonas, head.pause).calls[0].undoes == call


def test_a_proposal_that_crashed_before_it_was_linked_is_linked_when_it_is_asked_for_again(desk: Desk) -> None:
    call = desk.ran()
    made = propose(desk.ports, "maria@example.com", call)
    desk.table.items.pop(desk.keys.event(split_call_id(call)[0], "1#undo#1"))
    assert propose(desk.ports, "maria@example.com", call).replayed
    assert detail(desk.ports, desk.maria, split_call_id(call)[0]).calls[0].undone_by == (made.pause,)


@pytest.mark.parametrize(("permit", "ends"), [(PermitState.DONE, "delivered"), (PermitState.UNKNOWN, "listed")])
def test_one_that_was_settled_before_it_is_carried_out_runs_no_second_time(
    desk: Desk, permit: PermitState, ends: str
) -> None:
    head = desk.asked(desk.ran())
    desk.decide(head, 1, Verdict.ACCEPT, desk.jonas)
    item = desk.table.items[desk.keys.head(head.pause)]
    item["calls"]["1"]["permit"] = {**item["calls"]["1"].get("permit", {}), "state": permit.value}
    assert desk.goes_on(head.pause) == ends
    assert not desk.executors.effects
