"""The wait on Step Functions."""

from __future__ import annotations

import json
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from placet.aws.clients import client
from placet.aws.refusals import code_of, is_final
from placet.model.errors import Busy, Refused

# AWS says one or the other by case, and none of them can tell an own earlier answer from a time-out: alike for us,
# because the record, not the token, says what was decided.
_GONE = frozenset({"TaskTimedOut", "TaskDoesNotExist", "InvalidToken"})
_REFUSED = frozenset(
    {
        "AccessDeniedException",
        "StateMachineDoesNotExist",
        "StateMachineDeleting",
        "InvalidArn",
        "InvalidName",
        "InvalidExecutionInput",
        "InvalidOutput",
        "ValidationException",
        "KmsAccessDeniedException",
        "KmsInvalidStateException",
    }
)


class StepFunctions:
    """The state machine."""

    def __init__(self, machine_arn: str, states: Any = None) -> None:
        self._arn = machine_arn
        self._states = states if states is not None else client("stepfunctions")

    def start(self, name: str, facts: dict[str, Any]) -> bool:
        """Start, or find running; False when an execution of this name has ended."""
        text = json.dumps(facts, sort_keys=True)
        try:
            self._states.start_execution(stateMachineArn=self._arn, name=name, input=text)
        except (ClientError, BotoCoreError) as error:
            if code_of(error) == "ExecutionAlreadyExists":
                return False
            raise _meaning(error) from None
        return True

    def answer(self, token: str, facts: dict[str, Any]) -> bool:
        """Send the task's success; False when the wait is gone."""
        try:
            self._states.send_task_success(taskToken=token, output=json.dumps(facts, sort_keys=True))
        except (ClientError, BotoCoreError) as error:
            if is_final(error, _GONE):
                return False
            raise _meaning(error) from None
        return True


def _meaning(error: ClientError | BotoCoreError) -> Exception:
    if is_final(error, _REFUSED):
        return Refused("states_refused", f"Step Functions refused the request: {code_of(error)}")
    return Busy("Step Functions is throttled or cannot be reached.")
