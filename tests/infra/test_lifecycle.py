"""The state machine by its ASL: every path ends in resume or on the stuck list."""

from __future__ import annotations

import json
from typing import Any

import pytest

from infra.checks.template import Templates, flat


@pytest.fixture(scope="module")
def states(templates: Templates) -> dict[str, Any]:
    (machine,) = templates.of("AWS::StepFunctions::StateMachine").values()
    definition = json.loads(flat(machine["DefinitionString"]))
    assert definition["StartAt"] == "Wait"
    assert "TimeoutSeconds" not in definition  # a class may wait for months
    return dict(definition["States"])


def test_the_token_goes_to_notify_and_nowhere_else(states: dict[str, Any]) -> None:
    with_token = [name for name, state in states.items() if "$$.Task.Token" in json.dumps(state)]
    assert with_token == ["Wait"]
    assert states["Wait"]["Resource"].endswith(":states:::lambda:invoke.waitForTaskToken")
    assert "NotifyFunction" in states["Wait"]["Parameters"]["FunctionName"]
    assert states["Wait"]["TimeoutSecondsPath"] == "$.timeout_s"


def test_every_task_gets_ids_only(states: dict[str, Any]) -> None:
    ids = {"tenant.$": "$.tenant", "pause.$": "$.pause", "gen.$": "$.gen"}
    extra = {
        "Wait": {"token.$": "$$.Task.Token"},
        "Resume": {},
        "ListWaitFailed": {"list": "wait_failed"},
        "ListResumeFailed": {"list": "resume_failed"},
    }
    tasks = {name: state["Parameters"]["Payload"] for name, state in states.items() if state["Type"] == "Task"}
    assert tasks == {name: {**ids, **more} for name, more in extra.items()}


def test_the_input_reaches_every_state_unchanged(states: dict[str, Any]) -> None:
    for name, state in states.items():
        if state["Type"] == "Task":
            assert state["ResultPath"] is None, name
            assert all(catch["ResultPath"] is None for catch in state.get("Catch", [])), name


def test_every_path_ends(states: dict[str, Any]) -> None:
    def ends(name: str, seen: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
        assert name not in seen, "a loop would wait for ever"
        state = states[name]
        if state["Type"] == "Succeed":
            return [(*seen, name)]
        following = [state["Next"], *(catch["Next"] for catch in state.get("Catch", []))]
        return [path for one in following for path in ends(one, (*seen, name))]

    assert sorted(ends("Wait")) == [
        ("Wait", "ListWaitFailed", "ListWaitFailedDone"),
        ("Wait", "Resume", "Done"),
        ("Wait", "Resume", "ListResumeFailed", "ListResumeFailedDone"),
    ]


def test_retries_are_for_what_passes(states: dict[str, Any]) -> None:
    for state in states.values():
        for retry in state.get("Retry", []):
            assert "States.ALL" not in retry["ErrorEquals"]
            assert "States.TaskFailed" not in retry["ErrorEquals"]  # a handler's own error is not transient
            assert retry["JitterStrategy"] == "FULL"
