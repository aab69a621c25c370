"""A Bedrock agent's open pauses are counted like any other's. What it asks for beyond the bound is stored, denied and told: the
turn that asked has been, so nobody could come again with it later.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from local.bedrock import Mode, refund_agent
from placet.frameworks.bedrock.answers import TOO_MANY_OPEN
from placet.model.errors import TooManyOpen
from placet.model.states import CallState, PauseState
from placet.records.heads import Head
from placet.service import capture
from placet.service.bounds import COUNT_AGAIN_MS
from placet.service.judging import CROWDED
from placet.service.loading import body_of
from placet.service.ports import Ports
from tests.bedrock.desk import ONE, Desk
from tests.gateway import REFUND

MOST = 2


@dataclass
class Crowded(Desk):
    """A desk with little room."""

    @property
    def ports(self) -> Ports:
        return replace(super().ports, most_open=MOST)


@pytest.fixture(params=[Mode.RESULT, Mode.CONFIRM, Mode.CONFIRM_AND_RESULT])
def desk(request: pytest.FixtureRequest) -> Any:
    made = Crowded(script=refund_agent(mode=request.param))
    yield made
    made.server.stop()


def fill(desk: Desk) -> None:
    for number in range(MOST):
        assert desk.say(ONE, run=f"filling-{number}").status == "waiting"


def test_what_there_is_no_room_for_is_answered_as_not_run_and_the_agent_is_told_why(desk: Crowded) -> None:
    fill(desk)
    found = desk.say(ONE)
    assert found.status == "finished"
    (head,) = (one for one in desk.heads() if one.run == desk.run)
    assert (head.state, head.open_calls, head.calls[0].state) == (PauseState.ENDED, 0, CallState.DENIED)
    assert desk.paid() == []
    told = str(desk.runtime.log[-1].request.body["sessionState"])
    assert TOO_MANY_OPEN in told
    assert CROWDED in body_of(desk.ports, head).fired[1]
    assert ("too_many_open", {"agent": "refund-desk", "run": desk.run}) in desk.log


def test_room_that_was_left_is_found(desk: Crowded) -> None:
    fill(desk)
    assert desk.say(ONE, run="one-too-many").status == "finished"
    first = desk.heads()[0]
    desk.ends(desk.seen(first.pause), 1, "reject")
    desk.clock.move(COUNT_AGAIN_MS / 1000)
    assert desk.say(ONE).status == "waiting"


def test_what_passes_passes_and_is_not_counted(desk: Crowded) -> None:
    fill(desk)
    assert desk.say("refund ORD-9 500").status == "finished"
    assert desk.paid() == [("ORD-9", 500)]


def test_who_can_come_again_is_still_asked_to(desk: Crowded) -> None:
    for number in range(MOST):
        desk.capture(REFUND, run=f"r{number}", checkpoint=f"r{number}")
    with pytest.raises(TooManyOpen):
        desk.capture(REFUND, run="one-more", checkpoint="one-more")


def waiting(desk: Desk) -> list[Head]:
    return [one for one in desk.heads() if one.open_calls]


def test_a_bound_that_bedrock_passes_would_be_seen(desk: Crowded, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug: what a turn of Bedrock led to is let in uncounted."""
    real = capture._admitted
    monkeypatch.setattr(
        capture,
        "_admitted",
        lambda ports, agent, captured, asked: bool(captured.by) or real(ports, agent, captured, asked),
    )
    with pytest.raises(AssertionError, match="waiting"):
        test_what_there_is_no_room_for_is_answered_as_not_run_and_the_agent_is_told_why(desk)
    assert len(waiting(desk)) == MOST + 1
