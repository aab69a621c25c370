"""The billing agent: a Lambda function that the gateway invokes with the decisions. No framework, only placet.client.

`propose` is the other half of such an agent: it asks for approval and ends; nothing waits for the answer.
"""

from __future__ import annotations

import uuid
from typing import Any

from local.agents.executions import record
from placet.client import Gateway, GatewayRefused, Pause, Permits

TOOLS = {
    "issue_refund": {"order_id": "string", "amount": "number"},
    "pay_invoice": {"supplier": "string", "amount": "number"},
    "stop_payment": {"payment": "string"},
}


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Run what was approved, report, and say that the run has gone on. May be invoked again with the same event.

    Raises GatewayRefused when another attempt holds a permit: then this one must not claim that the run went on.
    """
    pause = Pause.of(event["resume"])
    gateway = Gateway()
    ran = [call.call for call in pause.calls if call.may_run and _ran_now(Permits(gateway), call)]
    gateway.resumed(pause.pause)
    return {"pause": pause.pause, "ran": ran}


def propose(gateway: Gateway, run: str, tool: str, arguments: dict[str, Any], about: str) -> Pause:
    """Ask whether a call of one of TOOLS may run, about a business thing such as `order:1230`.

    The pause has LangChain's shape, the first one the gateway learned.
    """
    value = {
        "type": "tool_approval",
        "tool_call_id": "call_001",
        "name": tool,
        "args": arguments,
        "description": "",
    }
    native = {
        "mode": "per_call",
        "checkpoint_ns": "",
        "checkpoint_id": run,
        "interrupts": [{"id": uuid.uuid5(uuid.NAMESPACE_OID, run).hex, "value": value, "response_schema": {}}],
        "tools": {tool: {"schema": _schema(tool), "idempotency_key": False}},
    }
    return gateway.capture("langchain", run, native, entity=about, says="It is in the books.")


def _schema(tool: str) -> dict[str, Any]:
    properties = {name: {"type": kind} for name, kind in TOOLS[tool].items()}
    return {"type": "object", "properties": properties, "required": list(properties)}


def _ran_now(permits: Permits, call: Any) -> bool:
    """Whether this invocation ran the call; one that an earlier invocation finished is left alone."""
    try:
        permits.execute(call, lambda given: record(call.tool, given))
    except GatewayRefused as refused:
        if refused.code != "permit_settled":
            raise
        return False
    return True
