"""The wait on Step Functions."""

from __future__ import annotations

import json
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from placet.aws.clients import client
from placet.model.errors import Busy, Refused

# AWS says one or the other by case, and none of them can tell an own earlier answer from a time-out: alike for us,
# because the record, not the token, says what was decided.
_GONE = frozenset({"TaskTimedOut", "TaskDoesNotExist", "InvalidToken"})
_LATER = frozenset({"ThrottlingException", "ExecutionLimitExceeded", "KmsThrottlingException", "ServiceUnavailable"})


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
        except BotoCoreError:
            raise Busy("Step Functions cannot be reached.") from None
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code == "ExecutionAlreadyExists":
                return False
            raise _meaning(error) from None
        return True

    def answer(self, token: str, facts: dict[str, Any]) -> bool:
        """Send the task's success; False when the wait is gone."""
        try:
            self._states.send_task_success(taskToken=token, output=json.dumps(facts, sort_keys=True))
        except BotoCoreError:
            raise Busy("Step Functions cannot be reached.") from None
        except ClientError as error:
            if error.response["Error"]["Code"] in _GONE:
                return False
            raise _meaning(error) from None
        return True


def _meaning(error: ClientError) -> Exception:
    code = error.response["Error"]["Code"]
    if code in _LATER:
        return Busy("Step Functions is throttled.")
    return Refused("states_refused", f"Step Functions refused the request: {code}")
