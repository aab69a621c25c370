"""Calling Lambdas: an agent that takes its decisions, and the gateway's own verbs for the sweep."""

from __future__ import annotations

import json
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from placet.aws.clients import client
from placet.aws.refusals import code_of, is_final
from placet.aws.starting import Start, start_of
from placet.model.canonical import exact_text
from placet.model.errors import Busy, Refused
from placet.model.pauses import Agent
from placet.service.ports import StillAtWork


class LambdaAgents:
    """Agents whose registry entry names a Lambda."""

    def __init__(self, invoker: Any = None) -> None:
        self._lambda = invoker if invoker is not None else client("lambda/agents")

    def deliver(self, agent: Agent, payload: dict[str, Any]) -> None:
        """Invoke and wait. One attempt: the machine and the sweep repeat it under a new lease."""
        try:
            answer = self._lambda.invoke(FunctionName=agent.function, Payload=exact_text(payload).encode())
        except (ClientError, BotoCoreError) as error:
            if start_of(error) is Start.UNKNOWN:  # Lambda goes on with a function whose caller has gone
                raise StillAtWork from None
            raise Busy(f"The agent {agent.name} cannot be invoked: {code_of(error)}") from None
        if "FunctionError" in answer:
            raise Busy(f"The agent {agent.name} failed while it took the decisions.")


class LambdaVerbs:
    """The gateway's own functions, by verb."""

    def __init__(self, arns: dict[str, str], invoker: Any = None) -> None:
        self._arns = arns
        self._given = invoker
        self._lambda = invoker if invoker is not None else client("lambda")

    def ask(self, verb: str, payload: dict[str, Any]) -> dict[str, Any]:
        """Invoke and wait for what the verb answers; nothing where that is no JSON object."""
        patient = self._given if self._given is not None else client("lambda/asked")
        answer = self._invoked(patient, verb, payload)
        if "FunctionError" in answer:
            raise Busy(f"{verb} could not be done now.")
        try:
            told = json.loads(answer["Payload"].read())
        except (KeyError, ValueError):
            return {}
        return told if isinstance(told, dict) else {}

    def call(self, verb: str, payload: dict[str, Any]) -> None:
        """Invoke without waiting."""
        self._invoked(self._lambda, verb, payload, InvocationType="Event")

    def _invoked(self, invoker: Any, verb: str, payload: dict[str, Any], **how: str) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = invoker.invoke(
                FunctionName=self._arns[verb], Payload=json.dumps(payload).encode(), **how
            )
        except (ClientError, BotoCoreError) as error:
            if is_final(error, {"AccessDeniedException"}):
                raise Refused("verb_refused", f"This function may not call {verb}.") from None
            raise Busy(f"{verb} cannot be called now: {code_of(error)}") from None
        return answer
