"""What wakes a person: that it arrives, that it rings each time, and that it does not ring for what is meant."""

from __future__ import annotations

import json
from collections.abc import Iterator

from infra.checks.edge import LOGGED
from infra.checks.template import Json, Templates, flat, target, text

# What the functions count beside their log.
FACTS = ("stuck", "failed", "sweep_failed", "mail_not_sent", "mail_refused", "mail_unsure", "sink_refused")
READERS = ("dispatch", "publish")  # of the table's stream
MOST_METRICS = 10  # of one alarm
TURNS = "POST /v1/agents/{agent}/invoke"


def alarms_arrive(templates: Templates) -> Iterator[str]:
    """Every alarm has an action, and its topic lets CloudWatch publish."""
    used: set[str] = set()
    for name, properties in templates.of("AWS::CloudWatch::Alarm").items():
        if not properties.get("AlarmActions"):
            yield f"{name}: tells nobody"
        if properties.get("TreatMissingData") not in ("notBreaching", "breaching", "missing"):
            yield f"{name}: says nothing about missing data"
        used |= {text(action) for action in properties.get("AlarmActions", [])}
    for name, properties in templates.of("AWS::SNS::Topic").items():
        if text({"Ref": name}) not in used:
            continue
        policies = [one for one in templates.of("AWS::SNS::TopicPolicy").values() if {"Ref": name} in one["Topics"]]
        if policies and "cloudwatch.amazonaws.com" not in text(policies):
            yield f"{name}: its policy leaves CloudWatch out"
        if "KmsMasterKeyId" in properties:
            yield f"{name}: is encrypted with a key that CloudWatch may not use"


def alarms_cover(templates: Templates) -> Iterator[str]:
    """One alarm per queue and per fact that functions count, on the stream's age, and one that rings without sweep."""
    alarms = templates.of("AWS::CloudWatch::Alarm")
    watched = text(list(alarms.values()))
    for queue in templates.of("AWS::SQS::Queue"):
        if f'["{queue}", "QueueName"]' not in watched:
            yield f"{queue}: nobody watches what comes into it"
    for verb, function, _ in templates.functions():
        aged = [
            one for one in alarms.values() if one.get("MetricName") == "IteratorAge" and f'"{function}"' in text(one)
        ]
        if verb in READERS and not aged:
            yield f"{function}: nobody watches how far behind the stream it is"
    for metric in ("ExecutionsFailed", "ExecutionThrottled", *FACTS):
        if f'"{metric}"' not in watched:
            yield f"no alarm on {metric}"
    if not any(_heartbeat(one) for one in alarms.values()):
        yield "no alarm rings when sweep does not run"


def _heartbeat(alarm: Json) -> bool:
    return alarm.get("MetricName") == "Invocations" and "SweepFunction" in text(alarm)


def failures_ring_again(templates: Templates) -> Iterator[str]:
    """Queues are watched by what is put into them: by depth an alarm rings once in fourteen days."""
    for name, properties in templates.of("AWS::CloudWatch::Alarm").items():
        if properties.get("Namespace") != "AWS/SQS":
            continue
        if (properties.get("MetricName"), properties.get("Statistic")) != ("NumberOfMessagesSent", "Sum"):
            yield f"{name}: watches {properties.get('MetricName')}, which stays as it is after the first message"


def first_deploy_is_quiet(templates: Templates) -> Iterator[str]:
    """No alarm takes missing data for a fault, or a first deploy rings; sweep's rings when its data ends."""
    for name, properties in templates.of("AWS::CloudWatch::Alarm").items():
        if properties.get("TreatMissingData") == "breaching":
            yield f"{name}: rings before there is anything to measure"
        if not _heartbeat(properties):
            continue
        if properties.get("TreatMissingData") != "missing" or not properties.get("InsufficientDataActions"):
            yield f"{name}: stays silent when sweep stops, for then there is no data"


def throttles_ring(templates: Templates) -> Iterator[str]:
    """Every function is in an alarm on Throttles: ten concurrent executions are used up before anything else is."""
    watched = " ".join(
        text(one) for one in templates.of("AWS::CloudWatch::Alarm").values() if '"Throttles"' in text(one)
    )
    for _, function, _ in templates.functions():
        if f'"{function}"' not in watched:
            yield f"{function}: nobody hears that Lambda throttles it"


def alarms_fit(templates: Templates) -> Iterator[str]:
    """An alarm adds at most ten metrics up, and names each that it uses."""
    for name, properties in templates.of("AWS::CloudWatch::Alarm").items():
        parts = properties.get("Metrics", [])
        metrics = [one for one in parts if "MetricStat" in one]
        if len(metrics) > MOST_METRICS:
            yield f"{name}: {len(metrics)} metrics; CloudWatch takes {MOST_METRICS}"
        formula = " ".join(str(one.get("Expression", "")) for one in parts)
        for one in metrics:
            if f"({one['Id']}," not in formula:
                yield f"{name}: {one['Id']} is not in {formula!r}, or is nothing when it is missing"
        if "SEARCH" in formula:
            yield f"{name}: an alarm cannot search for metrics"


def turns_are_no_failures(templates: Templates) -> Iterator[str]:
    """A turn that outlives the API's 29 seconds is answered 503 by design: it is not counted, everything else from 500 on is."""
    watched = text(list(templates.of("AWS::CloudWatch::Alarm").values()))
    filters = templates.of("AWS::Logs::MetricFilter")
    stages = templates.of("AWS::ApiGatewayV2::Stage")
    if not filters:
        yield "nothing counts the API's failures"
    for name, properties in filters.items():
        pattern, metric = properties["FilterPattern"], properties["MetricTransformations"][0]["MetricName"]
        if f'($.routeKey != "{TURNS}")' not in pattern or '$.status = "5*"' not in pattern:
            yield f"{name}: {pattern} counts turns that go on, or too little"
        if f'"{metric}"' not in watched:
            yield f"{name}: no alarm on {metric}"
        if {"status", "routeKey"} - LOGGED or not any(
            _logs_into(one, target(properties["LogGroupName"])) for one in stages.values()
        ):
            yield f"{name}: reads another log than the API's"
    for name, properties in templates.of("AWS::CloudWatch::Alarm").items():
        if properties.get("Namespace") == "AWS/ApiGateway" and properties.get("MetricName") in ("5xx", "5XXError"):
            yield f"{name}: rings for turns that go on"


def _logs_into(stage: Json, group: str) -> bool:
    settings = stage.get("AccessLogSettings", {})
    fields = set(json.loads(settings.get("Format", "{}")))
    return f'"{group}"' in text(settings) and {"status", "routeKey"} <= fields


def metrics_cost_little(templates: Templates) -> Iterator[str]:
    """Our own metrics have the service as their one dimension, or none: each set of values is paid for by the month."""
    for name, properties in templates.of("AWS::CloudWatch::Alarm").items():
        if properties.get("Namespace") != "Placet":
            continue
        dimensions = [(one["Name"], one["Value"]) for one in properties.get("Dimensions", [])]
        if dimensions not in ([], [("service", "placet")]):
            yield f"{name}: dimensions {dimensions}"
    for name, properties in templates.of("AWS::Logs::MetricFilter").items():
        if any(one.get("Dimensions") for one in properties["MetricTransformations"]):
            yield f"{name}: makes a metric for each value of {properties['MetricTransformations'][0]['Dimensions']}"


def topics_speak_tls(templates: Templates) -> Iterator[str]:
    """Our topic takes nothing over plain HTTP, and nothing from another account."""
    for name in templates.of("AWS::SNS::Topic"):
        policies = [one for one in templates.of("AWS::SNS::TopicPolicy").values() if {"Ref": name} in one["Topics"]]
        statements = [one for policy in policies for one in policy["PolicyDocument"]["Statement"]]
        if not any(
            one["Effect"] == "Deny" and "aws:SecureTransport" in text(one.get("Condition")) for one in statements
        ):
            yield f"{name}: takes messages without TLS"
        for one in statements:
            open_to_all = one["Effect"] == "Allow" and "aws:SourceAccount" not in text(one.get("Condition"))
            if open_to_all:
                yield f"{name}: {flat(one.get('Principal'))} of any account may publish"
