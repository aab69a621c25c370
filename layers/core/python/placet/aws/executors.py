"""The customers' executors: a Lambda that runs one decided call and says what came of it."""

from __future__ import annotations

import json
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from placet.aws.clients import client
from placet.aws.refusals import code_of
from placet.aws.starting import Start, start_of
from placet.model.canonical import exact_text
from placet.model.errors import Busy
from placet.model.pauses import Agent
from placet.service.ports import ExecutorUnknown


class LambdaExecutors:
    """Executors by the name in the registry."""

    def __init__(self, invoker: Any = None) -> None:
        self._lambda = invoker

    def run(self, agent: Agent, order: dict[str, Any]) -> tuple[bool, str]:
        """Invoke once and wait."""
        invoker = self._lambda if self._lambda is not None else client("lambda/executors")
        try:
            answer = invoker.invoke(FunctionName=agent.executes, Payload=exact_text(order).encode())
            said = answer["Payload"].read()
        except (ClientError, BotoCoreError, OSError) as error:
            return _not_run(error)
        if "FunctionError" in answer:
            raise ExecutorUnknown
        return _result(said)


def _not_run(error: ClientError | BotoCoreError | OSError) -> tuple[bool, str]:
    """What an executor that was certainly not started says of the call. Raises Busy, ExecutorUnknown."""
    start, code = start_of(error), code_of(error)
    if start is Start.LATER:
        raise Busy(f"The executor cannot be started now ({code}); it was not started.") from None
    if start is Start.NEVER:
        return False, f"The executor could not be started ({code}). It was not run."
    raise ExecutorUnknown from None


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
