"""What waits for weeks: the machine that holds a pause, and the clock that mends what was lost."""

from __future__ import annotations

import json
from collections.abc import Iterator

from infra.checks.template import Templates, flat, target

CARRIED = {"tenant.$", "pause.$", "gen.$", "token.$", "list"}  # ids, and the token where it is handed out


def machine_carries_ids(templates: Templates) -> Iterator[str]:
    """Executions carry ids: their input is readable for ninety days, and a start may be repeated only with the same one."""
    for name, properties in templates.of("AWS::StepFunctions::StateMachine").items():
        states = json.loads(flat(properties["DefinitionString"]))["States"]
        for state, one in states.items():
            if one["Type"] != "Task":
                continue
            if extra := sorted(set(one["Parameters"].get("Payload", {})) - CARRIED):
                yield f"{name}: {state} carries {extra}"
            hands_out = "token.$" in one["Parameters"].get("Payload", {})
            if hands_out != one["Resource"].endswith(".waitForTaskToken"):
                yield f"{name}: {state} hands a token out that nobody waits for, or waits for one that nobody has"
            if one.get("ResultPath", "$") is not None:
                yield f"{name}: {state} keeps what its function answered"


def machine_waits_for_weeks(templates: Templates) -> Iterator[str]:
    """A standard workflow: an express one ends after five minutes. It waits as long as its class says, not as its definition."""
    for name, properties in templates.of("AWS::StepFunctions::StateMachine").items():
        if properties.get("StateMachineType", "STANDARD") != "STANDARD":
            yield f"{name}: ends after five minutes"
        definition = json.loads(flat(properties["DefinitionString"]))
        if "TimeoutSeconds" in definition:
            yield f"{name}: ends after {definition['TimeoutSeconds']} s whatever its class says"
        waits = [one for one in definition["States"].values() if one.get("Resource", "").endswith(".waitForTaskToken")]
        if not waits or any("TimeoutSecondsPath" not in one for one in waits):
            yield f"{name}: every class waits equally long"


def sweep_runs_each_minute(templates: Templates) -> Iterator[str]:
    """One rule calls sweep every minute: whatever the stream, a timer or a mail lost, it finds."""
    sweep = next((name for verb, name, _ in templates.functions() if verb == "sweep"), "")
    rules = [
        one
        for one in templates.of("AWS::Events::Rule").values()
        if any(target(where["Arn"]) == sweep for where in one.get("Targets", []))
    ]
    if len(rules) != 1:
        yield f"{sweep}: {len(rules)} rules call it"
    for one in rules:
        if one.get("ScheduleExpression") != "rate(1 minute)" or one.get("State", "ENABLED") != "ENABLED":
            yield f"{sweep}: {one.get('ScheduleExpression')} {one.get('State', '')}"
        if "EventBusName" in one:
            yield f"{sweep}: a rate runs on the default bus only"


def given_up_within_an_hour(templates: Templates) -> Iterator[str]:
    """What is called with nobody waiting is tried for an hour at most: by then the record says what to do, and sweep does it."""
    for name, properties in templates.of("AWS::Lambda::EventInvokeConfig").items():
        if not 0 < properties.get("MaximumEventAgeInSeconds", 21_600) <= 3_600:
            yield f"{name}: may come hours late"
        if properties.get("MaximumRetryAttempts", 2) > 2:
            yield f"{name}: is tried more than three times"


def nothing_is_kept_warm(templates: Templates) -> Iterator[str]:
    """No function is paid for while it does nothing, or starts from a picture of an earlier start with its random numbers."""
    for _, name, properties in templates.functions():
        if "SnapStart" in properties:
            yield f"{name}: starts from a picture, which only versions have"
        if properties.get("EphemeralStorage", {}).get("Size", 512) > 512:
            yield f"{name}: pays for a disk"
        if properties.get("MemorySize", 128) > 1_024:
            yield f"{name}: {properties['MemorySize']} MB"
        if "FileSystemConfigs" in properties or "DeadLetterConfig" in properties:
            yield f"{name}: has what a VPC needs, or a second queue for failures"
    for kind in ("AWS::ApplicationAutoScaling::ScalableTarget", "AWS::ApplicationAutoScaling::ScalingPolicy"):
        for name in templates.of(kind):
            yield f"{name}: keeps functions warm"


def layers_fit_functions(templates: Templates) -> Iterator[str]:
    """Every function has the three layers in the one order in which they change, and its own folder as its only code."""
    orders = {json.dumps(one.get("Layers", [])) for _, _, one in templates.functions()}
    layers = list(templates.of("AWS::Lambda::LayerVersion"))
    for _, name, properties in templates.functions():
        used = [target(one) for one in properties.get("Layers", [])]
        if sorted(used) != sorted(layers) or len(orders) != 1:
            yield f"{name}: layers {used}"
        if properties.get("Handler") != "handler.handler" or "S3Key" not in properties.get("Code", {}):
            yield f"{name}: runs {properties.get('Handler')} of {sorted(properties.get('Code', {}))}"
