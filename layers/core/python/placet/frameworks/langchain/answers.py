"""Decisions as LangChain's `HumanInTheLoopMiddleware` takes them, each by the id of its interrupt."""

from __future__ import annotations

from typing import Any

from placet.model.states import CallState

NOBODY_DECIDED = "Nobody decided about this call in time. It was not run; no person said no."
DENIED = "The policy forbids this call. It was not run, and asking again will not help."
NOT_RUN = "This call was withdrawn before anybody decided. It was not run."


def answer(state: CallState, tool: str, arguments: dict[str, Any], reason: str) -> dict[str, Any]:
    """`approve`, `edit` or `reject` as the middleware takes it. `respond` is for ask-the-user tools and is not sent here."""
    if state in (CallState.ACCEPTED, CallState.PASSED):
        return {"type": "approve"}
    if state is CallState.EDITED:
        return {"type": "edit", "edited_action": {"name": tool, "args": arguments}}
    if state is CallState.EXPIRED:
        return {"type": "reject", "message": NOBODY_DECIDED}
    if state is CallState.REJECTED:
        return {"type": "reject", "message": reason}
    return {"type": "reject", "message": DENIED if state is CallState.DENIED else NOT_RUN}


def notes(native: dict[str, Any], number: int) -> tuple[str, ...]:
    """Nothing: every decision is taken as it is, by the id of its interrupt."""
    return ()
