"""Back-off, patience, and a pick-up loop that one bad pause does not stop."""

from __future__ import annotations

import threading
import time

import pytest

from placet.client import GatewayRefused, GatewayUnavailable, Pace, Pause, Resumes, RunNotFound, pick_up, wait_for
from placet.client.gateway import Gateway
from placet.client.waiting import Skipped, kept
from tests.frameworks.fake_gateway import FakeGateway


class Listing:
    """A gateway with rounds of resumes; `waits` is how long the loop slept in between."""

    def __init__(self, *rounds):
        self.rounds = list(rounds)
        self.waits = []
        self.skipped = []

    def take(self, skip=(), after=""):
        self.skipped.append(list(skip))
        found = self.rounds.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    def wait(self, timeout=None):
        self.waits.append(timeout)
        return not self.rounds


def listed(*names, asked=0.0):
    return Resumes(tuple(Pause(name, "decided", ()) for name in names), asked)


def pace():
    return Pace(chance=lambda: 1.0)


def test_the_pace_doubles_to_five_minutes():
    one = pace()
    assert [one.next_s() for _ in range(9)] == [2, 4, 8, 16, 32, 64, 128, 256, 300]
    assert Pace(chance=lambda: 0.0).next_s() == 1.0


def test_work_sets_it_back_and_retry_after_counts():
    one = Listing(listed(), listed(asked=60.0), listed("a"), listed())
    pick_up(one, lambda pause: None, one, pace=pace())
    assert one.waits == [2, 60.0, 0, 2]  # after work there may be more at once


def test_a_pause_that_cannot_be_resumed_holds_up_nothing_and_is_no_work(caplog):
    handled = []

    def handler(pause):
        handled.append(pause.pause)
        if pause.pause == "a":
            raise RunNotFound("elsewhere")
        if pause.pause == "b":
            raise ValueError("bug")

    one = Listing(listed("a", "b"), listed("a", "b", "c"), listed())
    pick_up(one, handler, one, pace=pace())
    assert handled == ["a", "b", "a", "b", "c"]
    assert one.waits == [0, 0, 2]
    assert "elsewhere" in caplog.text


def test_a_lease_is_renewed_while_the_handler_works_and_no_longer():
    class Leasing:
        def __init__(self):
            self.renewed = []

        def renew(self, pause, fence):
            self.renewed.append((pause, fence))

    gateway = Leasing()
    with kept(gateway, Pause("a", "decided", (), fence=7), every_s=0.01):
        while len(gateway.renewed) < 3:
            time.sleep(0.001)
    count = len(gateway.renewed)
    time.sleep(0.05)
    assert len(gateway.renewed) <= count + 1
    assert set(gateway.renewed) == {("a", 7)}


def test_a_lost_lease_is_not_renewed_any_more_and_is_said(caplog):
    class Lost:
        asked = 0

        def renew(self, pause, fence):
            self.asked += 1
            raise GatewayRefused(409, "lease_lost", "somebody else", {})

    gateway = Lost()
    with kept(gateway, Pause("a", "decided", (), fence=1), every_s=0.001):
        time.sleep(0.05)
    assert gateway.asked == 1
    assert "lost" in caplog.text


def test_what_was_only_looked_at_has_no_lease():
    with kept(None, Pause("a", "decided", ()), every_s=0.001):
        time.sleep(0.01)


def test_a_gateway_that_is_down_is_asked_again():
    one = Listing(GatewayUnavailable("down"), listed("a"))
    handled = []
    pick_up(one, handled.append, one, pace=pace())
    assert [pause.pause for pause in handled] == ["a"]


@pytest.mark.parametrize("code", ["parked", "damaged", "body_lost"])
def test_a_record_that_cannot_be_read_does_not_end_the_loop(code):
    one = Listing(GatewayRefused(409, code, "a record", {}), listed("a"))
    handled = []
    pick_up(one, handled.append, one, pace=pace())
    assert [pause.pause for pause in handled] == ["a"]
    assert one.waits[0] == 2


def test_an_agent_that_nobody_knows_is_told_so():
    one = Listing(GatewayRefused(403, "agent_unknown", "nobody", {}))
    with pytest.raises(GatewayRefused):
        pick_up(one, lambda pause: None, one, pace=pace())


@pytest.mark.parametrize("looks", [1, 3])
def test_waiting_ends_with_the_decision(looks):
    class Standing:
        left = looks

        def pause(self, name):
            self.left -= 1
            return Pause(name, "waiting" if self.left else "decided", ())

    assert wait_for(Standing(), "p", 30.0, pace=Pace(soon_s=0.001)).state == "decided"


def test_patience_over_is_no_approval():
    class Standing:
        def pause(self, name):
            return Pause(name, "waiting", ())

    assert wait_for(Standing(), "p", 0.01, pace=Pace(soon_s=0.001)).state == "waiting"


def captured(gateway, thread):
    """A pause that the policy lets pass at once."""
    value = {"type": "tool_approval", "tool_call_id": "c1", "name": "issue_refund", "args": {"amount": 5}}
    native = {
        "mode": "per_call",
        "checkpoint_ns": "",
        "checkpoint_id": "cp",
        "interrupts": [{"id": "i1", "value": value}],
    }
    return gateway.capture("langchain", thread, native).pause


class Once:
    """Stops as soon as a round found nothing to do."""

    def wait(self, timeout=None):
        return bool(timeout)


def test_what_is_of_no_use_here_is_given_back_and_others_have_it_at_once():
    fake = FakeGateway()
    gateway = Gateway(transport=fake)
    dead = [captured(gateway, f"elsewhere-{number}") for number in range(30)]
    good = captured(gateway, "here")
    went_on = []

    def here(pause):
        if pause.run != "here":
            raise RunNotFound("elsewhere")
        went_on.append(pause.pause)
        gateway.resumed(pause.pause, pause.fence)

    pick_up(gateway, here, Once(), pace=pace())
    assert went_on == [good]
    assert fake.leased == {good}
    assert [found.pause for found in gateway.take(limit=25).pauses] == dead[:25]


def test_what_raised_by_a_bug_keeps_its_lease_and_is_not_tried_again_at_once():
    fake = FakeGateway()
    gateway = Gateway(transport=fake)
    pause = captured(gateway, "t-1")

    def bug(pause):
        raise ValueError("bug")

    pick_up(gateway, bug, Once(), pace=pace())
    assert fake.leased == {pause}


def test_a_gateway_that_is_down_is_not_told_that_a_pause_is_given_back():
    fake = FakeGateway()
    gateway = Gateway(transport=fake)
    captured(gateway, "t-1")
    (taken,) = gateway.take().pauses
    with pytest.raises(GatewayUnavailable), kept(gateway, taken):
        raise GatewayUnavailable("down")
    assert not [path for _, path in fake.seen if path.endswith("release")]


def test_a_renewal_that_is_under_way_does_not_take_again_what_is_given_back():
    class Slow:
        def __init__(self):
            self.done = []
            self.asked = threading.Event()

        def renew(self, pause, fence):
            self.asked.set()
            time.sleep(0.05)
            self.done.append("renewed")

        def release(self, pause, fence):
            self.done.append("released")

    def elsewhere():
        gateway.asked.wait()
        raise RunNotFound("elsewhere")

    gateway = Slow()
    with pytest.raises(RunNotFound), kept(gateway, Pause("a", "decided", (), fence=7), every_s=0.001):
        elsewhere()
    time.sleep(0.1)
    assert gateway.done[-1] == "released"


def test_what_is_skipped_is_asked_for_again_later_and_later():
    clock = [0.0]
    skipped = Skipped(lambda: clock[0])
    skipped.add("a")
    assert skipped.now() == ["a"]
    clock[0] = 60.0
    assert skipped.now() == []
    skipped.add("a")
    clock[0] = 179.0
    assert skipped.now() == ["a"]
    clock[0] = 180.0
    assert skipped.now() == []
    skipped.forget("a")
    skipped.add("a")
    clock[0] = 240.0
    assert skipped.now() == []
    for number in range(150):
        skipped.add(f"p-{number}")
    assert skipped.now() == [f"p-{number}" for number in range(50, 150)]


def test_each_round_goes_on_behind_the_last_pause():
    asked = []

    class Round(Listing):
        def take(self, skip=(), after=""):
            asked.append(after)
            return super().take(skip)

    places = ["place-1", "place-2", ""]
    one = Round(*(Resumes(listed(name).pauses if name else (), 0.0, next=name) for name in places))
    pick_up(one, lambda pause: None, one, pace=pace())
    assert asked == ["", "place-1", "place-2"]
