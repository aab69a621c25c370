"""The gate in the tool: a tool that claims the permit of its call before it acts, and acts on its arguments."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.errors import GraphBubbleUp

from placet.client.errors import GatewayRefused, NotCapturable
from placet.client.exact import arguments_of
from placet.client.gateway import RESULT_CHARACTERS
from placet.client.langchain.released_call import released_call
from placet.client.permits import DONE, FAILED, UNKNOWN, Permits, state_after
from placet.client.records import Call, Gates, Permit

SETTLED_SAYS = {
    DONE: "This call was executed before. Its result: {result}",
    FAILED: "This call was executed before and failed: {result}",
    UNKNOWN: "It is not known whether this call was executed. Do not repeat it; a person looks into it. {result}",
}
DENIED_SAYS = "The policy forbids this call by now, although it was approved. It was not executed. Do not repeat it."
RAISED_SAYS = {
    FAILED: "The call failed.",
    UNKNOWN: "It is not known whether this call was executed. Do not repeat it; a person looks into it.",
}


class GatedTool(BaseTool):
    """A tool behind its permit. To the model and to LangChain it looks like the tool inside.

    Attributes:
        gated: False for tools the policy leaves free; those run as they are, unless a pause holds the very call.
        decimals: fractions of the permit's arguments arrive as Decimal.
    """

    inner: BaseTool
    permits: Any
    gated: bool
    decimals: bool = False

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        raise NotCapturable(f"{self.name}: call invoke, not _run; only invoke carries the tool call's id.")

    def run(self, tool_input: Any, *args: Any, tool_call_id: str | None = None, **kwargs: Any) -> Any:
        """Claim, run the permit's arguments, report. Raises NotReleased or GatewayRefused: then nothing happened."""
        call = released_call(self.name, tool_call_id, gated=self.gated)
        if call is None:
            return self.inner.run(tool_input, *args, tool_call_id=tool_call_id, **kwargs)
        permit = self._claim(call)
        if isinstance(permit, ToolMessage):
            return permit
        try:
            with self.permits.acting(permit):
                given = self._given(permit, tool_input)
                result = self.inner.run(given, *args, tool_call_id=tool_call_id, **kwargs)
        except Exception as error:
            return self._raised(permit, call, error)
        return self._ran(permit, result)

    async def arun(self, tool_input: Any, *args: Any, tool_call_id: str | None = None, **kwargs: Any) -> Any:
        """As `run`; the gateway is asked from a thread."""
        call = released_call(self.name, tool_call_id, gated=self.gated)
        if call is None:
            return await self.inner.arun(tool_input, *args, tool_call_id=tool_call_id, **kwargs)
        permit = await asyncio.to_thread(self._claim, call)
        if isinstance(permit, ToolMessage):
            return permit
        try:
            with self.permits.acting(permit):
                given = self._given(permit, tool_input)
                result = await self.inner.arun(given, *args, tool_call_id=tool_call_id, **kwargs)
        except Exception as error:
            return await asyncio.to_thread(self._raised, permit, call, error)
        return await asyncio.to_thread(self._ran, permit, result)

    def _claim(self, call: Call) -> Permit | ToolMessage:
        """The permit; or the result of an earlier attempt that died before LangGraph stored it; or that it is forbidden by now."""
        try:
            permit: Permit = self.permits.claim(call)
        except GatewayRefused as refused:
            if (
                refused.code == "policy_denies"
            ):  # whoever agreed: the run must not wait for what nobody will let through
                return self._message(call, DENIED_SAYS, ok=False)
            says = SETTLED_SAYS.get(str(refused.members.get("permit")))
            if refused.code != "permit_settled" or says is None:
                raise
            done = refused.members["permit"] == DONE
            return self._message(call, says.format(result=refused.members.get("result") or ""), ok=done)
        return permit

    def _given(self, permit: Permit, tool_input: Any) -> dict[str, Any]:
        """The permit's arguments, and what LangGraph injects (state, store, runtime), which nobody names."""
        given = arguments_of(permit.arguments, decimals=self.decimals)
        hidden = injected_names(self.inner)
        injected = {name: value for name, value in tool_input.items() if name in hidden}
        return {name: value for name, value in given.items() if name not in hidden} | injected

    def _ran(self, permit: Permit, result: Any) -> Any:
        failed = isinstance(result, ToolMessage) and result.status == "error"
        text = result.text if isinstance(result, ToolMessage) else str(result)
        self.permits.settle(permit, FAILED if failed else DONE, str(text)[:RESULT_CHARACTERS])
        return result

    def _raised(self, permit: Permit, call: Call, error: Exception) -> ToolMessage:
        """A permit is used up by a failure too, so the run goes on and the model is told."""
        if isinstance(error, GraphBubbleUp):
            self.permits.settle(permit, UNKNOWN, "the tool paused after its permit was claimed")
            raise NotCapturable(f"{self.name} paused from inside; a gated tool must not interrupt.") from error
        state = state_after(error)
        text = f"{type(error).__name__}: {error}"
        self.permits.settle(permit, state, text)
        return self._message(call, f"{RAISED_SAYS[state]} {text}", ok=False)

    def _message(self, call: Call, text: str, *, ok: bool) -> ToolMessage:
        return ToolMessage(
            content=text, name=self.name, tool_call_id=call.framework_call_id, status="success" if ok else "error"
        )


@dataclass(frozen=True)
class Options:
    """Attributes:
    keyed: names of tools that take an idempotency key (`current_permit().idempotency_key`).
    decimals: fractions of permitted arguments as Decimal.
    """

    keyed: frozenset[str] = frozenset()
    decimals: bool = False


def gate_tools(tools: Sequence[BaseTool], gates: Gates, permits: Permits, options: Options) -> list[GatedTool]:
    """Every tool behind its permit; free ones too, because a gate list may change while a run is paused."""
    return [_gate(tool, permits, gated=not gates.free(tool.name), options=options) for tool in tools]


def raw_tools(agent: Any) -> list[str]:
    """Names of the tools of a compiled agent that act without a permit, in any of its nodes."""
    nodes = getattr(agent, "nodes", {}).values()
    tools = (tool for node in nodes for tool in getattr(getattr(node, "bound", None), "tools_by_name", {}).values())
    return sorted({tool.name for tool in tools if not isinstance(tool, GatedTool)})


def tool_schema(tool: BaseTool) -> dict[str, Any]:
    """The JSON Schema of what a model may pass, injected arguments left out."""
    schema: Any = tool.tool_call_schema
    found = schema if isinstance(schema, dict) else schema.model_json_schema()
    return dict(found)


def injected_names(tool: BaseTool) -> frozenset[str]:
    """Arguments that LangGraph fills in and no model names."""
    if isinstance(tool.args_schema, dict):
        return frozenset()
    every: Any = tool.get_input_schema()
    named: Any = tool.tool_call_schema
    return frozenset(every.model_fields) - frozenset(named.model_fields)


def _gate(tool: BaseTool, permits: Permits, *, gated: bool, options: Options) -> GatedTool:
    if not isinstance(tool, BaseTool):
        raise NotCapturable(f"{tool!r} is no LangChain tool; decorate it with @tool so that it can be gated.")
    return GatedTool(
        name=tool.name,
        description=tool.description,
        args_schema=tool.args_schema or tool.get_input_schema(),
        return_direct=tool.return_direct,
        response_format=tool.response_format,
        extras=tool.extras,
        tags=tool.tags,
        metadata=tool.metadata,
        inner=tool,
        permits=permits,
        gated=gated,
        decimals=options.decimals,
    )
