"""The customers' executors: a Lambda that runs one decided call and says what came of it."""

from __future__ import annotations

import json
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError, ConnectTimeoutError, EndpointConnectionError

from placet.aws.clients import client
from placet.aws.time_left import NoTimeLeft
from placet.model.canonical import exact_text
from placet.model.errors import Busy
from placet.model.pauses import Agent
from placet.service.ports import ExecutorUnknown

# Lambda turned the request away before it started the function, and will do so again until somebody changes something.
_NEVER = frozenset(
    {
        "AccessDeniedException",
        "ResourceNotFoundException",
        "InvalidRequestContentException",
        "RequestTooLargeException",
        "KMSAccessDeniedException",
    }
)
# It turned it away for now: concurrency is used up, or the function is being created or updated.
_LATER = frozenset({"TooManyRequestsException", "ResourceConflictException", "SnapStartNotReadyException"})
# Everything else, ServiceException first of all, may come after the start.


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
            raise Busy("The executor could not be reached; it was not started.") from None
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code in _LATER:
                raise Busy(f"The executor cannot be started now ({code}).") from None
            if code in _NEVER:
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
