"""Rounds: an approval that got too old is asked for again, as if it were new."""

import pytest

from placet.model.errors import Conflict
from placet.model.pauses import call_id
from placet.model.states import CallState, PauseState, PermitState, Verdict
from placet.service.escalate import escalate
from placet.service.execute import claim
from placet.service.notify import notify
from placet.service.resume import pick_up, take
from placet.service.review import detail
from placet.service.sweep import sweep
from placet.service.went_on import resumed
from tests.gateway import DELETE, REFUND, SMALL, SUPPORT, Gateway, approved


def test_an_approval_that_got_too_old_goes_back_to_review_and_can_be_given_again(gateway: Gateway) -> None:
    head, call = approved(gateway)
    gateway.clock.move(86_400)
    with pytest.raises(Conflict) as caught:
        claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w")
    assert caught.value.code == "permit_stale"
    back = gateway.head(head.pause)
    assert (back.state, back.open_calls, back.gen, back.calls[0].round) == (PauseState.OPEN, 1, 2, 2)
    assert (back.calls[0].state, back.calls[0].permit) == (CallState.PENDING, PermitState.NONE)
    sweep(gateway.ports)
    assert f"{head.pause}-2" in gateway.waits.started
    notify(gateway.ports, head.pause, 2, "t2")
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, gateway.jonas)
    assert claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w").replayed is False
    assert gateway.table.get(gateway.keys.event(head.pause, "1#decided"))["by"] == "maria"
    assert gateway.table.get(gateway.keys.event(head.pause, "1#decided#2"))["by"] == "jonas"


def test_what_passed_by_itself_and_got_too_old_goes_to_a_person(gateway: Gateway) -> None:
    head = gateway.capture(SMALL).head
    gateway.clock.move(86_400)
    with pytest.raises(Conflict, match="reviewed again"):
        claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w")
    assert gateway.head(head.pause).calls[0].state is CallState.PENDING


def test_the_second_round_of_a_quorum_takes_the_same_people_again(gateway: Gateway) -> None:
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, gateway.jonas)
    gateway.clock.move(86_400)
    with pytest.raises(Conflict):
        claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w")
    notify(gateway.ports, head.pause, 2, "t2")
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT)
    assert gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, gateway.jonas).state is CallState.ACCEPTED


def test_the_second_round_expires_too(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    for gen in (1, 2):
        gateway.clock.move(4 * 3600)
        assert escalate(gateway.ports, head.pause) == "expired"
        assert gateway.head(head.pause).calls[0].state is CallState.EXPIRED
        call = gateway.table.items[gateway.keys.head(head.pause)]["calls"]["1"]
        if gen == 1:  # as a stale approval leaves it
            gateway.table.items[gateway.keys.head(head.pause)].update(state="open", open_calls=1, gen=2)
            del gateway.table.items[gateway.keys.head(head.pause)]["notified_ms"]
            call.update(state="pending", round=2, deadline_ms=0)
            notify(gateway.ports, head.pause, 2, "t2")


def test_a_call_asked_again_while_notify_works_is_shown_too(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    head = gateway.shown(REFUND, DELETE)
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.decide(gateway.head(head.pause), 2, Verdict.ACCEPT)
    gateway.clock.move(86_400)
    calls = [(call_id(head.pause, call.number), call.digest) for call in head.calls]
    with pytest.raises(Conflict):
        claim(gateway.ports, SUPPORT, *calls[0], "w")
    real, once = gateway.table.write, []

    def write(ops):
        if not once and "notified_ms" in str(ops[0]) and "not_notified" in str(ops[0]):
            once.append(1)
            with pytest.raises(Conflict):
                claim(gateway.ports, SUPPORT, *calls[1], "w")
        real(ops)

    monkeypatch.setattr(gateway.table, "write", write)
    notify(gateway.ports, head.pause, 2, "t2")
    assert once
    assert all(call.deadline_ms for call in gateway.head(head.pause).pending)


def test_closing_the_last_call_while_another_is_asked_again_does_not_close_the_pause(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = gateway.shown(REFUND, DELETE)
    gateway.decide(head, 2, Verdict.ACCEPT)
    gateway.table.items[gateway.keys.head(head.pause)]["calls"]["2"]["permit"]["until_ms"] = 0
    real, once = gateway.table.write, []

    def write(ops):
        if not once and len(ops) == 3:
            once.append(1)
            with pytest.raises(Conflict):
                claim(gateway.ports, SUPPORT, call_id(head.pause, 2), head.calls[1].digest, "w")
        real(ops)

    monkeypatch.setattr(gateway.table, "write", write)
    gateway.decide(gateway.head(head.pause), 1, Verdict.REJECT)
    after = gateway.head(head.pause)
    assert once
    assert (after.state, after.open_calls, after.wpk) == (PauseState.OPEN, 1, gateway.keys.new())


def test_a_worker_of_the_round_before_cannot_end_the_pause(gateway: Gateway) -> None:
    head, call = approved(gateway)
    (taken,) = take(gateway.ports, SUPPORT)
    gateway.clock.move(86_400)
    with pytest.raises(Conflict):
        claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w", taken["fence"])
    notify(gateway.ports, head.pause, 2, "t2")
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT)
    with pytest.raises(Conflict, match="Another worker"):
        resumed(gateway.ports, SUPPORT, head.pause, taken["fence"])
    assert [one["pause"] for one in pick_up(gateway.ports, SUPPORT)] == [head.pause]


def test_who_accepted_in_the_round_before_may_decide_in_this_one(gateway: Gateway) -> None:
    head, call = approved(gateway)
    gateway.clock.move(86_400)
    with pytest.raises(Conflict):
        claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w")
    notify(gateway.ports, head.pause, 2, "t2")
    assert gateway.head(head.pause).calls[0].votes == {}
    assert detail(gateway.ports, gateway.maria, head.pause).calls[0].may_decide
    assert gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT).replayed is False
