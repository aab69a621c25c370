"""Smoke's alarm: set by hand, so that its mail is seen, and back."""

from __future__ import annotations

from typing import Any

from infra.smoke_ground import Ground, SmokeFailed, SmokeSkipped, demand

REASON = "placet smoke: a trial, nothing is wrong"


def alarm(ground: Ground) -> str:
    """The alarm of the stuck list rings, its topic takes what it says, and it is quiet again."""
    cloudwatch = ground.client("cloudwatch")
    name = ground.physical("AWS::CloudWatch::Alarm", "AlarmsStuck")
    (found,) = cloudwatch.describe_alarms(AlarmNames=[name])["MetricAlarms"]
    if found["StateValue"] == "ALARM":
        raise SmokeSkipped("it rings already: a pause is on the stuck list (placet stuck)")
    actions = found.get("AlarmActions", [])
    demand(bool(actions), f"{name} has no action")
    before = found["StateValue"]
    known = set(_actions(cloudwatch, name))
    ground.undo.note(f"state of alarm {name}", _set, cloudwatch, name, before)
    _set(cloudwatch, name, "ALARM")
    new = ground.until(
        lambda: [one for one in _actions(cloudwatch, name) if one not in known], "the alarm's history has no new action"
    )
    (_, told) = new[0]
    demand("Successfully" in told, f"the alarm could not tell its topic: {told}")
    _set(cloudwatch, name, before)
    return f"{name.rpartition('-')[0] or name} rang and is quiet again; {_heard(ground, actions[0])}"


def _set(cloudwatch: Any, name: str, state: str) -> None:
    cloudwatch.set_alarm_state(AlarmName=name, StateValue=state, StateReason=REASON)


def _actions(cloudwatch: Any, name: str) -> list[tuple[str, str]]:
    """When and how the alarm told somebody, newest first."""
    entries = cloudwatch.describe_alarm_history(AlarmName=name, HistoryItemType="Action", MaxRecords=20)
    return [(str(one["Timestamp"]), str(one["HistorySummary"])) for one in entries["AlarmHistoryItems"]]


def _heard(ground: Ground, topic: str) -> str:
    subscriptions = ground.client("sns").list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]
    if not subscriptions:
        return "nobody hears it: set alarm_mail"
    waiting = [one["Endpoint"] for one in subscriptions if one["SubscriptionArn"] == "PendingConfirmation"]
    if waiting:
        raise SmokeFailed(f"{', '.join(waiting)} has not confirmed the subscription: follow the link in AWS's mail")
    return f"{', '.join(one['Endpoint'] for one in subscriptions)} was told"
