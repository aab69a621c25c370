"""Unknown outcomes: who never reported, who reports late, and the person who settles it."""

import pytest

from placet.model.errors import Conflict, Invalid
from placet.model.pauses import call_id
from placet.model.states import CallState, PermitState, Verdict
from placet.service import operate
from placet.service.cancel import cancel
from placet.service.execute import claim, outcome
from placet.service.resume import pick_up
from placet.service.sweep import sweep
from placet.service.went_on import resumed
from tests.gateway import DELETE, REFUND, SUPPORT, Gateway, approved

LEASE_S = 900


def claimed(gateway: Gateway, **more):
    head, call = approved(gateway, **more)
    claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w1")
    return gateway.head(head.pause), call


def test_a_worker_that_never_reports_ends_as_unknown_and_listed(gateway: Gateway) -> None:
    head, _ = claimed(gateway)
    gateway.clock.move(LEASE_S - 1)
    assert sweep(gateway.ports).given_up == 0
    gateway.clock.move(1)
    assert sweep(gateway.ports).given_up == 1
    after = gateway.head(head.pause)
    assert (after.calls[0].permit, after.stuck) == (PermitState.UNKNOWN, "permit_unknown")
    (entry,) = operate.stuck(gateway.ports)
    assert entry.repair == f"placet settle {head.pause}-1 --done|--failed --evidence …"


def test_a_late_worker_may_still_turn_its_own_unknown_into_done_and_nothing_else(gateway: Gateway) -> None:
    _, call = claimed(gateway)
    gateway.clock.move(LEASE_S)
    sweep(gateway.ports)
    with pytest.raises(Conflict, match="does not hold"):
        outcome(gateway.ports, SUPPORT, call, "w2", PermitState.DONE, "")
    assert outcome(gateway.ports, SUPPORT, call, "w1", PermitState.DONE, "r-1") is False
    with pytest.raises(Conflict, match="done already"):
        outcome(gateway.ports, SUPPORT, call, "w1", PermitState.FAILED, "")


def test_a_tool_with_an_idempotency_key_is_run_again_with_the_same_key(gateway: Gateway) -> None:
    head, call = claimed(gateway)
    gateway.table.items[gateway.keys.head(head.pause)]["calls"]["1"]["takes_key"] = True
    gateway.clock.move(LEASE_S)
    sweep(gateway.ports)
    assert gateway.head(head.pause).calls[0].permit is PermitState.FREE
    again = claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w2")
    assert again.idempotency_key == f"placet-{call}"


def test_a_permit_that_is_out_when_the_run_went_on_is_still_looked_after(gateway: Gateway) -> None:
    head, call = claimed(gateway)
    resumed(gateway.ports, SUPPORT, head.pause)
    assert pick_up(gateway.ports, SUPPORT) == []
    assert gateway.head(head.pause).wpk == gateway.keys.out("support-agent")
    outcome(gateway.ports, SUPPORT, call, "w1", PermitState.DONE, "")
    sweep(gateway.ports)
    assert gateway.head(head.pause).wpk == ""


def test_and_is_given_up_when_nobody_reports(gateway: Gateway) -> None:
    head, _ = claimed(gateway)
    resumed(gateway.ports, SUPPORT, head.pause)
    gateway.clock.move(LEASE_S)
    sweep(gateway.ports)
    assert gateway.head(head.pause).stuck == "permit_unknown"


def test_a_person_settles_an_unknown_with_evidence_once(gateway: Gateway) -> None:
    head, call = claimed(gateway)
    gateway.clock.move(LEASE_S)
    sweep(gateway.ports)
    with pytest.raises(Conflict) as caught:
        operate.repair(gateway.ports, "ops/olga", head.pause)
    assert (caught.value.code, caught.value.members["calls"]) == ("needs_reconcile", [call])
    with pytest.raises(Invalid, match="how you know"):
        operate.reconcile(gateway.ports, "ops/olga", call, PermitState.DONE, " ")
    operate.reconcile(gateway.ports, "ops/olga", call, PermitState.DONE, "bank statement 7")
    event = gateway.table.get(gateway.keys.event(head.pause, "1#reconciled"))
    assert (event["by"], event["evidence"]) == ("ops/olga", "bank statement 7")
    with pytest.raises(Conflict, match="only an unknown"):
        operate.reconcile(gateway.ports, "ops/olga", call, PermitState.FAILED, "no")
    assert operate.repair(gateway.ports, "ops/olga", head.pause) == "is offered to its agent again"
    assert operate.stuck(gateway.ports) == []


def unknown(gateway: Gateway):
    head, call = claimed(gateway)
    gateway.clock.move(LEASE_S)
    sweep(gateway.ports)
    return head, call


@pytest.mark.parametrize("move", ["resumed", "cancelled", "claim refused"])
def test_an_unknown_stays_listed_whatever_else_happens_to_its_pause(gateway: Gateway, move: str) -> None:
    head, call = unknown(gateway)
    if move == "resumed":
        resumed(gateway.ports, SUPPORT, head.pause)
    elif move == "cancelled":
        cancel(gateway.ports, SUPPORT, head.pause, "killed")
    else:
        with pytest.raises(Conflict):
            claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w2")
    assert [one.pause for one in operate.stuck(gateway.ports)] == [head.pause]
    operate.reconcile(gateway.ports, "ops/olga", call, PermitState.DONE, "statement")
    operate.repair(gateway.ports, "ops/olga", head.pause)
    assert operate.stuck(gateway.ports) == []


def test_a_worker_that_reports_unknown_itself_is_listed(gateway: Gateway) -> None:
    _, call = claimed(gateway)
    outcome(gateway.ports, SUPPORT, call, "w1", PermitState.UNKNOWN, "timeout")
    assert operate.stuck(gateway.ports)[0].unknown == (call,)


def test_a_permit_cannot_be_claimed_after_the_run_went_on(gateway: Gateway) -> None:
    head, call = approved(gateway)
    resumed(gateway.ports, SUPPORT, head.pause)
    with pytest.raises(Conflict) as caught:
        claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w")
    assert caught.value.code == "already_resumed"


def test_a_claim_between_the_look_and_the_report_keeps_the_pause_listed(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    head, call = approved(gateway)
    real, once = gateway.table.write, []

    def write(ops):
        if not once and "resume_state" in str(ops[0]) and "ended" in str(ops[0]):
            once.append(1)
            claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w")
        real(ops)

    monkeypatch.setattr(gateway.table, "write", write)
    resumed(gateway.ports, SUPPORT, head.pause)
    assert once
    assert gateway.head(head.pause).wpk == gateway.keys.out("support-agent")


def test_a_claim_that_was_cancelled_away_becomes_unknown_and_can_be_settled(gateway: Gateway) -> None:
    head, call = claimed(gateway)
    cancel(gateway.ports, SUPPORT, head.pause, "killed")
    gateway.clock.move(LEASE_S)
    assert sweep(gateway.ports).given_up == 1
    assert gateway.head(head.pause).stuck == "permit_unknown"
    operate.reconcile(gateway.ports, "ops/olga", call, PermitState.FAILED, "never arrived")
    assert operate.repair(gateway.ports, "ops/olga", head.pause) == "nothing is left to do"


def test_an_unknown_beside_an_open_call_leaves_the_pause_with_its_people_and_is_listed_after(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    gateway.decide(head, 1, Verdict.ACCEPT)
    call = call_id(head.pause, 1)
    claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w1")
    outcome(gateway.ports, SUPPORT, call, "w1", PermitState.UNKNOWN, "timeout")
    between = gateway.head(head.pause)
    assert (between.wpk, between.stuck) == (gateway.keys.queue("general", 0), "")
    gateway.decide(between, 2, Verdict.REJECT)
    assert operate.stuck(gateway.ports)[0].unknown == (call,)


def freed(gateway: Gateway):
    head, call = claimed(gateway)
    gateway.table.items[gateway.keys.head(head.pause)]["calls"]["1"]["takes_key"] = True
    gateway.clock.move(LEASE_S)
    sweep(gateway.ports)
    assert gateway.head(head.pause).calls[0].permit is PermitState.FREE
    return head, call


@pytest.mark.parametrize("end", ["stale", "cancelled", "resumed"])
def test_a_freed_permit_that_nobody_retries_is_unknown_and_never_said_not_to_have_run(
    gateway: Gateway, end: str
) -> None:
    head, call = freed(gateway)
    if end == "stale":
        gateway.clock.move(86_400)
        with pytest.raises(Conflict):
            claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w2")
    elif end == "cancelled":
        cancel(gateway.ports, SUPPORT, head.pause, "killed")
    else:
        resumed(gateway.ports, SUPPORT, head.pause)
    after = gateway.head(head.pause)
    assert (after.calls[0].state, after.calls[0].permit) == (CallState.ACCEPTED, PermitState.UNKNOWN)
    assert operate.stuck(gateway.ports)[0].unknown == (call,)
