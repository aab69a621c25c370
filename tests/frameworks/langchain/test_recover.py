"""No paused run is lost: not by a gateway that is down, not by SIGKILL, not by a process that never comes back."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from langgraph.types import Command

from placet.client import GatewayRefused, GatewayUnavailable, RunIsBusy
from placet.client.langchain import Finished, Waiting
from tests.frameworks.langchain.killed_agent import TURNS
from tests.frameworks.langchain.scene import Scene, config, refund

ROOT = Path(__file__).resolve().parents[3]


def killed(folder: Path, moment: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.frameworks.langchain.killed_agent", str(folder), moment],
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{ROOT}/layers/core/python", "PATH": ""},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL


def test_a_gateway_that_was_down_is_told_later(scene):
    one = scene([refund(1, 240.0)])
    one.fake.down = True
    with pytest.raises(GatewayUnavailable):
        one.run(entity="order:1182")
    one.fake.down = False
    assert one.fake.pauses == {}
    later = one.again()
    found = later.approvals.recover(later.agent)
    assert isinstance(found["t1"], Waiting)
    assert one.fake.pauses[found["t1"].pause.pause]["body"]["entity"] == "order:1182"
    later.close()


@pytest.mark.parametrize("moment", ["before_capture", "while_calls_start"])
def test_a_killed_process_loses_no_pause(tmp_path, moment):
    killed(tmp_path, moment)
    one = Scene(tmp_path, TURNS)
    found = one.approvals.recover(one.agent)
    assert [made.framework_call_id for made in found["t1"].pause.calls] == ["call_001", "call_002"]
    assert len(one.fake.pauses) == 1
    for name in one.fake.pending():
        one.fake.decide(name, "accepted")
    assert isinstance(one.approvals.resume(one.agent, one.decided()[0]), Finished)
    assert sorted(one.ran) == [("issue_refund", "1182", 240.0), ("issue_refund", "1183", 300.0)]
    one.close()


def test_recover_captures_once_and_resumes_what_is_decided(scene):
    one = scene([refund(1, 240.0)])
    one.run()
    assert isinstance(one.approvals.recover(one.agent)["t1"], Waiting)
    assert len(one.fake.pauses) == 1
    one.fake.decide(*one.fake.pending(), "accepted")
    later = one.again()
    assert isinstance(later.approvals.recover(later.agent)["t1"], Finished)
    assert len(one.ran) == 1
    assert later.approvals.recover(later.agent) == {}
    later.close()


def test_a_half_answered_pause_is_the_same_pause(scene):
    """LangGraph keeps the checkpoint id while one of two questions is open, so the natural key stays (pinned here)."""
    one = scene([refund(1, 240.0), refund(2, 300.0, "1183")])
    waiting = one.run()
    before = one.agent.get_state(config("t1"))
    for name in one.fake.pending():
        one.fake.decide(name, "accepted")
    (pause,) = one.decided()
    first, second = pause.calls
    only_first = type(pause)(**{**vars(pause), "calls": (first,)})
    one.approvals.gateway.resumed = _dies
    with pytest.raises(KeyboardInterrupt):
        one.approvals.resume(one.agent, only_first)
    state = one.agent.get_state(config("t1"))
    assert state.config["configurable"]["checkpoint_id"] == before.config["configurable"]["checkpoint_id"]
    assert [item.id for item in state.interrupts] == [second.interrupt_id]
    assert one.ran == [("issue_refund", "1182", 240.0)]
    later = one.again()
    assert isinstance(later.approvals.recover(later.agent)["t1"], Finished)
    assert list(one.fake.pauses) == [waiting.pause.pause]
    assert one.ran == [("issue_refund", "1182", 240.0), ("issue_refund", "1183", 300.0)]
    later.close()


def _dies(*_given):
    raise KeyboardInterrupt


def test_a_process_that_died_before_it_reported_is_reported_for(scene):
    one = scene([refund(1, 240.0)])
    one.run()
    one.fake.decide(*one.fake.pending(), "accepted")
    one.approvals.gateway.resumed = _dies
    with pytest.raises(KeyboardInterrupt):
        one.approvals.resume(one.agent, one.decided()[0])
    later = one.again()
    assert isinstance(later.approvals.resume(later.agent, one.decided()[0]), Finished)
    assert one.decided() == []
    assert len(one.ran) == 1
    later.close()


def test_a_process_that_died_inside_the_tool_is_not_repeated(scene):
    """The permit stays claimed; LangGraph alone would run the tool again (research L6)."""
    one = scene([refund(1, 240.0)])
    one.run()
    one.fake.decide(*one.fake.pending(), "accepted")
    (pause,) = one.decided()
    one.approvals.gateway.claim(pause.calls[0].call, pause.calls[0].digest, "the one that died")
    later = one.again()
    with pytest.raises(GatewayRefused, match="permit_claimed"):
        later.approvals.resume(later.agent, pause)
    assert one.ran == []
    assert later.approvals.recover(later.agent) == {}
    assert one.decided() == [pause]
    later.close()


def test_a_model_call_that_a_dead_process_left_is_finished_once_it_is_quiet(scene):
    """All answers were sent and the process died before the model's next turn."""
    one = scene([refund(1, 240.0)])
    one.run()
    one.fake.decide(*one.fake.pending(), "rejected", reason="no")
    (pause,) = one.decided()
    for _ in one.agent.stream(
        Command(resume={pause.calls[0].interrupt_id: pause.calls[0].native}), config("t1"), stream_mode="updates"
    ):
        break
    assert one.agent.get_state(config("t1")).next == ("model",)
    later = one.again()
    later.approvals._quiet_s = 60.0
    with pytest.raises(RunIsBusy):
        later.approvals.resume(later.agent, pause)
    later.approvals._quiet_s = 0.0
    assert isinstance(later.approvals.resume(later.agent, pause), Finished)
    assert one.decided() == []
    later.close()


def test_one_broken_thread_does_not_hold_up_the_others(scene, caplog):
    one = scene([refund(1, 240.0)])
    one.fake.down = True
    for thread in ("t1", "t2", "t3"):
        with pytest.raises(GatewayUnavailable):
            one.run(thread)
    one.fake.down = False
    send = one.fake.send

    def breaks(method, path, body=None):
        if body and '"t2"' in body:
            raise GatewayRefused(403, "http_403", "")
        return send(method, path, body)

    one.fake.send = breaks
    assert set(one.approvals.recover(one.agent)) == {"t1", "t3"}
    assert "t2" in caplog.text


def test_threads_of_another_agent_are_left_alone(scene):
    one = scene([refund(1, 240.0)])
    one.run()
    other = one.gate(agent="billing")
    assert other.recover(one.make(other)) == {}
    assert len(one.fake.pauses) == 1


def test_a_schema_that_a_deploy_changed_does_not_undo_a_decision(scene):
    """The gateway checks arguments before it looks for the pause, so the same pause is refused under a stricter schema."""
    one = scene([refund(1, 240.0)])
    one.run()
    one.fake.decide(*one.fake.pending(), "accepted")
    send = one.fake.send

    def stricter(method, path, body=None):
        if path == "/v1/pauses" and '"schema"' in body:
            raise GatewayRefused(422, "arguments_break_schema", "")
        return send(method, path, body)

    one.fake.send = stricter
    later = one.again()
    assert isinstance(later.approvals.recover(later.agent)["t1"], Finished)
    assert one.ran == [("issue_refund", "1182", 240.0)]
    later.close()
