"""The demo's proof sees what it is there to see: each of these stories must not pass."""

from __future__ import annotations

import pytest

from local.agents.people_scenes import shows
from local.agents.proof import Told, prove
from placet.client import GatewayRefused, Pause
from placet.client.records import Call

APPROVED = {"call": "p-1", "tool": "issue_refund", "arguments": '{"order_id":"1","amount":200.0}'}


class Stored:
    """A gateway that holds one pause of one call."""

    def __init__(self, state: str = "edited", pause_state: str = "ended") -> None:
        text = '{"order_id":"1","amount":200.00}' if state in ("edited", "accepted", "passed") else ""
        self.held = Pause("p", pause_state, (Call("p-1", "issue_refund", "c", "i", state, "d", text),))

    def pause(self, name: str) -> Pause:
        if name != self.held.pause:
            raise GatewayRefused(404, "not_found", "")
        return self.held


def proof(executions, **stored):
    return prove([Told("edit", "p")], [Stored(**stored)], executions)


def test_run_as_approved_holds():
    one = proof([APPROVED])
    assert one.holds
    assert one.line() == "demo: pauses=1 accepted=0 edited=1 rejected=0 expired=0 executed=1 double=0 lost=0"


@pytest.mark.parametrize(
    ("story", "executions", "stored"),
    [
        ("an edit that was not used", [{**APPROVED, "arguments": '{"order_id":"1","amount":240.0}'}], {}),
        ("a second worker", [APPROVED, APPROVED], {}),
        ("a wrapper that does not claim", [{**APPROVED, "call": "none"}], {}),
        ("another tool under the call's permit", [{**APPROVED, "tool": "delete_records"}], {}),
        ("a rejected call that ran", [APPROVED], {"state": "rejected"}),
        ("an expired call that ran", [APPROVED], {"state": "expired"}),
        ("an approved call that did not run", [], {}),
        ("a run that did not go on", [APPROVED], {"pause_state": "decided"}),
        ("something that nobody asked for", [APPROVED, {**APPROVED, "call": "x-1"}], {}),
    ],
)
def test_what_must_not_happen_is_seen(story, executions, stored):
    one = proof(executions, **stored)
    assert not one.holds, story


def test_the_counts_tell_doubles_and_losses():
    assert "double=1" in proof([APPROVED, APPROVED]).line()
    assert "lost=1" in proof([]).line()
    assert "not as approved" in proof([APPROVED], state="rejected").table()


def test_an_approval_that_was_passed_on_runs_under_the_next_call_only():
    told = [Told("edit", "p", passed_on=True)]
    assert prove(told, [Stored()], []).holds
    assert not prove(told, [Stored()], [APPROVED]).holds


def test_each_agent_sees_only_its_own_pauses():
    other = Stored()
    other.held = Pause("q", "ended", ())
    assert prove([Told("edit", "p")], [other, Stored()], [APPROVED]).holds
    with pytest.raises(GatewayRefused):
        prove([Told("edit", "p")], [other], [APPROVED])


def test_what_was_to_be_shown_and_did_not_happen_is_seen():
    told, stored = [Told("edit", "p")], [Stored()]
    assert prove(told, stored, [APPROVED], {"widened": 1}).holds
    one = prove(told, stored, [APPROVED], {"reminded": 1, "widened": 0})
    assert not one.holds
    assert "expired=0 reminded=1 widened=0 executed=1" in one.line()
    assert "never happened: widened" in one.table()


def event(name, at_ms, **fields):
    return {"name": name, "at_ms": at_ms, **fields}


MARIA = event("decided", 9, verdict="accept", by="maria")
FOR_JONAS = {**MARIA, "in_place_of": "jonas"}


@pytest.mark.parametrize(
    ("what", "events"),
    [
        ("quorum", [event("voted", 5, by="jonas"), MARIA]),
        ("reminded", [event("reminded", 5, people=2), MARIA]),
        ("widened", [event("widened", 5, why="after"), MARIA]),
        ("delegated", [FOR_JONAS]),
    ],
)
def test_a_record_shows_what_happened_before_a_call_was_accepted(what, events):
    assert shows(events, what)
    assert not shows([{**one, "verdict": "reject"} for one in events], what)
    assert not shows([one for one in events if one["name"] != "decided"], what)


@pytest.mark.parametrize(
    ("story", "what", "events"),
    [
        ("one person, twice", "quorum", [event("voted", 5, by="maria"), MARIA]),
        ("one person", "quorum", [MARIA]),
        ("a reminder that nobody got", "reminded", [event("reminded", 5, people=0), MARIA]),
        ("a reminder after it", "reminded", [MARIA, event("reminded", 10, people=2)]),
        ("nobody was left on its level", "widened", [event("widened", 5, why="group_empty"), MARIA]),
        ("more people after it", "widened", [MARIA, event("widened", 10, why="after")]),
        ("by her own right", "delegated", [MARIA]),
    ],
)
def test_what_a_record_does_not_show_is_not_counted(story, what, events):
    assert not shows(events, what), story
