"""Bedrock running an action itself: the event its Lambda gets, and what is read from the Lambda's answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from local.bedrock.agents import Agent
from local.bedrock.answers import FAILURE
from local.bedrock.proposals import Proposal
from local.bedrock.refusals import failed_dependency

Act = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Executed:
    """One action that the runtime ran, noted before its Lambda is called.

    Attributes:
        arguments: name → text, as the Lambda gets them.
        event: the whole event.
    """

    session: str
    tool: str
    arguments: dict[str, str]
    event: dict[str, Any]


def lambda_event(
    call: Proposal, agent: Agent, session: str, text: str, attributes: dict[str, str], prompt_attributes: dict[str, str]
) -> dict[str, Any]:
    """The event of an action group's Lambda.

    Args:
        text: what the user said last.
        attributes: of the session.
        prompt_attributes: of this turn.
    """
    return {
        "messageVersion": "1.0",
        "agent": {
            "name": agent.name,
            "id": call.action.agent or agent.id,
            "alias": agent.alias,
            "version": agent.version,
        },
        "inputText": text,
        "sessionId": session,
        **call.target(),
        "sessionAttributes": dict(attributes),
        "promptSessionAttributes": dict(prompt_attributes),
    }


def done(event: dict[str, Any]) -> dict[str, Any]:
    """A Lambda that says it is done, in the shape of the action it was called for."""
    if "function" in event:
        answer = {"function": event["function"], "functionResponse": {"responseBody": {"TEXT": {"body": "done"}}}}
    else:
        answer = {
            "apiPath": event["apiPath"],
            "httpMethod": event["httpMethod"],
            "httpStatusCode": 200,
            "responseBody": {"application/json": {"body": '"done"'}},
        }
    return {"messageVersion": "1.0", "response": {"actionGroup": event["actionGroup"], **answer}}


def said_by(answer: Any, event: dict[str, Any]) -> str:
    """The text that the model reads. Raises Refusal when the Lambda says FAILURE, or answers in another shape."""
    try:
        response = answer["response"]
        same = [name for name in ("actionGroup", "function", "apiPath", "httpMethod") if name in event]
        if answer["messageVersion"] != "1.0" or any(response[name] != event[name] for name in same):
            raise failed_dependency("the Lambda answered for another action")
        inner = response["functionResponse"] if "function" in event else response
        if inner.get("responseState") == FAILURE:
            raise failed_dependency("the action group's Lambda reported FAILURE")
        (body,) = inner["responseBody"].values()
        return str(body["body"])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise failed_dependency("the response of the action group's Lambda is not valid") from None
