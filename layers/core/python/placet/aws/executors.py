"""The customers' executors: a Lambda that runs one decided call and says what came of it."""

from __future__ import annotations

import json
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError, ConnectTimeoutError, EndpointConnectionError

from placet.aws.clients import client
from placet.aws.time_left import NoTimeLeft
from placet.model.canonical import exact_text
from placet.model.pauses import Agent
from placet.service.ports import ExecutorUnknown

# Lambda turned the request away; the function was not started.
_NOT_STARTED = frozenset(
    {
        "AccessDeniedException",
        "ResourceNotFoundException",
        "TooManyRequestsException",
        "InvalidRequestContentException",
        "RequestTooLargeException",
        "KMSAccessDeniedException",
        "ResourceConflictException",
    }
)


class LambdaExecutors:
    """Executors by the name in the registry."""

    def __init__(self, invoker: Any = None) -> None:
        self._lambda = invoker

    def run(self, agent: Agent, order: dict[str, Any]) -> tuple[bool, str]:
        """Invoke once and wait."""
        name = agent.bedrock.executor if agent.bedrock else ""
        invoker = self._lambda if self._lambda is not None else client("lambda/executors")
        try:
            answer = invoker.invoke(FunctionName=name, Payload=exact_text(order).encode())
            said = answer["Payload"].read()
        except (NoTimeLeft, EndpointConnectionError, ConnectTimeoutError):
            return False, "The executor could not be reached. It was not run."
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code in _NOT_STARTED:
                return False, f"The executor could not be started ({code}). It was not run."
            raise ExecutorUnknown from None
        except (BotoCoreError, OSError):
            raise ExecutorUnknown from None
        if "FunctionError" in answer:
            raise ExecutorUnknown
        return _result(said)


def _result(said: bytes) -> tuple[bool, str]:
    """{"ok": bool, "result": text}; anything else says nothing about what was done."""
    try:
        found = json.loads(said)
    except ValueError:
        raise ExecutorUnknown from None
    ok, result = (found.get("ok"), found.get("result", "")) if isinstance(found, dict) else (None, "")
    if not isinstance(ok, bool) or not isinstance(result, str):
        raise ExecutorUnknown
    return ok, result
