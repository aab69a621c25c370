"""Reading a paused LangGraph state: what the gateway is told of it. Pure; docs/api.md has the shape."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langgraph.types import StateSnapshot

from placet.client.errors import NotCapturable


def native_of(state: StateSnapshot, tools: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """The native pause of a state, its questions in the order of the model's calls.

    Raises NotCapturable for questions that are no tool approvals of the per-call mode, and for two with one id.
    """
    questions = [_question(item) for item in state.interrupts]
    ids = [question["id"] for question in questions]
    if len(set(ids)) != len(ids):
        raise NotCapturable("Two questions of the pause have one id, so an answer could reach the wrong one.")
    order = {call["id"]: place for place, call in reversed(list(enumerate(_calls(state))))}
    questions.sort(key=lambda question: order.get(question["value"]["tool_call_id"], len(order)))
    place = state.config["configurable"]
    names = {question["value"]["name"] for question in questions}
    return {
        "mode": "per_call",
        "checkpoint_ns": place.get("checkpoint_ns", ""),
        "checkpoint_id": place["checkpoint_id"],
        "interrupts": questions,
        "tools": {name: tools[name] for name in sorted(names) if name in tools},
    }


def says_of(state: StateSnapshot) -> str:
    """What the model said beside its calls."""
    message = _last(state, AIMessage)
    return message.text if message else ""


def facts_of(state: StateSnapshot) -> dict[str, str]:
    """Versions and model, as far as the state tells."""
    message = _last(state, AIMessage)
    model = str((message.response_metadata if message else {}).get("model_name", ""))
    facts = {"model": model, "framework_version": f"langchain {version('langchain')}, langgraph {version('langgraph')}"}
    return {name: value for name, value in facts.items() if value}


def pending_ids(state: StateSnapshot) -> frozenset[str]:
    """Ids of the questions that have no answer yet."""
    return frozenset(item.id for item in state.interrupts)


def held_ids(state: StateSnapshot) -> frozenset[str]:
    """Framework call ids of the paused calls."""
    values = [item.value for item in state.interrupts if isinstance(item.value, dict)]
    return frozenset(value["tool_call_id"] for value in values if "tool_call_id" in value)


def cut_short(state: StateSnapshot) -> bool:
    """Whether a process died while the step's calls were starting: some neither asked nor finished."""
    return any(not task.interrupts and task.result is None and not task.error for task in state.tasks)


def _question(item: Any) -> dict[str, Any]:
    value = item.value
    if not isinstance(value, dict) or value.get("type") != "tool_approval":
        raise NotCapturable("The run asks something that is no tool approval; only what `gated` asks is captured.")
    schema = item.response_schema if isinstance(item.response_schema, dict) else {}
    return {"id": item.id, "value": dict(value), "response_schema": schema}


def _calls(state: StateSnapshot) -> list[Any]:
    message = _last(state, AIMessage)
    return list(message.tool_calls) if message else []


def _last(state: StateSnapshot, kind: type[BaseMessage]) -> Any:
    messages = state.values.get("messages", []) if isinstance(state.values, dict) else []
    return next((message for message in reversed(messages) if isinstance(message, kind)), None)
