"""What a test waits for: a pause in the queue, on the pick-up list, an execution's end."""

from __future__ import annotations

import json
from typing import Any

from local.endpoint import Endpoint
from local.stack import LocalStack
from placet.aws.table import DynamoTable
from placet.records.keys import Keys
from tests.e2e.agents import until
from tests.e2e.signed import Signed, pause_body
from tests.e2e.test_rights import function_of

KEYS = Keys("main")


def head(stack: LocalStack, pause: str) -> dict[str, Any]:
    return DynamoTable(stack.table_name, stack.client("dynamodb")).get(KEYS.head(pause)) or {}


def shown(stack: LocalStack, agent: Signed, run: str, *calls: Any, **about: Any) -> str:
    """Capture a pause; its id once reviewers can see it."""
    pause: str = agent.taken("POST", "/v1/pauses", pause_body(run, *calls, **about))["pause"]
    seen(stack, pause)
    return pause


def seen(stack: LocalStack, pause: str) -> None:
    until(lambda: head(stack, pause).get("notified_ms"), f"pause {pause} in the queue")


def offered(agent: Signed, pause: str) -> dict[str, Any]:
    """The pause on the pick-up list."""

    def look() -> Any:
        resumes = agent.taken("GET", "/v1/resumes")["resumes"]
        return next((one for one in resumes if one["pause"] == pause), None)

    return until(look, "the pick-up list")


def ended(stack: LocalStack, execution: str) -> None:
    """The machine's execution of this name succeeds."""
    states = Endpoint(stack.settings.steps_endpoint).client("stepfunctions")
    machine = stack.outputs["MachineArn"]

    def look() -> list[Any]:
        done = states.list_executions(stateMachineArn=machine, statusFilter="SUCCEEDED")["executions"]
        return [one for one in done if one["name"] == execution]

    until(look, f"execution {execution} to end")


def run_verb(stack: LocalStack, verb: str, **event: Any) -> None:
    """Call a function as the rule or the machine would."""
    name = function_of(stack, verb)["FunctionName"]
    answer = stack.client("lambda").invoke(FunctionName=name, Payload=json.dumps(event).encode())
    assert "FunctionError" not in answer, answer["Payload"].read()
