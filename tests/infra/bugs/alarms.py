"""Bugs that the checks of `infra.checks.alarms` have to find, by check."""

from __future__ import annotations

from typing import Any

from tests.infra.planting import Bug, each, first, more, put, replace

ALARM, FILTER = "AWS::CloudWatch::Alarm", "AWS::Logs::MetricFilter"


def _metrics(count: int) -> list[dict[str, Any]]:
    found = [{"Id": f"m{one}", "MetricStat": {"Metric": {}}} for one in range(count)]
    return [*found, {"Id": "sum", "Expression": " + ".join(f"FILL({one['Id']}, 0)" for one in found)}]


def _without(policy: Any, key: str) -> None:
    for one in policy["Properties"]["PolicyDocument"]["Statement"]:
        one.pop(key, None)


BUGS: dict[str, list[Bug]] = {
    "alarms_arrive": [
        put("AWS::CloudWatch::Alarm", "Properties.AlarmActions", []),
        put("AWS::CloudWatch::Alarm", "Properties.TreatMissingData", None),
        replace("cloudwatch.amazonaws.com", "ses.amazonaws.com", "AlarmsTopicPolicy"),
        put("AWS::SNS::Topic", "Properties.KmsMasterKeyId", "alias/aws/sns"),
    ],
    "alarms_cover": [
        more("AWS::SQS::Queue", SqsManagedSseEnabled=True),
        lambda t: t.gateway["Resources"].pop(first(t, "AWS::CloudWatch::Alarm", "AlarmsStreamBehind")[0]),
        lambda t: t.gateway["Resources"].pop(first(t, "AWS::CloudWatch::Alarm", "AlarmsBusBehind")[0]),
        lambda t: t.gateway["Resources"].pop(first(t, "AWS::CloudWatch::Alarm", "AlarmsSinkRefused")[0]),
        lambda t: t.gateway["Resources"].pop(first(t, "AWS::CloudWatch::Alarm", "AlarmsFailed")[0]),
        lambda t: t.gateway["Resources"].pop(first(t, "AWS::CloudWatch::Alarm", "AlarmsSweepMissing")[0]),
    ],
    "failures_ring_again": [
        put(ALARM, "Properties.MetricName", "ApproximateNumberOfMessagesVisible", "AlarmsStreamFailures"),
        put(ALARM, "Properties.Statistic", "Maximum", "AlarmsAsyncFailures"),
    ],
    "first_deploy_is_quiet": [
        put(ALARM, "Properties.TreatMissingData", "breaching", "AlarmsSweepMissing"),
        put(ALARM, "Properties.TreatMissingData", "notBreaching", "AlarmsSweepMissing"),
        put(ALARM, "Properties.InsufficientDataActions", [], "AlarmsSweepMissing"),
    ],
    "throttles_ring": [
        lambda t: t.gateway["Resources"].pop(first(t, ALARM, "AlarmsThrottledCapture")[0]),
        replace('"Throttles"', '"Errors"', "AlarmsThrottledSweep"),
    ],
    "alarms_fit": [
        put(ALARM, "Properties.Metrics", _metrics(11)),
        put(ALARM, "Properties.Metrics", [*_metrics(2)[:2], {"Id": "sum", "Expression": "m0 + m1"}]),
        put(ALARM, "Properties.Metrics", [{"Id": "sum", "Expression": "SUM(SEARCH('x'))"}]),
    ],
    "turns_are_no_failures": [
        lambda t: t.gateway["Resources"].pop(first(t, FILTER)[0]),
        put(FILTER, "Properties.FilterPattern", '{ $.status = "5*" }'),
        put(FILTER, "Properties.LogGroupName", {"Ref": "SweepLogs0"}),
        put(FILTER, "Properties.MetricTransformations.0.MetricName", "other"),
        replace('\\"routeKey\\": \\"$context.routeKey\\", ', "", "ApiStage"),
        more(ALARM, Namespace="AWS/ApiGateway", MetricName="5xx"),
    ],
    "metrics_cost_little": [
        put(ALARM, "Properties.Dimensions", [{"Name": "agent", "Value": "a"}], "AlarmsStuck"),
        put(FILTER, "Properties.MetricTransformations.0.Dimensions", [{"Key": "route", "Value": "$.routeKey"}]),
    ],
    "topics_speak_tls": [
        lambda t: t.gateway["Resources"].pop(first(t, "AWS::SNS::TopicPolicy")[0]),
        each("AWS::SNS::TopicPolicy", lambda one: _without(one, "Condition")),
    ],
}  # fmt: skip
