"""LangChain's `HumanInTheLoopMiddleware` in per-call mode (langchain ≥ 1.4.6, langgraph ≥ 1.2.20).

One interrupt per gated call. The order of interrupts is not the order of calls, `tool_call_id` is not unique, and the interrupt id
commits to the place in the graph, not to the arguments: so calls are matched by interrupt id and compared by digest.
"""

from __future__ import annotations

from typing import Any

from placet.frameworks.langchain import FRAMEWORK
from placet.model.canonical import is_text
from placet.model.errors import Invalid
from placet.model.ids import joined, joined_before
from placet.model.pauses import NativePause, ProposedCall

MAX_CALLS = FRAMEWORK.most_calls
LONGEST_NAME = 256  # names go into the head, which every decision writes


def read(run: str, native: dict[str, Any]) -> NativePause:
    """The calls of a per-call pause, in the order given."""
    if native.get("mode") != "per_call":
        raise Invalid("native_invalid", "Only interrupt_mode='per_call' is taken: batched answers match by position.")
    namespace, checkpoint = _text(native, "checkpoint_ns"), _text(native, "checkpoint_id")
    if not checkpoint:
        raise Invalid("native_invalid", "checkpoint_id is empty: the run is not stored, so it could never go on.")
    interrupts = native.get("interrupts")
    if not isinstance(interrupts, list) or not 1 <= len(interrupts) <= MAX_CALLS:
        raise Invalid("native_invalid", f"interrupts must be a list of 1 to {MAX_CALLS}.")
    tools = native.get("tools", {})
    if not isinstance(tools, dict):
        raise Invalid("native_invalid", "tools must be an object.")
    calls = tuple(_call(number, item, tools) for number, item in enumerate(interrupts, start=1))
    if len({call.interrupt_id for call in calls}) != len(calls):
        raise Invalid("native_invalid", "Two interrupts share one id; langgraph 1.2.20 or later gives each its own.")
    parts, ref = (run, namespace, checkpoint), {"checkpoint_ns": namespace, "checkpoint_id": checkpoint}
    return NativePause(joined(*parts), ref, calls, joined_before(*parts))


def _call(number: int, interrupt: Any, tools: dict[str, Any]) -> ProposedCall:
    value = interrupt.get("value") if isinstance(interrupt, dict) else None
    if not isinstance(value, dict) or value.get("type") != "tool_approval":
        raise Invalid("native_invalid", "An interrupt is not a tool approval; raw interrupt() is not taken yet.")
    arguments = value.get("args")
    if not isinstance(arguments, dict):
        raise Invalid("native_invalid", "The args of a tool approval must be an object.")
    name = _text(value, "name", required=True)
    tool = tools.get(name, {})
    if not isinstance(tool, dict) or not isinstance(tool.get("schema", {}), dict):
        raise Invalid("native_invalid", "tools must map a name to {schema, idempotency_key}.")
    return ProposedCall(
        number=number,
        framework_call_id=_text(value, "tool_call_id", required=True),
        interrupt_id=_text(interrupt, "id", required=True),
        tool=name,
        arguments=arguments,
        schema=tool.get("schema"),
        takes_key=tool.get("idempotency_key") is True,
    )


def _text(source: dict[str, Any], field: str, *, required: bool = False) -> str:
    value: str = source.get(field, "")
    if not is_text(value) or (required and not value) or len(value) > LONGEST_NAME:
        raise Invalid("native_invalid", f"{field} must be text of at most {LONGEST_NAME} characters.")
    return value
