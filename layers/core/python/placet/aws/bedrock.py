"""Turns of Bedrock agents: one attempt each, the event stream read to its end, every way it can break told apart.

The SDK's default client posts an answer again when the response is slow (captured: a refund that ran was reported as refused). So
there is one attempt, and a read timeout longer than the agent. An error may come inside the stream after HTTP 200; a truncated
stream just ends. Neither is an end of the turn.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from botocore.eventstream import ParserError
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    EventStreamError,
    HTTPClientError,
    ParamValidationError,
)

from placet.aws.clients import client, in_all
from placet.aws.refusals import never_sent
from placet.model.pauses import Agent
from placet.service.ports import Turn, TurnFailed

# The request was turned away before anything ran. A dependency's failure is not among them: the action may have run.
_TURNED_AWAY = frozenset(
    {
        "validation",
        "access_denied",
        "resource_not_found",
        "conflict",
        "service_quota_exceeded",
        "throttling",
        "model_not_ready",
    }
)


class BedrockRuntime:
    """Agents with an alias by InvokeAgent, inline agents by InvokeInlineAgent."""

    def __init__(self, definitions: Callable[[str], str], clients: Callable[[str], Any] | None = None) -> None:
        self._definitions = definitions
        self._client = clients or _client

    def definition(self, agent: Agent) -> str:
        """The deployed definition of an inline agent, as it was written."""
        return self._definitions(agent.bedrock.definition) if agent.bedrock and agent.bedrock.definition else ""

    def turn(self, agent: Agent, session: str, text: str, state: dict[str, Any], definition: str) -> Turn:
        """Send one turn and read it to the end."""
        target = agent.bedrock
        if target is None:
            raise TurnFailed("not_bedrock", nothing_done=True)
        said = {"inputText": text} if text else {}
        runtime, look = self._client(target.region), in_all("bedrock-agent-runtime")
        try:
            if definition:
                # The session lives as long as the registry says, for that is the clock which a late decision is judged by.
                whole = json.loads(definition) | {"idleSessionTTLInSeconds": target.session_ttl_s}
                answer = runtime.invoke_inline_agent(**whole, sessionId=session, inlineSessionState=state, **said)
            else:
                answer = runtime.invoke_agent(
                    agentId=target.agent_id,
                    agentAliasId=target.alias_id,
                    sessionId=session,
                    sessionState=state,
                    enableTrace=False,
                    **said,
                )
            return read(answer["completion"], look)
        except (ClientError, BotoCoreError, ParserError) as error:
            raise meaning(error) from None


def read(events: Iterable[dict[str, Any]], look: Callable[[], None] = lambda: None) -> Turn:
    """The turn in an event stream; `look` is called between events.

    Raises TurnFailed `inconclusive` when it holds neither text nor a control, `two_controls`.
    """
    said: list[bytes] = []
    controls: list[dict[str, Any]] = []
    for event in events:
        if "chunk" in event:
            said.append(event["chunk"].get("bytes", b""))
        elif "returnControl" in event:
            controls.append(event["returnControl"])
        look()
    text = b"".join(said).decode(errors="replace")
    if len(controls) > 1:
        raise TurnFailed("two_controls", nothing_done=False)
    if not text and not controls:
        raise TurnFailed("inconclusive", nothing_done=False)
    return Turn(text, controls[0] if controls else None)


def meaning(error: ClientError | BotoCoreError | ParserError) -> TurnFailed:
    """What an error of the SDK says about the turn."""
    if isinstance(error, EventStreamError):  # after HTTP 200: the turn had begun
        return TurnFailed(name_of(error.response["Error"]["Code"]), nothing_done=False)
    if isinstance(error, ClientError):
        code = name_of(error.response["Error"]["Code"])
        return TurnFailed(code, nothing_done=code in _TURNED_AWAY)
    if never_sent(error):
        return TurnFailed("validation" if isinstance(error, ParamValidationError) else "unreachable", nothing_done=True)
    if isinstance(error, ParserError):
        return TurnFailed("stream_broken", nothing_done=False)
    return TurnFailed("response_lost" if isinstance(error, HTTPClientError) else "sdk_failed", nothing_done=False)


def name_of(code: str) -> str:
    """`ThrottlingException` and, inside a stream, `throttlingException`: both `throttling`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", code.removesuffix("Exception")).lower()


def _client(region: str) -> Any:
    return client("bedrock-agent-runtime", region=region)
