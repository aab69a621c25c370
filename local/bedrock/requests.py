"""A request as it came in, and the log of all of them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from local.bedrock.refusals import Refusal, invalid

AGENT = re.compile(r"/agents/([^/]+)/agentAliases/([^/]+)/sessions/([^/]+)/text\Z")
INLINE = re.compile(r"/agents/([^/]+)\Z")
ID = re.compile(r"[0-9a-zA-Z]{1,10}\Z")
SESSION = re.compile(r"[0-9a-zA-Z._:-]{2,100}\Z")
INLINE_AGENT = "INLINE_AGENT"


@dataclass(frozen=True)
class Request:
    """One InvokeAgent or InvokeInlineAgent.

    Attributes:
        agent, alias: `INLINE_AGENT` and empty for an inline agent.
        body: the parsed JSON.
    """

    agent: str
    alias: str
    session: str
    body: dict[str, Any]

    @property
    def inline(self) -> bool:
        """Whether the definition of the agent is in the body."""
        return self.agent == INLINE_AGENT

    @property
    def state(self) -> dict[str, Any]:
        """The session state that was sent."""
        return self.body.get("inlineSessionState" if self.inline else "sessionState") or {}

    @property
    def is_answer(self) -> bool:
        """Whether it answers a pause; its text is ignored then."""
        return self.state.get("returnControlInvocationResults") is not None

    @property
    def text(self) -> str:
        """What the user says; empty when nothing."""
        return str(self.body.get("inputText") or "")


@dataclass
class Logged:
    """A request as received, with what became of it.

    Attributes:
        at: the runtime's clock, in seconds.
        became: `text`, `pause`, `ended`, or the name of the error; empty while it is being processed or when it never was.
        fault: what went wrong on the way, if something did.
    """

    at: float
    request: Request
    became: str = ""
    fault: str = ""


def request_of(path: str, body: bytes) -> Request:
    """Read a request. Raises Refusal for one that the service would not take."""
    path = path.partition("?")[0]
    if found := AGENT.match(path):
        agent, alias, session = (unquote(part) for part in found.groups())
        if not ID.match(agent) or not ID.match(alias):
            raise invalid("agentId and agentAliasId are at most 10 letters and digits")
    elif found := INLINE.match(path):
        agent, alias, session = INLINE_AGENT, "", unquote(found[1])
    else:
        raise Refusal(404, "UnknownOperationException", path)
    if not SESSION.match(session):
        raise invalid("sessionId does not match [0-9a-zA-Z._:-]{2,100}")
    return Request(agent, alias, session, _object(body))


def _object(body: bytes) -> dict[str, Any]:
    try:
        parsed = json.loads(body or b"{}")
    except ValueError:
        raise Refusal(400, "SerializationException", "the body is no JSON") from None
    if not isinstance(parsed, dict):
        raise Refusal(400, "SerializationException", "the body is no JSON object")
    return parsed
