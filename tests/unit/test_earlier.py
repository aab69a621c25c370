"""What a pause tells of its past: votes, what was taken back, and whom it was put to, also when it is over."""

from __future__ import annotations

import pytest

from placet.model.states import Verdict
from placet.service.review import detail
from placet.service.status import status
from tests.gateway import REFUND, SUPPORT, Gateway
from tests.unit.leaving import leave
from tests.unit.windows import accepted, take_back, windowed


@pytest.fixture
def gateway() -> Gateway:
    return windowed()


def test_a_decision_that_was_taken_back_is_told_with_who_made_it_and_who_took_it_back(gateway: Gateway) -> None:
    head = accepted(gateway)
    assert detail(gateway.ports, gateway.maria, head.pause).earlier == ()
    gateway.clock.move(5)
    take_back(gateway, head)
    told = detail(gateway.ports, gateway.maria, head.pause).earlier
    assert [(one.what, one.call, one.verdict) for one in told] == [("decided", 1, "accept"), ("undone", 1, "")]
    assert all(one.by for one in told)
    assert told[0].at_ms < told[1].at_ms


def test_whom_a_call_was_put_to_stays_when_it_is_over(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    (before,) = detail(gateway.ports, gateway.maria, head.pause).calls
    gateway.decide(head, 1, Verdict.REJECT, gateway.maria, reason="no")
    (after,) = detail(gateway.ports, gateway.maria, head.pause).calls
    assert after.decided is not None
    assert after.asked
    assert after.asked == tuple(one for one in before.asked if one.reached)


def test_nobody_is_named_where_nobody_may_decide(gateway: Gateway) -> None:
    pause = gateway.shown(REFUND).pause
    assert status(gateway.ports, SUPPORT, pause).on
    assert not detail(gateway.ports, gateway.maria, pause).unheard
    for person in (gateway.jonas, gateway.maria):
        leave(gateway, person, None)
    alone = gateway.shown(REFUND, checkpoint="cp-2")
    assert alone.stuck == "group_empty"
    assert detail(gateway.ports, gateway.maria, alone.pause).unheard
    told = status(gateway.ports, SUPPORT, alone.pause)
    assert (told.on, told.title) == ((), "Waiting on a person")
