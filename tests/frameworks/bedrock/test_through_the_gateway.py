"""The SDK at both ends and the gateway between: a turn, a person, Bedrock's own action Lambda under its permit, the answer."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from local.bedrock import Fault, Mode, refund_agent
from placet import wiring
from placet.client import Gateway, GatewayRefused
from placet.client.bedrock import Finished, Going, Stopped, Waiting, follow, invoke
from placet.model.errors import Busy
from tests.bedrock.desk import TTL_S
from tests.bedrock.verified import VERIFIED, Verified
from tests.frameworks.bedrock.handlers import Handlers


@dataclass
class Talking(Verified):
    """A verified desk whose caller is the SDK too."""

    def __post_init__(self) -> None:
        self.caller = Gateway(transport=Handlers("placet-refund-desk"))
        super().__post_init__()

    def turn(self, text: str = "refund ORD-7 50000", **more: Any) -> Any:
        return invoke(self.caller, "refund-desk", self.run, text, **more)

    def decided(self, standing: Any, how: str = "accept") -> str:
        """Every call of the pause that was asked about, decided alike."""
        assert isinstance(standing, Waiting), standing
        head = self.seen(standing.pause)
        for call in head.calls:
            self.ends(head, call.number, how)
        return head.pause

    def stands(self) -> Any:
        return follow(self.caller, self.run)


@pytest.fixture
def verified(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Talking]]:
    made: list[Talking] = []

    def start(**behaves: bool) -> Talking:
        made.append(Talking(script=refund_agent(Mode.CONFIRM, idle_ttl_s=TTL_S, **behaves), target=VERIFIED))
        monkeypatch.setattr(wiring, "ports", lambda *names: made[-1].ports)
        return made[-1]

    yield start
    for one in made:
        one.server.stop()


def test_an_accepted_call_runs_in_bedrocks_own_lambda_once(verified) -> None:
    one = verified()
    pause = one.decided(one.turn())
    assert isinstance(one.stands(), Going)
    assert one.resumes(pause) == "delivered"
    assert one.did == [("ORD-7", 50000)]
    assert one.permit(pause) == "done"
    assert one.stands() == Finished(one.run, "ORD-7: paid 50000")
    assert one.executors.effects == []


def test_two_equal_calls_in_one_control_run_twice(verified) -> None:
    one = verified()
    pause = one.decided(one.turn("refund ORD-7 50000 ORD-7 50000"))
    assert one.resumes(pause) == "delivered"
    assert one.did == [("ORD-7", 50000)] * 2
    assert [one.permit(pause, number) for number in (1, 2)] == ["done", "done"]


@pytest.mark.parametrize("how", ["reject", "expire"])
def test_what_nobody_approved_does_not_run(verified, how: str) -> None:
    one = verified()
    one.with_policy(deadline_s=60)
    pause = one.decided(one.turn(), how)
    assert one.resumes(pause) == "delivered"
    assert one.did == []
    assert isinstance(one.stands(), Finished)


def test_an_edited_call_that_is_proposed_again_passes_and_runs_once(verified) -> None:
    one = verified(complies=True)
    pause = one.decided(one.turn(), "edit")
    one.resumes(pause)
    assert one.did == [("ORD-7", 30000)]
    assert isinstance(one.stands(), Finished)


def test_a_late_call_runs_in_the_executor_and_not_in_the_lambda(verified) -> None:
    one = verified()
    pause = one.decided(one.turn())
    one.late()
    assert one.resumes(pause) == "delivered"
    assert one.did == []
    assert len(one.executors.effects) == 1
    assert isinstance(one.stands(), Finished)


def test_a_lost_response_runs_nothing_twice(verified) -> None:
    one = verified()
    pause = one.decided(one.turn())
    one.runtime.faults.arm(Fault.LOST, on="answer")
    for _ in range(3):
        with contextlib.suppress(Busy):
            one.resumes(pause)
    assert one.did == [("ORD-7", 50000)]
    assert one.executors.effects == []
    assert one.permit(pause) == "done"
    assert isinstance(one.stands(), Finished)


def test_an_action_with_an_unknown_outcome_goes_to_a_person(verified) -> None:
    one = verified()
    one.raises = RuntimeError("connection reset")
    pause = one.decided(one.turn())
    one.resumes(pause)
    assert one.permit(pause) == "unknown"
    assert one.head(pause).stuck == "permit_unknown"
    assert one.did == [("ORD-7", 50000)]


def test_an_action_that_the_gateway_does_not_answer_has_not_run(verified) -> None:
    one = verified()
    pause = one.decided(one.turn())
    one.actions.down = True
    one.resumes(pause)
    assert one.did == []
    assert one.permit(pause) == "free"
    standing = one.stands()
    assert isinstance(standing, Finished)
    assert "was not run" in standing.completion


def test_no_other_turn_is_taken_while_a_person_has_to_decide(verified) -> None:
    one = verified()
    waiting = one.turn()
    with pytest.raises(GatewayRefused) as refused:
        one.turn("and what is the weather?")
    assert (refused.value.code, refused.value.members["pause"]) == ("run_waits", waiting.pause)


def test_the_same_turn_sent_twice_is_said_once(verified) -> None:
    one = verified()
    first = one.turn(key="turn-1")
    assert one.turn(key="turn-1") == first
    assert len(one.heads()) == 1


def test_the_actions_role_may_claim_and_report_and_nothing_else(verified) -> None:
    one = verified()
    with pytest.raises(GatewayRefused, match="agent_unknown"):
        invoke(Gateway(transport=one.actions), "refund-desk", one.run, "refund ORD-7 50000")
    with pytest.raises(GatewayRefused, match="agent_unknown"):
        follow(Gateway(transport=one.actions), one.run)


def test_a_turn_that_nobody_knows_the_end_of_is_not_done(verified) -> None:
    one = verified()
    one.runtime.faults.arm(Fault.LOST)
    standing = one.turn()
    assert isinstance(standing, Stopped)
    assert standing.status == "inconclusive"
