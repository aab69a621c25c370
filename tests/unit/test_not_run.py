"""A run that ends without a call that was accepted: the record says so, and a metric counts it."""

import pytest

from placet.model.errors import Conflict
from placet.model.pauses import call_id
from placet.model.states import PermitState, Verdict
from placet.service.execute import claim, outcome
from placet.service.went_on import resumed
from tests.gateway import REFUND, SMALL, SUPPORT, Gateway, approved


def told(gateway: Gateway, pause: str) -> list[list[int]]:
    return [one["calls"] for one in gateway.table.query(gateway.keys.pause(pause), "E#not_run")]


def counted(gateway: Gateway) -> list[dict[str, object]]:
    return [facts for name, facts in gateway.log if name == "accepted_not_run"]


def test_what_was_accepted_and_never_claimed_is_told(gateway: Gateway) -> None:
    head, call = approved(gateway)
    assert resumed(gateway.ports, SUPPORT, head.pause) is False
    assert (told(gateway, head.pause), counted(gateway)) == ([[1]], [{"pause": head.pause, "calls": [1]}])
    assert resumed(gateway.ports, SUPPORT, head.pause) is True
    assert (len(told(gateway, head.pause)), len(counted(gateway))) == (1, 1)
    with pytest.raises(Conflict) as refused:
        claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "late")
    assert refused.value.code == "already_resumed"


def test_only_the_calls_that_nobody_claimed_are_told(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, SMALL)
    gateway.decide(head, 1, Verdict.ACCEPT)
    claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w1")
    resumed(gateway.ports, SUPPORT, head.pause)
    assert told(gateway, head.pause) == [[2]]


@pytest.mark.parametrize("verdict", [Verdict.ACCEPT, Verdict.REJECT])
def test_a_run_that_left_nothing_out_tells_nothing(gateway: Gateway, verdict: Verdict) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, verdict)
    if verdict is Verdict.ACCEPT:
        claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w1")
        outcome(gateway.ports, SUPPORT, call_id(head.pause, 1), "w1", PermitState.DONE, "paid")
    resumed(gateway.ports, SUPPORT, head.pause)
    assert (told(gateway, head.pause), counted(gateway)) == ([], [])
