"""cancel and supersede: the run moved on; open calls close, late decisions are told, what was claimed is listed."""

import pytest

from placet.model.errors import Conflict, Invalid, NotFound
from placet.model.pauses import call_id
from placet.model.states import CallState, PauseState, PermitState, Verdict
from placet.service.cancel import cancel, supersede
from placet.service.execute import claim
from placet.service.resume import pick_up
from placet.service.went_on import resumed
from tests.gateway import BILLING, DELETE, REFUND, SUPPORT, Gateway


def test_a_cancelled_pause_is_in_no_queue_and_its_wait_ends(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    assert cancel(gateway.ports, SUPPORT, head.pause, "the user left") == ("cancelled", [])
    assert cancel(gateway.ports, SUPPORT, head.pause, "the user left") == ("already", [])
    after = gateway.head(head.pause)
    assert (after.state, after.open_calls, after.wpk) == (PauseState.ENDED, 0, "")
    assert after.calls[0].state is CallState.CANCELLED
    gateway.deliver()
    assert gateway.waits.answered == [f"token of {head.pause}-1"]
    assert pick_up(gateway.ports, SUPPORT) == []


def test_a_late_decision_is_told_what_happened(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    cancel(gateway.ports, SUPPORT, head.pause, "the user left")
    with pytest.raises(Conflict) as caught:
        gateway.decide(head, 1, Verdict.ACCEPT)
    assert caught.value.code == "call_cancelled"


def test_a_run_that_asks_again_supersedes_what_waits_and_names_it(gateway: Gateway) -> None:
    first = gateway.shown(REFUND)
    second = gateway.shown(REFUND, checkpoint="cp-2")
    other_run = gateway.shown(REFUND, checkpoint="cp-3", run="thread-2")
    assert supersede(gateway.ports, SUPPORT, "thread-1", second.pause) == [first.pause]
    assert gateway.head(first.pause).calls[0].state is CallState.SUPERSEDED
    assert gateway.head(other_run.pause).open_calls == 1
    with pytest.raises(Conflict) as caught:
        gateway.decide(first, 1, Verdict.ACCEPT)
    assert (caught.value.code, caught.value.members["successor"]) == ("call_superseded", second.pause)


def test_a_free_permit_of_a_cancelled_pause_is_worth_nothing(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    gateway.decide(head, 1, Verdict.ACCEPT)
    cancel(gateway.ports, SUPPORT, head.pause, "the user left")
    with pytest.raises(Conflict) as caught:
        claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w")
    assert caught.value.code == "call_cancelled"


def test_what_was_claimed_is_listed_and_not_undone(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w")
    assert cancel(gateway.ports, SUPPORT, head.pause, "killed") == ("cancelled", [1])
    after = gateway.head(head.pause)
    assert (after.stuck, after.wpk) == ("cancelled_while_claimed", gateway.keys.stuck())
    assert after.calls[0].permit is PermitState.CLAIMED


def test_a_claim_between_the_look_and_the_cancel_is_seen(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    real, once = gateway.table.write, []

    def write(ops):
        if not once and len(ops) == 2 and "cancelled" in str(ops[0]):
            once.append(1)
            claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w")
        real(ops)

    monkeypatch.setattr(gateway.table, "write", write)
    assert cancel(gateway.ports, SUPPORT, head.pause, "killed") == ("cancelled", [1])
    assert once


def test_a_successor_is_another_pause_of_the_same_run(gateway: Gateway) -> None:
    head, other = gateway.shown(REFUND), gateway.shown(REFUND, checkpoint="cp-2", run="another")
    for successor in (head.pause, other.pause):
        with pytest.raises(Invalid) as caught:
            cancel(gateway.ports, SUPPORT, head.pause, "x", successor=successor)
        assert (caught.value.code, caught.value.members["problems"][0]["at"]) == ("field_invalid", "successor")
    assert not gateway.head(head.pause).cancelled
    second = gateway.shown(REFUND, checkpoint="cp-3")
    assert cancel(gateway.ports, SUPPORT, head.pause, "x", successor=second.pause) == ("cancelled", [])


def test_a_run_that_went_on_cannot_be_cancelled_and_strangers_see_nothing(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    with pytest.raises(NotFound):
        cancel(gateway.ports, BILLING, head.pause, "x")
    with pytest.raises(NotFound):
        cancel(gateway.ports, SUPPORT, head.pause, "x", successor="nosuch")
    gateway.decide(head, 1, Verdict.REJECT)
    resumed(gateway.ports, SUPPORT, head.pause)
    with pytest.raises(Conflict, match="went on"):
        cancel(gateway.ports, SUPPORT, head.pause, "x")
