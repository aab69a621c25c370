"""Decisions after the session is gone: what was approved is run once, and a new session is told."""

from __future__ import annotations

import pytest

from local.bedrock import Mode
from placet.service.bedrock.turns import MARGIN_MS
from placet.service.status import status
from tests.bedrock.desk import TTL_S, TWO, desk

MODES = [Mode.RESULT, Mode.CONFIRM, Mode.CONFIRM_AND_RESULT]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("how", "paid", "words"),
    [
        ("accept", [("ORD-7", 50000)], "It was run once."),
        ("edit", [("ORD-7", 30000)], "A reviewer changed the arguments before it ran."),
        ("reject", [], "A reviewer rejected this call."),
        ("expire", [], "Nobody decided about this call in time."),
    ],
)
def test_a_late_decision_is_carried_out_and_told_to_a_new_session(mode: Mode, how: str, paid: list, words: str) -> None:
    with desk(mode) as made:
        head = made.asks()
        made.late()
        made.ends(head, 1, how)
        assert made.resumes(head.pause) == "delivered"
        assert made.paid() == paid
        assert made.acted == [], "Bedrock itself has run nothing"
        last = made.runtime.log[-1].request
        assert last.session == f"{made.run}-r1"
        state = last.body["sessionState"]
        assert words in last.text
        assert "amountCents" in last.text
        assert words in state["promptSessionAttributes"]["placet_outcome"]
        assert state["sessionAttributes"]["placet_pause"] == head.pause
        assert made.status().status == "finished"
        sessions = [one.request.session for one in made.runtime.log]
        assert sessions == [made.run, f"{made.run}-r1"], "the old session was not asked anything"


@pytest.mark.parametrize("how", ["accept", "edit", "reject", "expire"])
@pytest.mark.parametrize("mode", MODES)
def test_the_same_call_proposed_again_is_answered_from_the_ledger(mode: Mode, how: str) -> None:
    with desk(mode, behaves={"stubborn": True}) as made:
        head = made.asks()
        made.late()
        made.ends(head, 1, how)
        made.resumes(head.pause)
        (child,) = [one for one in made.heads() if one.pause != head.pause]
        assert (child.calls[0].state.value, child.calls[0].repeats) == ("repeated", f"{head.pause}-1")
        assert len(made.paid()) == (how in ("accept", "edit"))
        assert made.status().status == "finished"


def test_the_session_is_given_up_before_bedrocks_own_clock_ends_it() -> None:
    for left_ms, session in ((1, "-r1"), (-1, "")):
        with desk() as made:
            head = made.asks()
            made.ends(head, 1, "accept")
            made.clock.at_ms += TTL_S * 1000 - MARGIN_MS + left_ms - 1
            made.resumes(head.pause)
            assert made.runtime.log[-1].request.session == made.run + session


def test_the_run_goes_on_in_the_new_session_and_pauses_there_again() -> None:
    with desk() as made:
        head = made.asks()
        made.late()
        made.ends(head, 1, "accept")
        made.resumes(head.pause)
        second = made.asks("refund ORD-8 70000")
        assert made.runtime.log[-1].request.session == f"{made.run}-r1"
        made.late()
        made.ends(second, 1, "accept")
        made.resumes(second.pause)
        assert made.runtime.log[-1].request.session == f"{made.run}-r2"
        assert made.paid() == [("ORD-7", 50000), ("ORD-8", 70000)]


def test_two_equal_calls_decided_differently_are_told_apart_late() -> None:
    with desk(Mode.CONFIRM) as made:
        head = made.asks(TWO)
        made.late()
        made.ends(head, 1, "reject")
        made.ends(head, 2, "accept")
        made.resumes(head.pause)
        assert made.paid() == [("ORD-2", 60000)]
        text = made.runtime.log[-1].request.text
        assert "ORD-1" in text
        assert "ORD-2" in text


def test_a_session_that_ends_while_the_executor_works_is_not_answered() -> None:
    with desk() as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        made.clock.at_ms += TTL_S * 1000 - MARGIN_MS - 100_000
        run = made.executors.run
        made.executors.run = lambda agent, order: (made.clock.move(120), run(agent, order))[1]  # type: ignore[method-assign]
        assert made.resumes(head.pause) == "delivered"
        assert made.paid() == [("ORD-7", 50000)]
        assert made.runtime.log[-1].request.session == f"{made.run}-r1"


@pytest.mark.parametrize(("how", "state"), [("accept", "done"), ("reject", "rejected"), ("expire", "expired")])
def test_a_repeated_call_is_told_as_the_call_that_answers_it(how: str, state: str) -> None:
    """The person who waits hears of a repeated no that it was a no."""
    with desk(Mode.RESULT, behaves={"stubborn": True}) as made:
        head = made.asks()
        made.late()
        made.ends(head, 1, how)
        made.resumes(head.pause)
        (child,) = [one for one in made.heads() if one.pause != head.pause]
        assert child.calls[0].state.value == "repeated"
        assert status(made.ports, made.agent, child.pause).state.value == state
        del made.table.items[made.keys.head(head.pause)]
        assert status(made.ports, made.agent, child.pause).state.value == "unknown"
