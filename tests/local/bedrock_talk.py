"""Talking to Bedrock's runtime with boto3's own client, and the answers that its users give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

INLINE_INSTRUCTION = "You refund orders when somebody asks for it, and nothing else."


@dataclass(frozen=True)
class Turn:
    """What one request came to."""

    events: tuple[dict[str, Any], ...] = ()
    error: str = ""
    status: int = 200
    session: str = ""

    @property
    def control(self) -> dict[str, Any]:
        (found,) = [one["returnControl"] for one in self.events if "returnControl" in one]
        return found

    @property
    def invocation(self) -> str:
        return str(self.control["invocationId"])

    @property
    def calls(self) -> list[dict[str, Any]]:
        return [next(iter(one.values())) for one in self.control["invocationInputs"]]

    @property
    def text(self) -> str:
        assert not any("returnControl" in one for one in self.events), self.events
        return b"".join(one["chunk"]["bytes"] for one in self.events if "chunk" in one).decode()


class Talk:
    """Raises what boto3 raises, but for errors that the service answers with: those are in the turn."""

    def __init__(self, url: str, agent: str = "AGENT12345", alias: str = "TSTALIASID", **config: Any) -> None:
        settings = Config(**{"retries": {"total_max_attempts": 1}, "read_timeout": 10, **config})
        self.client = boto3.client(
            "bedrock-agent-runtime",
            endpoint_url=url,
            region_name="us-east-1",
            aws_access_key_id="x",
            aws_secret_access_key="x",
            config=settings,
        )
        self._who = {"agentId": agent, "agentAliasId": alias}

    def say(self, session: str, text: str, state: dict[str, Any] | None = None, **more: Any) -> Turn:
        return self._turn(inputText=text, sessionId=session, **({"sessionState": state} if state else {}), **more)

    def answer(self, session: str, invocation: str, *results: dict[str, Any], **state: Any) -> Turn:
        given = {"invocationId": invocation, "returnControlInvocationResults": list(results), **state}
        return self._turn(sessionId=session, sessionState=given)

    def _turn(self, **given: Any) -> Turn:
        try:
            answer = self.client.invoke_agent(**self._who, **given)
            return Turn(tuple(answer["completion"]), session=answer["sessionId"])
        except ClientError as error:
            status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 200)
            return Turn(error=error.response["Error"]["Code"], status=status)


def refund(state: str = "", body: str | None = None, **more: Any) -> dict[str, Any]:
    """The result of one refund."""
    return {"functionResult": _result({"actionGroup": "Refunds", "function": "issueRefund"}, state, body, more)}


def reverse(state: str = "", body: str | None = None, **more: Any) -> dict[str, Any]:
    """The result of the API operation."""
    called = {"actionGroup": "Orders", "httpMethod": "POST", "apiPath": "/orders/{orderId}/refund"}
    return {"apiResult": _result(called, state, body, more)}


def _result(called: dict[str, Any], state: str, body: str | None, more: dict[str, Any]) -> dict[str, Any]:
    confirmation = {"confirmationState": state} if state else {}
    text = {"responseBody": {"TEXT": {"body": body}}} if body is not None else {}
    return {**called, **confirmation, **text, **more}
