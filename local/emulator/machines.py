"""The interpreter of state machines, as the emulator reaches it: it is given every machine that a stack makes."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any


class Interpreter:
    """Holds the same machines as the emulator, under the same ARNs."""

    def __init__(self, url: str) -> None:
        self._url = url

    def put(self, machine: dict[str, Any]) -> None:
        """Make or update this machine there."""
        body = {"definition": machine["definition"], "roleArn": machine["roleArn"]}
        try:
            self._states.create_state_machine(name=machine["name"], type=machine.get("type", "STANDARD"), **body)
        except self._states.exceptions.StateMachineAlreadyExists:
            self._states.update_state_machine(stateMachineArn=machine["stateMachineArn"], **body)

    def drop(self, arn: str) -> None:
        """It runs nothing new; what waits in it ends by itself, as on AWS."""
        self._states.delete_state_machine(stateMachineArn=arn)

    @functools.cached_property
    def _states(self) -> Any:
        import boto3
        from ministack.core.responses import get_region

        return boto3.client(
            "stepfunctions", region_name=get_region(), endpoint_url=self._url
        )  # as root, by the environment


def for_the_service(trusted: Callable[..., bool]) -> Callable[..., bool]:
    """The interpreter takes a machine's role as root, as the service: it says whose account it asks for, as AWS does."""

    def run(document: Any, caller: str, context: Any = None) -> bool:
        if context is not None and caller.endswith(":root"):
            asked = {"aws:sourceaccount": context.principal_account, **context.service_context}
            context = dataclasses.replace(context, service_context=asked)
        return trusted(document, caller, context)

    return run
