"""Bugs that the checks of `infra.checks.flow` have to find, by check: the stream, the machine and the timers."""

from __future__ import annotations

import json

from tests.infra.planting import (
    FUNCTION,
    MAPPING,
    TRUST,
    Bug,
    first,
    grant,
    put,
    replace,
    strip,
)

FILTER = "Properties.FilterCriteria.Filters.1.Pattern"

LEVEL = json.dumps({"dynamodb": {"NewImage": {"open_calls": {"N": ["0"]}}}})

NUMERIC = json.dumps({"dynamodb": {"OldImage": {"a": {"N": [{"numeric": ["=", 0]}]}}}})

EVENT_NAME = json.dumps({"eventName": ["INSERT"], "dynamodb": {"OldImage": {"a": {"S": ["b"]}}}})


BUGS: dict[str, list[Bug]] = {
    "stream_is_edges": [
        put(MAPPING, FILTER, LEVEL),
        put(MAPPING, FILTER, NUMERIC),
        put(MAPPING, FILTER, EVENT_NAME),
        put(MAPPING, FILTER, json.dumps({"dynamodb": {"OldImage": {"pk": [{"exists": False}]}}})),
        put(MAPPING, "Properties.FilterCriteria", None),
        put(MAPPING, "Properties.FilterCriteria.Filters", [{"Pattern": json.dumps({"dynamodb": {"OldImage": {}}})}] * 6),
        put(MAPPING, FILTER, json.dumps({"dynamodb": {"OldImage": {"open_calls": {"N": [1]}}}})),
    ],
    "stream_survives_poison": [
        put(MAPPING, "Properties.StartingPosition", "LATEST"),
        put(MAPPING, "Properties.MaximumRetryAttempts", None),
        put(MAPPING, "Properties.MaximumRecordAgeInSeconds", None),
        put(MAPPING, "Properties.BisectBatchOnFunctionError", False),
        put(MAPPING, "Properties.FunctionResponseTypes", None),
        put(MAPPING, "Properties.DestinationConfig.OnFailure.Destination", "arn:aws:s3:::bucket"),
        put(MAPPING, "Properties.ParallelizationFactor", 10, "Bus"),
        put(MAPPING, "Properties.MaximumRetryAttempts", 500, "Stream"),
        put(MAPPING, "Properties.MaximumRecordAgeInSeconds", 21_600, "Stream"),
        lambda t: t.gateway["Resources"].update(Third=first(t, MAPPING)[1]),
        lambda t: t.gateway["Resources"].pop(first(t, MAPPING, "Bus")[0]),
    ],
    "rights_come_first": [
        put(FUNCTION, "DependsOn", [], "Dispatch"),
        put("AWS::StepFunctions::StateMachine", "DependsOn", []),
    ],
    "one_answers_tokens": [
        grant("NotifyRole", "states:SendTaskSuccess", resource={"Ref": "LifecycleMachineBD2BD313"}),
        grant("DispatchRole", "states:SendTaskFailure", resource="*"),
        grant("SweepRole", "states:GetExecutionHistory", resource="*"),
    ],
    "machine_ends_or_lists": [
        replace("Lambda.TooManyRequestsException", "Lambda.Else", "LifecycleMachine"),
        replace('\\"TimeoutSecondsPath\\":\\"$.timeout_s\\",', "", "LifecycleMachine"),
        replace("States.ALL", "States.Timeout", "LifecycleMachine"),
        put("AWS::StepFunctions::StateMachine", "Properties.LoggingConfiguration.IncludeExecutionData", True),
        put("AWS::StepFunctions::StateMachine", "Properties.LoggingConfiguration.Level", "ERROR"),
    ],
    "machine_retries_timeouts": [
        replace("Lambda.Unknown", "Lambda.Else", "LifecycleMachine"),
        replace("Sandbox.Timedout", "Lambda.Else", "LifecycleMachine"),
        replace('\\"BackoffRate\\":2', '\\"BackoffRate\\":1', "LifecycleMachine"),
        replace('\\"MaxAttempts\\":8', '\\"MaxAttempts\\":99', "LifecycleMachine"),
    ],
    "async_failures_are_kept": [
        lambda t: t.gateway["Resources"].pop(first(t, "AWS::Lambda::EventInvokeConfig", "Sweep")[0]),
        put("AWS::Lambda::EventInvokeConfig", "Properties.DestinationConfig", None, "Escalate"),
        put("AWS::Events::Rule", "Properties.Targets.0.DeadLetterConfig", None),
        put("AWS::Events::Rule", "Properties.Targets.0.RetryPolicy", None),
    ],
    "timers_are_ours": [
        put("AWS::IAM::Role", f"{TRUST}.Condition", None, "TimersRole"),
        put("AWS::IAM::Role", f"{TRUST}.Condition.StringEquals.aws:SourceArn", "arn:x:schedule/g/n", "TimersRole"),
        strip("TimersRole", "sqs:SendMessage"),
        grant("TimersRole", "states:StartExecution"),
        grant("SweepRole", "iam:PassRole", StringEquals={"iam:PassedToService": "scheduler.amazonaws.com"}),
        grant("NotifyRole", "iam:PassRole"),
        grant("NotifyRole", "scheduler:CreateSchedule", resource="arn:x:scheduler:r:a:schedule/*/*"),
    ],
    "tasks_outlast_functions": [
        put(FUNCTION, "Properties.Timeout", 600, "ResumeFunction"),
        replace('\\"TimeoutSeconds\\":600', '\\"TimeoutSeconds\\":60', "LifecycleMachine"),
    ],
}  # fmt: skip
