"""Restores: a freeze holds everything, a raised epoch calls nothing free that may have been used."""

import copy
from dataclasses import replace

import pytest

from placet.model.errors import Conflict, Frozen
from placet.model.states import PermitState, Verdict
from placet.records.ops import ConditionFailed, Op
from placet.service import operate
from placet.service.execute import claim, outcome
from placet.service.stuck import list_stuck
from placet.service.sweep import sweep
from tests.gateway import REFUND, SUPPORT, Gateway, approved


def test_thawing_brings_every_restored_pause_into_the_new_epoch(gateway: Gateway) -> None:
    done, _ = approved(gateway)
    waiting = gateway.shown(REFUND, checkpoint="cp-2")
    raised = replace(gateway.ports, epoch=2)
    operate.freeze(raised, "ops/olga", "restore")
    operate.thaw(raised, "ops/olga")
    assert gateway.head(done.pause).stuck == "restored_permits"
    assert (gateway.head(waiting.pause).epoch, gateway.head(waiting.pause).wpk) == (2, gateway.keys.new())


def test_a_repair_cannot_carry_a_restored_permit_into_the_new_epoch(gateway: Gateway) -> None:
    head, call = approved(gateway)
    list_stuck(gateway.ports, gateway.head(head.pause), "not_picked_up")
    raised = replace(gateway.ports, epoch=2)
    with pytest.raises(Conflict) as caught:
        operate.repair(raised, "ops/olga", head.pause)
    assert caught.value.code == "needs_reconcile"
    with pytest.raises(Conflict):
        claim(raised, SUPPORT, call, head.calls[0].digest, "w")


def test_while_frozen_nothing_is_captured_decided_or_claimed(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    done, call = approved(gateway, checkpoint="cp-2")
    operate.freeze(gateway.ports, "ops/olga", "restore")
    for held in (
        lambda: gateway.capture(REFUND, checkpoint="cp-3"),
        lambda: gateway.decide(head, 1, Verdict.ACCEPT),
        lambda: claim(gateway.ports, SUPPORT, call, done.calls[0].digest, "w"),
    ):
        with pytest.raises(Frozen):
            held()
    operate.thaw(gateway.ports, "ops/olga")
    gateway.decide(head, 1, Verdict.ACCEPT)


def test_after_a_restore_nothing_runs_twice(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    """The drill of docs/operations.md: snapshot, execute, restore the snapshot, raise the epoch."""
    head, call = approved(gateway)
    waiting = gateway.shown(REFUND, checkpoint="cp-2")
    snapshot = copy.deepcopy(gateway.table.items)
    claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w1")
    outcome(gateway.ports, SUPPORT, call, "w1", PermitState.DONE, "paid")

    gateway.table.items = copy.deepcopy(snapshot)
    raised = replace(gateway.ports, epoch=2)
    with pytest.raises(Conflict) as caught:
        claim(raised, SUPPORT, call, head.calls[0].digest, "w2")
    assert caught.value.code == "epoch_differs"
    gateway.clock.at_ms = waiting.deadline_ms  # every list is due
    sweep(raised)
    after, again = gateway.head(head.pause), gateway.head(waiting.pause)
    assert (after.calls[0].permit, after.stuck, after.epoch) == (PermitState.UNKNOWN, "restored_permits", 2)
    assert (again.epoch, again.gen, again.wpk) == (2, 2, gateway.keys.new())

    gateway.table.items = copy.deepcopy(
        snapshot
    )  # the planted bug: nobody raised the epoch, and the call is paid twice
    assert claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w2").replayed is False


def test_a_thaw_that_takes_long_says_that_there_may_be_more(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        gateway.shown(REFUND, checkpoint=f"cp-{number}")
    raised = replace(gateway.ports, epoch=2)
    write = gateway.table.write

    def slow(ops: list[Op]) -> None:
        gateway.clock.at_ms += 12_000
        write(ops)

    monkeypatch.setattr(gateway.table, "write", slow)
    assert operate.enter_epoch(raised) == (2, True)
    assert operate.enter_epoch(raised) == (1, False)


def test_what_changes_while_it_enters_the_new_epoch_is_not_counted(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    gateway.shown(REFUND)

    def lost(ops: list[Op]) -> None:
        raise ConditionFailed(0, None)

    monkeypatch.setattr(gateway.table, "write", lost)
    assert operate.enter_epoch(replace(gateway.ports, epoch=2)) == (0, False)
