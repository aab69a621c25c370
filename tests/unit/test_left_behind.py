"""What a write leaves behind beside what it is about: permits that were tried once, deadlines of before a restore."""

from __future__ import annotations

from dataclasses import replace

from placet.model.pauses import call_id
from placet.model.states import PermitState, ResumeState, Verdict
from placet.service import operate
from placet.service.execute import claim
from placet.service.notify import notify
from placet.service.sweep import sweep
from placet.service.went_on import resumed
from tests.gateway import DELETE, REFUND, SUPPORT, Gateway


def test_a_run_that_ends_while_a_claim_is_out_leaves_no_tried_permit_free(gateway: Gateway) -> None:
    """The first call's worker died and its permit was freed, for another attempt that will not come; the second's is at work."""
    head = gateway.shown(REFUND, DELETE)
    for number in (1, 2):
        gateway.decide(gateway.head(head.pause), number, Verdict.ACCEPT)
    gateway.table.items[gateway.keys.head(head.pause)]["calls"]["1"]["takes_key"] = True
    claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w1")
    gateway.clock.move(901)
    sweep(gateway.ports)
    assert gateway.head(head.pause).calls[0].permit is PermitState.FREE
    claim(gateway.ports, SUPPORT, call_id(head.pause, 2), head.calls[1].digest, "w2")
    resumed(gateway.ports, SUPPORT, head.pause)
    ended = gateway.head(head.pause)
    assert ended.resume_state is ResumeState.DONE
    assert [call.permit for call in ended.calls] == [PermitState.UNKNOWN, PermitState.CLAIMED]
    assert ended.stuck == "permit_unknown"


def test_what_a_restore_brought_back_waits_for_the_whole_of_its_time_anew(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.clock.move(3_000)
    raised = replace(gateway.ports, epoch=2)
    operate.freeze(raised, "ops/olga", "restore")
    operate.thaw(raised, "ops/olga")
    entered = gateway.head(head.pause)
    assert (entered.epoch, entered.calls[0].deadline_ms) == (2, 0)
    notify(raised, head.pause, entered.gen, "another token")
    assert gateway.head(head.pause).calls[0].deadline_ms == head.calls[0].deadline_ms + 3_000_000
