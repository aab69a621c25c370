"""Bedrock Agents (`returnControl`), gateway side and pure: read a control, choose each call's way, write the answer."""

from __future__ import annotations

from typing import Any

from placet.adapters.bedrock.answers import NOT_RUN, WITHDRAWN
from placet.adapters.bedrock.reading import CONFIRMATION, RESULT, Asked, asked_in, read
from placet.model.states import CallState

__all__ = ["answer", "asked_in", "notes", "read"]

EDIT_IS_AN_INSTRUCTION = (
    "Bedrock runs this call itself, so an edit is sent back to the agent as an instruction; "
    "the same call, proposed with your arguments, then passes without asking you again."
)


def answer(state: CallState, tool: str, arguments: dict[str, Any], reason: str) -> dict[str, Any]:
    """The decision on one call as Bedrock words it; a whole control is answered by `answers.results`."""
    if state.may_run:
        return {"confirmationState": "CONFIRM"}
    return {"confirmationState": "DENY", "body": reason or NOT_RUN.get(state, WITHDRAWN)}


def notes(native: dict[str, Any], number: int) -> tuple[str, ...]:
    """What a reviewer has to know about how this call will be answered."""
    asked = asked_in(native["return_control"])
    one = asked[number - 1]
    found = []
    if (equal := sum(other.group == one.group for other in asked)) > 1:
        found.append(_alike(one, equal))
    elif one.mode == CONFIRMATION:
        found.append(EDIT_IS_AN_INSTRUCTION)
    if one.decoded.absent:
        names = ", ".join(one.decoded.absent)
        found.append(f"Named without a value, so not given: {names}.")
    if one.collaborator:
        found.append(f"Proposed by the collaborator {one.collaborator}.")
    return tuple(found)


def _alike(one: Asked, equal: int) -> str:
    text = f"Bedrock cannot tell {equal} calls of {one.tool} in one request apart. "
    if one.mode == RESULT:
        return text + "Each answer therefore names its own arguments."
    return (
        text
        + "If they are not all accepted as proposed, Placet runs the approved ones itself and says so in each answer."
    )
