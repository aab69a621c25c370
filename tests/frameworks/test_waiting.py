"""Back-off, patience, and a pick-up loop that one bad pause does not stop."""

from __future__ import annotations

import pytest

from placet.client import GatewayUnavailable, Pace, Pause, Resumes, RunNotFound, pick_up, wait_for


class Listing:
    """A gateway with rounds of resumes; `waits` is how long the loop slept in between."""

    def __init__(self, *rounds):
        self.rounds = list(rounds)
        self.waits = []

    def resumes(self):
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
    assert one.waits == [2, 60.0, 2, 4]


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
    assert one.waits == [2, 2, 4]
    assert "elsewhere" in caplog.text


def test_a_gateway_that_is_down_is_asked_again():
    one = Listing(GatewayUnavailable("down"), listed("a"))
    handled = []
    pick_up(one, handled.append, one, pace=pace())
    assert [pause.pause for pause in handled] == ["a"]


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
