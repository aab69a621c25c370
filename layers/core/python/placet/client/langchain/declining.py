"""Calls that cannot be put before a person: the model is told why, and nothing runs.

Without this the run would stay paused for ever: LangGraph asks, and the gateway has stored nothing it could be answered with.
"""

from __future__ import annotations

import json
import logging

from langgraph.types import StateSnapshot

from placet.client.errors import ClientError, GatewayRefused, NotExact
from placet.client.records import Call, Pause

log = logging.getLogger(__name__)

ABOUT_THE_CALLS = frozenset({400, 413, 422})
ABOUT_A_SCHEMA = frozenset({"arguments_break_schema", "schema_invalid", "schema_too_complex"})
TRIES = 3
SAYS = "No person was asked and the call was not run: {why} Correct it and propose it again, or do without it."


def about_the_calls(error: ClientError) -> bool:
    """Whether the gateway refused to store the calls themselves, so that asking again in the same words is no use."""
    return isinstance(error, NotExact) or (isinstance(error, GatewayRefused) and error.status in ABOUT_THE_CALLS)


def about_the_schema(error: ClientError) -> bool:
    """Whether the calls would be taken if the tool's schema were not sent."""
    return isinstance(error, GatewayRefused) and error.code in ABOUT_A_SCHEMA


def declined(state: StateSnapshot, error: ClientError) -> Pause:
    """A pause that only this process knows, with every question answered by a rejection that says why."""
    why = str(error)
    if isinstance(error, GatewayRefused) and error.members.get("problems"):
        why = f"{why} {json.dumps(error.members['problems'], ensure_ascii=False)[:2_000]}"
    log.error("the calls of thread %s were not captured: %s", state.config["configurable"]["thread_id"], why)
    return Pause("", "decided", tuple(_call(item, why) for item in state.interrupts))


def _call(item: object, why: str) -> Call:
    value = getattr(item, "value", {})
    return Call(
        call="",
        tool=value["name"],
        framework_call_id=value["tool_call_id"],
        interrupt_id=getattr(item, "id", ""),
        state="rejected",
        native={"type": "reject", "message": SAYS.format(why=why)},
    )
