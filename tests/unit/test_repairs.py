"""What operators do, value by value: where a repair puts a pause, what is settled, held and let go on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from placet.model.errors import Busy, Conflict, Invalid, NotFound
from placet.model.registry import Registry
from placet.model.states import PermitState
from placet.policy import Level
from placet.records.ops import ConditionFailed, Op
from placet.service import operate
from placet.service.escalate import escalate
from placet.service.execute import claim, outcome
from placet.service.operate import MAX_EVIDENCE, repair
from placet.service.resume import take
from placet.service.went_on import resumed
from placet.service.work_lists import every_list
from tests.gateway import BILLING, REFUND, SUPPORT, Gateway, approved, without_class
from tests.unit.listing import OLGA, listed, unknown


def test_an_open_pause_waits_again_under_a_new_execution(gateway: Gateway) -> None:
    head = listed(gateway, gateway.shown(REFUND), "wait_failed")
    gateway.clock.move(5)
    gateway.log.clear()
    assert repair(gateway.ports, OLGA, head.pause) == "waits again"
    after = gateway.head(head.pause)
    assert (after.wpk, after.wsk, after.gen, after.stuck) == (
        gateway.keys.new(),
        gateway.clock.now_ms(),
        head.gen + 1,
        "",
    )
    assert gateway.log == [("repaired", {"pause": head.pause, "did": "waits again"})]


def test_a_decided_pause_is_offered_to_its_agent_again_as_if_it_had_never_been(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    gateway.table.items[gateway.keys.head(head.pause)]["delivered_ms"] = gateway.clock.now_ms()
    listed(gateway, head, "not_picked_up")
    gateway.clock.move(5)
    assert repair(gateway.ports, OLGA, head.pause) == operate.OFFERED
    after = gateway.head(head.pause)
    assert (after.wpk, after.wsk, after.delivered_ms) == (
        gateway.keys.out("support-agent"),
        gateway.clock.now_ms(),
        0,
    )


def test_one_that_a_worker_has_leased_is_offered_after_that(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    assert take(gateway.ports, SUPPORT)
    listed(gateway, head, "not_picked_up")
    assert repair(gateway.ports, OLGA, head.pause) == operate.OFFERED_LATER


def test_one_whose_call_runs_waits_for_its_worker(gateway: Gateway) -> None:
    head, call = approved(gateway)
    claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w")
    listed(gateway, head, "not_picked_up")
    assert repair(gateway.ports, OLGA, head.pause).startswith("waits for its worker's report")
    assert gateway.head(head.pause).wpk == gateway.keys.out("support-agent")


def test_one_whose_agent_the_registry_does_not_know_stays_listed(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    listed(gateway, head, "agent_gone")
    with pytest.raises(Conflict) as caught:
        repair(replace(gateway.ports, registry=Registry((BILLING,))), OLGA, head.pause)
    assert (caught.value.code, caught.value.members) == ("agent_gone", {"agent": "support-agent"})
    assert caught.value.detail == (
        "The agent support-agent is not in the registry. Put it back and deploy, then repair this pause."
    )


def test_one_whose_class_the_policy_does_not_know_stays_listed(gateway: Gateway) -> None:
    head = listed(gateway, gateway.shown(REFUND), "class_gone")
    gateway.policy = without_class(gateway.policy, "money-out")
    with pytest.raises(Conflict) as caught:
        repair(gateway.ports, OLGA, head.pause)
    assert (caught.value.code, caught.value.members) == ("class_gone", {"classes": ["money-out"]})
    assert "The class money-out is not in the policy." in caught.value.detail


def test_one_that_nobody_saw_waits_again_though_its_class_is_gone(gateway: Gateway) -> None:
    """It has no deadline yet. Once it is shown it is listed for its class, and its time runs."""
    head = listed(gateway, gateway.capture(REFUND).head, "wait_failed")
    gateway.policy = without_class(gateway.policy, "money-out")
    assert repair(gateway.ports, OLGA, head.pause) == "waits again"
    after = gateway.head(head.pause)
    assert (after.stuck, after.wpk, after.gen) == ("", gateway.keys.new(), 2)


def test_one_whose_class_is_back_stands_before_its_people_again(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    listed(gateway, head, "class_gone")
    assert repair(gateway.ports, OLGA, head.pause) == "stands before its reviewers again"
    after = gateway.head(head.pause)
    assert (after.wpk, after.gen, after.calls) == (head.wpk, head.gen, head.calls)


def test_nothing_of_what_nobody_proposed_runs(gateway: Gateway) -> None:
    head = listed(gateway, gateway.shown(REFUND), "not_proposed")
    assert repair(gateway.ports, OLGA, head.pause) == operate.WITHDRAWN
    assert gateway.head(head.pause).cancelled == "not_proposed, found by ops/olga"
    assert repair(gateway.ports, OLGA, head.pause) == operate.WITHDRAWN
    with pytest.raises(Conflict) as caught:
        repair(gateway.ports, "ops/otto", head.pause)
    assert caught.value.code == "not_stuck"


def test_one_with_an_unknown_call_is_settled_first(gateway: Gateway) -> None:
    head, call = unknown(gateway)
    with pytest.raises(Conflict) as caught:
        repair(gateway.ports, OLGA, head.pause)
    assert (caught.value.code, caught.value.members) == ("needs_reconcile", {"calls": [call]})


@pytest.mark.parametrize(("lost", "ends"), [(3, True), (4, False)])
def test_a_repair_that_meets_others_is_tried_again_and_then_busy(gateway: Gateway, lost: int, ends: bool) -> None:
    head = listed(gateway, gateway.shown(REFUND), "wait_failed")
    write, left = gateway.table.write, [lost]

    def losing(ops: list[Op]) -> None:
        if left[0]:
            left[0] -= 1
            raise ConditionFailed(0, None)
        write(ops)

    gateway.table.write = losing
    if ends:
        assert repair(gateway.ports, OLGA, head.pause) == "waits again"
    else:
        with pytest.raises(Busy):
            repair(gateway.ports, OLGA, head.pause)
    assert left == [0]


@pytest.mark.parametrize(
    ("evidence", "code"),
    [("", "evidence_missing"), (" \u200b ", "evidence_missing"), ("e" * (MAX_EVIDENCE + 1), "evidence_too_long")],
)
def test_evidence_is_something_to_read_and_not_too_much(gateway: Gateway, evidence: str, code: str) -> None:
    _, call = unknown(gateway)
    with pytest.raises(Invalid) as caught:
        operate.reconcile(gateway.ports, OLGA, call, PermitState.DONE, evidence)
    assert caught.value.code == code
    if code == "evidence_too_long":
        assert caught.value.members == {"limit": MAX_EVIDENCE} == {"limit": 2_000}
    operate.reconcile(gateway.ports, OLGA, call, PermitState.DONE, f" {'e' * MAX_EVIDENCE} ")


def test_only_an_unknown_call_that_is_there_is_settled(gateway: Gateway) -> None:
    head, call = approved(gateway)
    with pytest.raises(Conflict) as caught:
        operate.reconcile(gateway.ports, OLGA, call, PermitState.DONE, "seen")
    assert (caught.value.code, caught.value.members) == ("permit_not_unknown", {"permit": "free"})
    with pytest.raises(NotFound):
        operate.reconcile(gateway.ports, OLGA, f"{head.pause}-7", PermitState.DONE, "seen")


def test_who_holds_everything_and_lets_it_go_on_is_told(gateway: Gateway) -> None:
    gateway.shown(REFUND)
    raised = replace(gateway.ports, epoch=2)
    gateway.log.clear()
    operate.freeze(raised, OLGA, "restore")
    assert operate.thaw(raised, OLGA) == (1, False)
    assert gateway.log == [("frozen", {"by": OLGA}), ("thawed", {"by": OLGA, "entered": 1, "more": False})]
    assert operate.enter_epoch(raised) == (0, False), "again is nothing"
    assert every_list(raised)


def test_one_whose_levels_are_fewer_by_now_stands_before_the_last_of_them(gateway: Gateway) -> None:
    gateway.with_policy(levels=(Level(("finance",)), Level(("approvers",), 3600)))
    head = gateway.shown(REFUND)
    gateway.clock.move(3600)
    assert escalate(gateway.ports, head.pause) == "widened"
    listed(gateway, head, "class_gone")
    gateway.with_policy(levels=(Level(("finance",)),))
    repair(gateway.ports, OLGA, head.pause)
    after = gateway.head(head.pause)
    assert (after.level, after.wpk) == (0, gateway.keys.queue("money-out", 0))


def test_of_one_that_has_ended_nothing_is_left_to_do(gateway: Gateway) -> None:
    head, call = approved(gateway)
    claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w")
    outcome(gateway.ports, SUPPORT, call, "w", PermitState.DONE, "")
    resumed(gateway.ports, SUPPORT, head.pause)
    gateway.table.items[gateway.keys.head(head.pause)] |= {
        "stuck": "wait_failed",
        "wpk": gateway.keys.stuck(),
        "wsk": 1,
    }
    before = gateway.head(head.pause)
    assert repair(gateway.ports, OLGA, head.pause) == "nothing is left to do"
    after = gateway.head(head.pause)
    assert (after.stuck, after.epoch, after.state, after.gen) == ("", before.epoch, before.state, before.gen)
