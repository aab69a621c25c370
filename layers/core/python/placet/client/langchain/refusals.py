"""Calls that cannot be put before a person. What the model wrote wrongly it is told, and nothing runs; what its developer wrote
wrongly is raised, for no model can mend it.

Without the first the run would stay paused for ever: LangGraph asks, and the gateway has stored nothing it could be answered with.
"""

from __future__ import annotations

import json
import logging
from typing import Any

from langgraph.types import StateSnapshot

from placet.client.errors import ClientError, GatewayRefused, NotExact, NotTaken
from placet.client.evidence import BODY_BYTES
from placet.client.exact import to_text
from placet.client.records import Call, Pause

log = logging.getLogger(__name__)

REFUSED = frozenset({400, 413, 422})
ABOUT_A_SCHEMA = frozenset({"arguments_break_schema", "schema_invalid", "schema_too_complex"})
MOST_CALLS = 10  # of one turn; the gateway's, a test compares
DEEP = 48  # levels of arguments; the gateway takes 64 of the whole body
TRIES = 3
NOT_ASKED = "not_asked"  # the state of a call that only this process knows; no person said no
SAYS = "No person was asked and the call was not run: {why} Correct it and propose it again, or do without it."
PAUSED = "Nothing was captured and nothing ran; the run is paused. Mend your code and call recover."
KEPT = "Nothing was captured and nothing ran. Mend your code and start the run on another thread: this one keeps what it was told."
TOLD_TO_RUN = ("entity", "requester", "evidence", "says", "facts", "wait_at_most_s", "confidence", "numbers")


def about_the_schema(error: ClientError) -> bool:
    """Whether the calls would be taken if the tool's schema were not sent."""
    return isinstance(error, GatewayRefused) and error.code in ABOUT_A_SCHEMA


def is_the_models(state: StateSnapshot, error: ClientError) -> bool:
    """Whether the model can mend it: the fault is in the arguments that it wrote, or in how many calls it made at once."""
    if isinstance(error, NotExact):
        return not _is_exact(_arguments(state))
    code = error.code if isinstance(error, GatewayRefused) else ""
    if code == "native_invalid":
        return len(state.interrupts) > MOST_CALLS
    if code == "body_too_large":  # of which the arguments are sent twice: as they are, and in LangChain's own words
        return 2 * len(to_text([getattr(item, "value", {}) for item in state.interrupts])) > BODY_BYTES
    return code == "arguments_break_schema" or (code == "json_too_deep" and _is_deep(_arguments(state), DEEP))


def is_the_developers(error: ClientError) -> bool:
    """Whether the gateway does not take what was sent, and asking again in the same words is no use."""
    return isinstance(error, NotExact) or (isinstance(error, GatewayRefused) and error.status in REFUSED)


def for_the_developer(error: ClientError) -> ClientError:
    """The same error, with the places and with what to do."""
    if not isinstance(error, GatewayRefused):
        return NotExact(f"{error} {PAUSED}")
    return NotTaken(error.status, error.code, error.detail, error.members, KEPT if _is_kept(error) else PAUSED)


def _is_kept(error: GatewayRefused) -> bool:
    """Whether the fault is in what `run` was told, which stays in the thread. A whole field that is unknown is of a gateway that is
    older than this SDK, and taken once that is newer.
    """
    places = [str(one.get("at", "")).split("/") for one in error.members.get("problems") or () if one]
    return any(at[0] in TOLD_TO_RUN and (len(at) > 1 or error.code != "unknown_field") for at in places)


def declined(state: StateSnapshot, error: ClientError) -> Pause:
    """A pause that only this process knows, with every question answered by a sentence that says why."""
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
        state=NOT_ASKED,
        native={"type": "reject", "message": SAYS.format(why=why)},
    )


def _arguments(state: StateSnapshot) -> list[Any]:
    values = (getattr(item, "value", None) for item in state.interrupts)
    return [value.get("args") for value in values if isinstance(value, dict)]


def _is_exact(value: Any) -> bool:
    try:
        to_text(value)
    except NotExact:
        return False
    return True


def _is_deep(value: Any, levels: int) -> bool:
    """Whether a value has more levels than these."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels == 0 or any(_is_deep(one, levels - 1) for one in inner)
