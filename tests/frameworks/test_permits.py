"""claim → run exactly the permit's arguments → report; and what happens when one of the three does not."""

from __future__ import annotations

import threading
import time

import pytest

from placet.client import Gateway, GatewayRefused, OutcomeUnknown, Permits, current_permit
from placet.client.records import Call, Pause
from tests.frameworks.fake_gateway import FakeGateway


@pytest.fixture
def fake():
    return FakeGateway()


def paused(fake: FakeGateway, decision: str = "accepted", arguments: str = "") -> Call:
    value = {
        "type": "tool_approval",
        "tool_call_id": "c1",
        "name": "issue_refund",
        "args": {"order_id": "1", "amount": 240.0},
    }
    native = {
        "mode": "per_call", "checkpoint_ns": "", "checkpoint_id": "1f",
        "interrupts": [{"id": "a" * 32, "value": value, "response_schema": {}}], "tools": {},
    }  # fmt: skip
    pause = Gateway(transport=fake).capture("langchain", "t1", native)
    fake.decide(pause.calls[0].call, decision, arguments)
    return Gateway(transport=fake).pause(pause.pause).calls[0]


def test_runs_the_permits_arguments_and_reports(fake):
    call = paused(fake, "edited", '{"order_id":"1","amount":200.00}')
    ran = []
    done = Permits(Gateway(transport=fake)).execute(call, lambda given: ran.append(given) or "paid", decimals=True)
    assert str(ran[0]["amount"]) == "200.00"
    assert done.value == "paid"
    assert fake.permits[call.call]["state"] == "done"
    assert fake.permits[call.call]["result"] == "paid"


def test_a_refused_claim_raises_and_runs_nothing(fake):
    call = paused(fake)
    permits = Permits(Gateway(transport=fake))
    permits.execute(call, lambda given: "paid")
    ran = []
    with pytest.raises(GatewayRefused, match="permit_settled"):
        permits.execute(call, ran.append)
    assert ran == []


def test_this_test_would_see_a_second_worker(fake):
    """Two attempts under one worker name are one attempt to the gateway, and both would run: names must differ."""
    call = paused(fake)
    gateway = Gateway(transport=fake)
    gateway.claim(call.call, call.digest, "same")
    assert gateway.claim(call.call, call.digest, "same").replayed
    with pytest.raises(GatewayRefused, match="permit_claimed"):
        Permits(gateway).claim(call)


@pytest.mark.parametrize(
    ("error", "state"),
    [(ValueError("no"), "failed"), (OutcomeUnknown("?"), "unknown"), (ConnectionResetError(), "unknown")],
)
def test_what_the_tool_raised_is_reported_and_raised(fake, error, state):
    call = paused(fake)

    def act(_):
        raise error

    with pytest.raises(type(error)):
        Permits(Gateway(transport=fake)).execute(call, act)
    assert fake.permits[call.call]["state"] == state


def test_a_crash_leaves_the_permit_claimed(fake):
    call = paused(fake)

    def act(_):
        raise SystemExit

    with pytest.raises(SystemExit):
        Permits(Gateway(transport=fake)).execute(call, act)
    assert fake.permits[call.call]["state"] == "claimed"
    assert current_permit() is None


def test_a_long_result_is_cut_to_what_the_gateway_takes(fake):
    call = paused(fake)
    Permits(Gateway(transport=fake)).execute(call, lambda _: "x" * 9_000)
    assert fake.permits[call.call]["result"] == "x" * 4_096


def test_records_take_an_event_of_the_gateway():
    pause = Pause.of({"pause": "p", "state": "decided", "calls": [{"call": "p-1", "state": "expired", "reason": None}]})
    assert pause.calls[0].reason == ""
    assert not pause.calls[0].may_run


def until(true, patience_s=5.0):
    end = time.monotonic() + patience_s
    while not true():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_a_claim_is_renewed_while_its_tool_works_and_no_longer(fake):
    call = paused(fake)
    permits = Permits(Gateway(transport=fake), every_s=0.001)
    permits.execute(call, lambda given: until(lambda: len(fake.renewed) >= 3) or "paid")
    count = len(fake.renewed)
    time.sleep(0.03)
    assert set(fake.renewed) == {call.call}
    assert len(fake.renewed) <= count + 1
    assert fake.permits[call.call]["state"] == "done"


def test_a_tool_whose_claim_was_lost_goes_on_and_reports(fake, caplog):
    call = paused(fake)

    def act(given):
        fake.permits[call.call]["state"] = "unknown"  # the gateway gave it up
        until(lambda: "is lost" in caplog.text)
        fake.permits[call.call]["state"] = "claimed"
        return "paid"

    Permits(Gateway(transport=fake), every_s=0.001).execute(call, act)
    assert len(fake.renewed) >= 1
    assert fake.permits[call.call]["result"] == "paid"


def test_a_gateway_that_is_away_for_a_while_is_asked_again(fake):
    call = paused(fake)

    def act(given):
        fake.down = True
        time.sleep(0.02)
        fake.down = False
        asked = len(fake.renewed)
        until(lambda: len(fake.renewed) > asked)

    Permits(Gateway(transport=fake), every_s=0.001).execute(call, act)
    assert fake.permits[call.call]["state"] == "done"


def test_a_tool_that_raises_is_not_renewed_any_more(fake):
    def act(given):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        Permits(Gateway(transport=fake), every_s=0.001).execute(paused(fake), act)
    until(lambda: not [one for one in threading.enumerate() if one.name.startswith("claim of")])
