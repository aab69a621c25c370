"""The doctor on a stack that is being deleted: what it waits for."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError

from infra.findings import Clients, Finding

SHOWN = 20  # commands; somebody with more writes a loop over the list


def removing(clients: Clients, sentence: str, resources: list[dict[str, Any]]) -> Finding:
    """states:ListExecutions: a state machine is DELETING until its executions have ended, and one that waits goes on waiting."""
    region = clients("cloudformation").meta.region_name
    for one in resources:
        if one["ResourceType"] != "AWS::StepFunctions::StateMachine" or one["ResourceStatus"] == "DELETE_COMPLETE":
            continue
        machine = str(one.get("PhysicalResourceId", ""))
        listed = (
            f"aws stepfunctions list-executions --status-filter RUNNING --state-machine-arn {machine} --region {region}"
        )
        try:
            running = _running(clients, machine) if machine else []
        except ClientError:
            way_out = "it waits for executions that still run, which you may not list: stop each of them"
            return Finding("stop", "names", sentence, way_out, (listed,))
        if running:
            stop = [
                f"aws stepfunctions stop-execution --execution-arn {arn} --region {region}" for arn in running[:SHOWN]
            ]
            more = (f"{listed}    # the others",) if len(running) > SHOWN else ()
            way_out = f"it waits for executions that still run, {len(running)} of them: stop each"
            return Finding("stop", "names", sentence, way_out, (*stop, *more))
    return Finding("stop", "names", sentence, "wait until it is done")


def _running(clients: Clients, machine: str) -> list[str]:
    pages = clients("stepfunctions").get_paginator("list_executions")
    try:
        found = list(pages.paginate(stateMachineArn=machine, statusFilter="RUNNING"))
    except ClientError as error:
        if error.response["Error"]["Code"] != "StateMachineDoesNotExist":
            raise
        return []
    return [str(one["executionArn"]) for page in found for one in page["executions"]]
