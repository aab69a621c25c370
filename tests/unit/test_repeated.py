"""An operator whose answer was lost asks again: the same is done once, and told twice."""

import pytest

from placet.model.errors import Conflict
from placet.model.pauses import call_id
from placet.model.states import PermitState
from placet.records.heads import Head
from placet.service.execute import claim, outcome
from placet.service.operate import reconcile, repair
from placet.service.repeated import REPEAT_MS
from placet.service.stuck import list_stuck
from tests.gateway import SUPPORT, Gateway, approved

OLGA, OTTO = "ops/olga", "ops/otto"
SEEN = "Refund r-1 is in the ledger."


def unknown(gateway: Gateway) -> tuple[Head, str]:
    head, call = approved(gateway)
    claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w1")
    outcome(gateway.ports, SUPPORT, call, "w1", PermitState.UNKNOWN, "")
    return head, call


def events(gateway: Gateway, head: Head, prefix: str) -> int:
    return len(gateway.table.query(gateway.keys.pause(head.pause), f"E#{prefix}"))


def test_settling_again_in_the_same_words_is_the_same(gateway: Gateway) -> None:
    head, call = unknown(gateway)
    reconcile(gateway.ports, OLGA, call, PermitState.DONE, SEEN)
    gateway.clock.move(3_600)
    reconcile(gateway.ports, OLGA, call, PermitState.DONE, f" {SEEN} ")
    assert events(gateway, head, "1#reconciled") == 1


@pytest.mark.parametrize(
    ("who", "permit", "evidence"),
    [(OTTO, PermitState.DONE, SEEN), (OLGA, PermitState.FAILED, SEEN), (OLGA, PermitState.DONE, "Somebody said so.")],
)
def test_other_words_are_refused(gateway: Gateway, who: str, permit: PermitState, evidence: str) -> None:
    _, call = unknown(gateway)
    reconcile(gateway.ports, OLGA, call, PermitState.DONE, SEEN)
    with pytest.raises(Conflict) as refused:
        reconcile(gateway.ports, who, call, permit, evidence)
    assert refused.value.code == "permit_not_unknown"


def test_what_a_worker_reported_late_is_not_taken_for_the_operators(gateway: Gateway) -> None:
    _, call = unknown(gateway)
    outcome(gateway.ports, SUPPORT, call, "w1", PermitState.DONE, "paid")
    with pytest.raises(Conflict):
        reconcile(gateway.ports, OLGA, call, PermitState.DONE, SEEN)


def test_repairing_again_tells_what_the_first_did(gateway: Gateway) -> None:
    head, call = unknown(gateway)
    reconcile(gateway.ports, OLGA, call, PermitState.DONE, SEEN)
    did = repair(gateway.ports, OLGA, head.pause)
    gateway.clock.move(REPEAT_MS / 1000 - 1)
    assert repair(gateway.ports, OLGA, head.pause) == did == "is offered to its agent again"
    assert events(gateway, head, "repaired") == 1
    with pytest.raises(Conflict) as other:
        repair(gateway.ports, OTTO, head.pause)
    gateway.clock.move(1)
    with pytest.raises(Conflict) as later:
        repair(gateway.ports, OLGA, head.pause)
    assert {other.value.code, later.value.code} == {"not_stuck"}


def test_a_pause_that_is_listed_anew_is_repaired_anew(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    list_stuck(gateway.ports, gateway.head(head.pause), "resume_failed")
    repair(gateway.ports, OLGA, head.pause)
    gateway.clock.move(60)
    list_stuck(gateway.ports, gateway.head(head.pause), "resume_failed")
    repair(gateway.ports, OLGA, head.pause)
    assert events(gateway, head, "repaired") == 2
    assert not gateway.head(head.pause).stuck


def test_one_that_was_withdrawn_is_told_again(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    list_stuck(gateway.ports, gateway.head(head.pause), "not_proposed")
    assert repair(gateway.ports, OLGA, head.pause) == repair(gateway.ports, OLGA, head.pause)
    with pytest.raises(Conflict):
        repair(gateway.ports, OTTO, head.pause)


def test_a_pause_that_nobody_repaired_is_not_stuck(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    with pytest.raises(Conflict) as refused:
        repair(gateway.ports, OLGA, head.pause)
    assert (refused.value.code, call_id(head.pause, 1)) == ("not_stuck", f"{head.pause}-1")
