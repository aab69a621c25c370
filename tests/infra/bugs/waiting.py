"""Bugs that the checks of `infra.checks.waiting` have to find, by check: the machine, its clock, and what is called by them."""

from __future__ import annotations

from tests.infra.planting import FUNCTION, Bug, more, put, replace

MACHINE, RULE, ASYNC = "AWS::StepFunctions::StateMachine", "AWS::Events::Rule", "AWS::Lambda::EventInvokeConfig"
MINUTE = "SweepEveryMinute"

BUGS: dict[str, list[Bug]] = {
    "machine_carries_ids": [
        replace('\\"pause.$\\"', '\\"arguments.$\\"', "LifecycleMachine"),
        replace(".waitForTaskToken", "", "LifecycleMachine"),
        replace('\\"ResultPath\\":null', '\\"ResultPath\\":\\"$.answer\\"', "LifecycleMachine"),
    ],
    "machine_waits_for_weeks": [
        put(MACHINE, "Properties.StateMachineType", "EXPRESS"),
        replace('{\\"StartAt\\"', '{\\"TimeoutSeconds\\":60,\\"StartAt\\"', "LifecycleMachine"),
        replace("TimeoutSecondsPath", "HeartbeatSecondsPath", "LifecycleMachine"),
    ],
    "sweep_runs_each_minute": [
        put(RULE, "Properties.ScheduleExpression", "rate(1 hour)", MINUTE),
        put(RULE, "Properties.State", "DISABLED", MINUTE),
        put(RULE, "Properties.EventBusName", "placet", MINUTE),
        put(RULE, "Properties.Targets", [], MINUTE),
    ],
    "given_up_within_an_hour": [
        put(ASYNC, "Properties.MaximumEventAgeInSeconds", 21_600),
        put(ASYNC, "Properties.MaximumEventAgeInSeconds", None),
        put(ASYNC, "Properties.MaximumRetryAttempts", 5),
    ],
    "nothing_is_kept_warm": [
        put(FUNCTION, "Properties.SnapStart", {"ApplyOn": "PublishedVersions"}),
        put(FUNCTION, "Properties.MemorySize", 3_008),
        put(FUNCTION, "Properties.EphemeralStorage", {"Size": 1_024}),
        put(FUNCTION, "Properties.FileSystemConfigs", []),
        more("AWS::ApplicationAutoScaling::ScalableTarget"),
    ],
    "layers_fit_functions": [
        put(FUNCTION, "Properties.Layers", []),
        put(FUNCTION, "Properties.Layers.0", "arn:x:lambda:r:a:layer:other:1"),
        put(FUNCTION, "Properties.Handler", "index.handler"),
        put(FUNCTION, "Properties.Code", {"ZipFile": "x"}),
    ],
}
