"""A run whose control or record cannot be stored or read: nobody is asked for it, other runs go on, and it has a way out."""

from __future__ import annotations

from typing import Any

import pytest

from placet.model.canonical import STORED_BYTES
from placet.model.errors import Damaged, Parked
from placet.model.pauses import Agent
from placet.service import operate
from placet.service.bedrock.turns import run_of
from placet.service.ports import Turn
from tests.bedrock.desk import ONE, Desk, desk


class Long:
    """A runtime whose agent writes `size` characters into the order's number."""

    def __init__(self, made: Desk, size: int) -> None:
        self._real, self._size = made._runtime, size

    def definition(self, agent: Agent) -> str:
        return ""

    def turn(self, *given: Any) -> Turn:
        turn = self._real.turn(*given)
        for one in turn.control["invocationInputs"] if turn.control else []:
            one["functionInvocationInput"]["parameters"][0]["value"] = "x" * self._size
        return turn


def test_a_control_that_is_long_is_asked_for() -> None:
    with desk() as made:
        made._runtime = Long(made, 270_000)  # type: ignore[assignment]
        assert made.asks(ONE).open_calls == 1


def test_a_control_that_is_too_long_asks_nobody_and_the_run_goes_on_in_a_new_session() -> None:
    with desk() as made:
        real = made._runtime
        made._runtime = Long(made, STORED_BYTES)  # type: ignore[assignment]
        found = made.say(ONE, key="k1")
        assert (found.status, found.code) == ("failed", "body_too_large")
        assert (made.heads(), made.paid()) == ([], [])
        assert str(STORED_BYTES) in found.why
        made._runtime = real
        assert made.say(ONE, key="k2").status == "waiting"
        assert made.session == f"{made.run}-r1"


def control(made: Desk) -> dict[str, Any]:
    return next(item for key, item in made.table.items.items() if key.sk.startswith("CONTROL"))


@pytest.mark.parametrize("changes", [{"content": "{"}, {"content": "{}"}, {"content": 5}])
def test_a_control_that_cannot_be_read_before_its_pause_is_captured_fails_its_turn(changes: dict[str, Any]) -> None:
    with desk() as made:
        head = made.asks(ONE)
        for key in [key for key in made.table.items if key.pk.endswith(f"P#{head.pause}")]:
            del made.table.items[key]  # as if the function had ended before it captured the pause
        control(made).update(changes)
        assert made.say("hello", key="k2").status == "finished"
        assert ("failed", {"agent": "refund-desk", "code": "damaged"}) in made.log


def test_a_control_of_a_later_release_waits_for_it() -> None:
    with desk() as made:
        head = made.asks(ONE)
        for key in [key for key in made.table.items if key.pk.endswith(f"P#{head.pause}")]:
            del made.table.items[key]
        written = control(made)["schema_version"]
        control(made)["schema_version"] = 3
        with pytest.raises(Parked):
            made.say("hello", key="k2")
        control(made)["schema_version"] = written
        with pytest.raises(Exception, match="waits"):
            made.say("hello", key="k2")


def test_a_run_whose_pause_cannot_be_read_is_stuck() -> None:
    with desk() as made:
        head = made.asks(ONE)
        made.table.items[made.keys.head(head.pause)]["calls"] = "x"
        assert made.status().status == "stuck"


@pytest.mark.parametrize("changes", [{"turn": "x"}, {"state": "asleep"}, {"session": None}])
def test_a_run_whose_record_cannot_be_read_lists_its_decided_pause(changes: dict[str, Any]) -> None:
    from functions.resume import handler
    from placet import wiring

    with desk() as made, pytest.MonkeyPatch.context() as patched:
        patched.setattr(wiring, "ports", lambda *names: made.ports)
        head = made.asks(ONE)
        made.ends(head, 1, "accept")
        made.table.items[made.keys.session_run(made.agent.name, made.run)].update(changes)
        with pytest.raises(Damaged):
            made.status()
        assert handler.handler({"pause": head.pause, "gen": 1}, None) == {"result": "listed"}
        assert [(one.pause, one.reason) for one in operate.stuck(made.ports)] == [(head.pause, "damaged")]
        assert made.paid() == []


def test_a_completion_that_cannot_be_read_leaves_the_run_finished() -> None:
    with desk() as made:
        assert made.say("ask").completion
        for key, item in made.table.items.items():
            if key.sk.startswith("TURN"):
                item["content"] = "{"
        assert (made.status().status, made.status().completion) == ("finished", "")
        assert run_of(made.ports, made.agent, made.run) is not None
