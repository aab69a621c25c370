"""A run that asks again closes what it asked before, and nothing else."""

from placet.model.states import Verdict
from placet.service.cancel import supersede
from placet.service.went_on import resumed
from tests.gateway import REFUND, SUPPORT, Gateway


def test_a_run_that_asks_again_closes_only_what_waits(gateway: Gateway) -> None:
    waiting = gateway.shown(REFUND)
    decided = gateway.shown(REFUND, checkpoint="cp-2")
    gateway.decide(decided, 1, Verdict.ACCEPT)
    other = gateway.shown(REFUND, checkpoint="cp-4", run="thread-2")
    last = gateway.shown(REFUND, checkpoint="cp-3")
    assert supersede(gateway.ports, SUPPORT, "thread-1", last.pause) == [waiting.pause]
    assert gateway.head(waiting.pause).successor == last.pause
    assert [gateway.head(one.pause).cancelled for one in (decided, other, last)] == ["", "", ""]


def test_a_run_that_went_on_from_its_newest_pause_closes_nothing(gateway: Gateway) -> None:
    earlier = gateway.shown(REFUND)
    newest = gateway.shown(REFUND, checkpoint="cp-2")
    gateway.decide(newest, 1, Verdict.REJECT)
    resumed(gateway.ports, SUPPORT, newest.pause)
    assert supersede(gateway.ports, SUPPORT, "thread-1", newest.pause) == []
    assert gateway.head(earlier.pause).open_calls == 1
