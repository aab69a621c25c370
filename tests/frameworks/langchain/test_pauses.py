"""Reading pauses: real payloads that were recorded, and states that must not be captured."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from placet.client import NotCapturable
from placet.client.exact import to_text
from placet.client.langchain.pauses import cut_short, native_of, says_of

CAPTURES = Path(__file__).parent / "captures"


def recorded(name: str) -> list[SimpleNamespace]:
    found = json.loads((CAPTURES / name).read_text())["invoke_v2"]["interrupts"]
    return [SimpleNamespace(**{key: item[key] for key in ("id", "value", "response_schema")}) for item in found]


def state(interrupts, messages=()):
    place = {"configurable": {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "1f1e"}}
    return SimpleNamespace(interrupts=tuple(interrupts), values={"messages": list(messages)}, config=place, tasks=())


def test_calls_are_in_the_order_of_the_model_not_of_the_threads():
    interrupts = recorded("pause-parallel-per_call.json")
    ids = [item.value["tool_call_id"] for item in interrupts]
    assert ids != sorted(ids)
    said = AIMessage("", tool_calls=[{"name": "x", "args": {}, "id": name} for name in sorted(ids)])
    native = native_of(state(interrupts, [said]), {})
    assert [item["value"]["tool_call_id"] for item in native["interrupts"]] == sorted(ids)


def test_a_recorded_pause_is_carried_as_it_was():
    (item,) = recorded("pause-single-per_call.json")
    native = native_of(state([item]), {"refund": {"schema": {"type": "object"}, "idempotency_key": False}})
    assert json.loads(to_text(native)) == {
        "mode": "per_call",
        "checkpoint_ns": "",
        "checkpoint_id": "1f1e",
        "interrupts": [{"id": item.id, "value": item.value, "response_schema": item.response_schema}],
        "tools": {"refund": {"schema": {"type": "object"}, "idempotency_key": False}},
    }


@pytest.mark.parametrize("value", ["sure?", {"action_requests": []}, {"type": "question"}])
def test_questions_that_are_no_tool_approvals_are_not_captured(value):
    with pytest.raises(NotCapturable):
        native_of(state([SimpleNamespace(id="a" * 32, value=value, response_schema=None)]), {})


def test_two_questions_with_one_id_are_not_captured():
    (item,) = recorded("pause-single-per_call.json")
    with pytest.raises(NotCapturable, match="one id"):
        native_of(state([item, item]), {})


def test_what_was_said_last_is_shown():
    messages = [HumanMessage("first"), AIMessage("sure"), HumanMessage("second"), AIMessage("I would")]
    assert says_of(state([], messages)) == "I would"


def test_a_step_is_cut_short_when_a_call_neither_asked_nor_finished():
    def task(**fields):
        return SimpleNamespace(**{"interrupts": (), "result": None, "error": None, **fields})

    asked, finished, failed, neither = task(interrupts=("?",)), task(result={}), task(error="x"), task()
    assert not cut_short(SimpleNamespace(tasks=(asked, finished, failed)))
    assert cut_short(SimpleNamespace(tasks=(asked, neither)))
