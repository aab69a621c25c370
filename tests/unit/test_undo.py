"""undo: what is taken back waits again and does not run; what was not taken back runs when its time is over."""

from __future__ import annotations

import pytest

from placet.model.canonical import digest, parse
from placet.model.errors import Conflict, Gone, NotAllowed, NotFound
from placet.model.pauses import call_id
from placet.model.states import CallState, PauseState, PermitState, ResumeState, Verdict
from placet.service.escalate import escalate
from placet.service.execute import claim
from placet.service.resume import pick_up, resume, take
from placet.service.sweep import sweep
from placet.service.undo import undo
from placet.service.went_on import resumed
from tests.gateway import BILLING, DELETE, REFUND, SUPPORT, Gateway
from tests.unit.windows import WINDOW_S, accepted, take_back, verbs, windowed

EDIT = '{"order_id":"1182","amount":200.00}'


@pytest.fixture
def gateway() -> Gateway:
    return windowed()


def test_an_accept_commits_at_once_and_its_run_is_held(gateway: Gateway) -> None:
    head = accepted(gateway)
    until = gateway.clock.now_ms() + 1000 * WINDOW_S
    assert (head.state, head.calls[0].state) == (PauseState.CLOSED, CallState.ACCEPTED)
    assert (head.held_ms, head.calls[0].undo_ms, head.wsk) == (until, until, until)
    gateway.deliver()
    assert gateway.verbs.called == [("escalate", {"tenant": "main", "pause": head.pause})]
    assert verbs(gateway) == ["escalate"]  # which sets the one timer, and answers nothing
    assert (gateway.timers.moments[head.pause], gateway.waits.answered) == (until, [])


def test_nobody_takes_up_a_run_that_is_held(gateway: Gateway) -> None:
    head = accepted(gateway)
    ports, at = gateway.ports, call_id(head.pause, 1)
    assert resume(ports, head.pause) == "held"
    assert not pick_up(ports, SUPPORT)
    assert not take(ports, SUPPORT)
    assert not take(ports, SUPPORT, head.pause)
    with pytest.raises(Conflict) as refused:
        claim(ports, SUPPORT, at, head.calls[0].digest, "w1")
    assert (refused.value.code, refused.value.members["until"]) == ("call_held", head.held_ms)
    with pytest.raises(Conflict) as refused:
        resumed(ports, SUPPORT, head.pause)
    assert refused.value.code == "still_held"
    sweep(ports)
    assert gateway.head(head.pause).held_ms == head.held_ms
    assert not gateway.verbs.called


def test_when_its_time_is_over_the_wait_is_answered_once(gateway: Gateway) -> None:
    head = accepted(gateway)
    gateway.deliver()
    gateway.clock.move(WINDOW_S - 1)
    assert escalate(gateway.ports, head.pause) == "held"
    gateway.clock.move(1)
    assert escalate(gateway.ports, head.pause) == "released"
    gateway.deliver()
    assert len(gateway.waits.answered) == 1
    assert escalate(gateway.ports, head.pause) == "over"
    claimed = take(gateway.ports, SUPPORT)
    assert [one["state"] for one in claimed] == ["decided"]
    claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w1", claimed[0]["fence"])


def test_an_agent_that_picks_up_needs_no_timer(gateway: Gateway) -> None:
    head = accepted(gateway)
    gateway.clock.move(WINDOW_S)
    assert [one["pause"] for one in take(gateway.ports, SUPPORT)] == [head.pause]
    gateway.deliver()
    gateway.verbs.called.clear()
    resumed(gateway.ports, SUPPORT, head.pause)
    gateway.deliver()
    assert gateway.waits.answered  # the end of the run ended the hold as well


def test_the_sweep_finds_a_hold_whose_timer_is_lost(gateway: Gateway) -> None:
    head = accepted(gateway, agent=BILLING)
    gateway.deliver()
    gateway.verbs.called.clear()
    gateway.clock.move(WINDOW_S + 89)
    assert sweep(gateway.ports).expired == 0
    gateway.clock.move(1)
    assert sweep(gateway.ports).expired == 1
    assert verbs(gateway) == ["escalate"]
    gateway.deliver()
    assert gateway.waits.answered
    assert gateway.head(head.pause).held_ms == 0


def test_what_is_taken_back_waits_again_as_a_new_revision(gateway: Gateway) -> None:
    head = accepted(gateway)
    gateway.deliver()
    verbs(gateway)
    gateway.clock.move(5)
    answer = take_back(gateway, head)
    after = gateway.head(head.pause)
    call = after.calls[0]
    assert (answer.revision, answer.replayed) == (2, False)  # type: ignore[attr-defined]
    assert (after.state, after.resume_state, after.open_calls, after.held_ms) == (
        PauseState.OPEN,
        ResumeState.NOT_DUE,
        1,
        0,
    )
    assert (call.state, call.rev, call.permit, call.undo_ms, call.votes) == (
        CallState.PENDING,
        2,
        PermitState.NONE,
        0,
        {},
    )
    assert (after.wpk, after.wsk) == (gateway.keys.queue("money-out", 0), head.calls[0].deadline_ms)
    gateway.deliver()
    assert verbs(gateway) == ["escalate"]
    assert gateway.timers.moments[head.pause] == call.deadline_ms
    assert not gateway.waits.answered


def test_it_is_decided_again_and_runs_with_the_same_arguments_as_proposed(gateway: Gateway) -> None:
    head = accepted(gateway)
    take_back(gateway, head)
    again = gateway.head(head.pause)
    assert again.calls[0].digest == head.calls[0].digest
    gateway.decide(again, 1, Verdict.ACCEPT, gateway.jonas)
    after = gateway.head(head.pause)
    assert after.calls[0].state is CallState.ACCEPTED  # nobody changed anything
    gateway.clock.move(WINDOW_S)
    assert take(gateway.ports, SUPPORT)[0]["calls"][0]["arguments"] == '{"order_id":"1182","amount":240.5}'


def test_an_edit_that_is_taken_back_has_the_arguments_that_its_editor_saw(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.EDIT, arguments=EDIT, new_digest=digest(parse(EDIT)))
    edited = gateway.head(head.pause)
    assert (edited.calls[0].rev, edited.calls[0].state) == (2, CallState.EDITED)
    take_back(gateway, edited)
    back = gateway.head(head.pause)
    assert (back.calls[0].rev, back.calls[0].digest) == (3, head.calls[0].digest)
    other = '{"order_id":"1182","amount":100.00}'
    gateway.decide(back, 1, Verdict.EDIT, arguments=other, new_digest=digest(parse(other)))
    take_back(gateway, gateway.head(head.pause))
    assert gateway.head(head.pause).calls[0].digest == head.calls[0].digest
    gateway.decide(gateway.head(head.pause), 1, Verdict.EDIT, arguments=EDIT, new_digest=digest(parse(EDIT)))
    gateway.clock.move(WINDOW_S)
    shown = take(gateway.ports, SUPPORT)[0]["calls"][0]
    assert (shown["state"], shown["arguments"]) == ("edited", EDIT)


def test_votes_are_gone_and_both_people_are_needed_again(gateway: Gateway) -> None:
    gateway.with_policy(undo_s=WINDOW_S, quorum=2)
    head = gateway.shown(REFUND)
    for who in (gateway.maria, gateway.jonas):
        gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, who)
    take_back(gateway, gateway.head(head.pause))
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, gateway.jonas)
    assert gateway.head(head.pause).open_calls == 1
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, gateway.maria)
    assert gateway.head(head.pause).open_calls == 0


def test_the_same_again_is_the_stored_answer_and_only_to_who_did_it(gateway: Gateway) -> None:
    head = accepted(gateway)
    first = take_back(gateway, head)
    again = take_back(gateway, head)
    assert (again.revision, again.at_ms, again.replayed) == (first.revision, first.at_ms, True)  # type: ignore[attr-defined]
    with pytest.raises(Conflict) as refused:
        take_back(gateway, head, gateway.jonas)
    assert refused.value.code == "revision_differs"


@pytest.mark.parametrize(
    ("then", "says"),
    [
        (None, "It was taken back already, and waits again."),
        (Verdict.ACCEPT, "It was taken back already, and is accepted now. Look at it again."),
        (Verdict.REJECT, "It was taken back already, and is rejected now. Look at it again."),
    ],
)
def test_the_second_who_presses_hears_what_became_of_it(gateway: Gateway, then: Verdict | None, says: str) -> None:
    head = accepted(gateway)
    take_back(gateway, head)
    if then:
        gateway.decide(gateway.head(head.pause), 1, then)
    with pytest.raises(Conflict) as refused:
        take_back(gateway, head, gateway.jonas)
    assert (refused.value.code, refused.value.detail, refused.value.members) == (
        "revision_differs",
        says,
        {"revision": 2},
    )


def test_a_revision_that_nobody_took_back_is_not_said_to_be(gateway: Gateway) -> None:
    head = accepted(gateway)
    with pytest.raises(Conflict, match="The call is another revision now") as refused:
        undo(gateway.ports, gateway.maria, call_id(head.pause, 1), 7)
    assert refused.value.code == "revision_differs"


@pytest.mark.parametrize("seconds", [0, 1])
def test_its_time_ends_to_the_millisecond(gateway: Gateway, seconds: int) -> None:
    head = accepted(gateway)
    gateway.clock.at_ms = head.held_ms - 1 + seconds
    if not seconds:
        assert not take_back(gateway, head).replayed  # type: ignore[attr-defined]
        return
    with pytest.raises(Gone) as refused:
        take_back(gateway, head)
    assert refused.value.code == "undo_over"


def test_who_may_not_decide_may_not_take_back(gateway: Gateway) -> None:
    head = accepted(gateway, requester="jonas@example.com")
    with pytest.raises(NotAllowed) as refused:
        take_back(gateway, head, gateway.jonas)
    assert refused.value.code == "requester_may_not_decide"
    with pytest.raises(NotFound):
        take_back(gateway, head, gateway.person("olga", "Olga", "gardeners"))
    assert not take_back(gateway, head).replayed  # type: ignore[attr-defined]


def test_what_was_rejected_or_has_no_window_is_not_taken_back(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    with pytest.raises(Conflict) as refused:
        take_back(gateway, head)
    assert refused.value.code == "not_decided"
    gateway.decide(head, 1, Verdict.REJECT)
    gateway.decide(gateway.head(head.pause), 2, Verdict.ACCEPT)
    after = gateway.head(head.pause)
    assert after.held_ms == 0
    for number in (1, 2):
        with pytest.raises(Conflict) as refused:
            take_back(gateway, after, number=number)
        assert refused.value.code == "no_undo"
