"""What the emulator tells as AWS does: simulated policies with their context, alarms with their actions, what a pool demands."""

from __future__ import annotations

import json
import time

import pytest
from botocore.exceptions import ClientError

from tests.local.conftest import allow

TABLE = "arn:aws:dynamodb:us-east-1:000000000000:table/t"
CONDITION = {
    "ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["T#*#P#*"]},
    "Null": {"dynamodb:LeadingKeys": "false"},
}


@pytest.mark.parametrize(
    ("partitions", "decision"),
    [
        (["T#main#P#1"], "allowed"),
        (["T#main#K#1"], "implicitDeny"),
        (["T#main#P#1", "T#main#K#1"], "implicitDeny"),
        ([], "implicitDeny"),
    ],
)
def test_a_simulated_policy_is_judged_with_its_context(bench, partitions, decision):
    role = bench.role(allow(["dynamodb:GetItem"], TABLE, **CONDITION))
    entry = {"ContextKeyName": "dynamodb:LeadingKeys", "ContextKeyType": "stringList", "ContextKeyValues": partitions}
    answer = bench.aws.client("iam").simulate_principal_policy(
        PolicySourceArn=role,
        ActionNames=["dynamodb:GetItem"],
        ResourceArns=[TABLE],
        ContextEntries=[entry] if partitions else [],
    )
    assert [one["EvalDecision"] for one in answer["EvaluationResults"]] == [decision]


def test_an_alarm_remembers_whom_it_told(bench):
    cloudwatch, name = bench.aws.client("cloudwatch"), bench.name("alarm")
    topic = bench.aws.client("sns").create_topic(Name=bench.name("topic"))["TopicArn"]
    cloudwatch.put_metric_alarm(
        AlarmName=name, Namespace="n", MetricName="m", Statistic="Sum", Period=300, EvaluationPeriods=1, Threshold=1,
        ComparisonOperator="GreaterThanOrEqualToThreshold", AlarmActions=[topic], TreatMissingData="notBreaching",
    )  # fmt: skip
    cloudwatch.set_alarm_state(AlarmName=name, StateValue="ALARM", StateReason="a trial")
    cloudwatch.set_alarm_state(AlarmName=name, StateValue="OK", StateReason="a trial")
    told = cloudwatch.describe_alarm_history(AlarmName=name, HistoryItemType="Action")["AlarmHistoryItems"]
    assert [one["HistorySummary"] for one in told] == [f"Successfully executed action {topic}"]
    states = cloudwatch.describe_alarm_history(AlarmName=name, HistoryItemType="StateUpdate")["AlarmHistoryItems"]
    assert any(one["HistorySummary"].endswith("to ALARM") for one in states)


def test_people_sign_in_with_a_password_alone_and_the_pool_says_what_was_deployed(bench):
    cognito, password = bench.aws.client("cognito-idp"), "Maria-decides-2026"
    pool = cognito.create_user_pool(PoolName=bench.name("pool"), MfaConfiguration="ON")["UserPool"]["Id"]
    client = cognito.create_user_pool_client(
        UserPoolId=pool,
        ClientName="c",
        ExplicitAuthFlows=["ALLOW_ADMIN_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"],
    )["UserPoolClient"]["ClientId"]
    cognito.admin_create_user(UserPoolId=pool, Username="maria")
    cognito.admin_set_user_password(UserPoolId=pool, Username="maria", Password=password, Permanent=True)
    # Whoever has enrolled is asked for a code, but for the exchange.
    cognito.admin_set_user_mfa_preference(
        UserPoolId=pool, Username="maria", SoftwareTokenMfaSettings={"Enabled": True, "PreferredMfa": True}
    )
    answer = cognito.admin_initiate_auth(
        UserPoolId=pool, ClientId=client, AuthFlow="ADMIN_USER_PASSWORD_AUTH",
        AuthParameters={"USERNAME": "maria", "PASSWORD": password},
    )  # fmt: skip
    assert "ChallengeName" not in answer
    assert answer["AuthenticationResult"]["AccessToken"]
    assert cognito.describe_user_pool(UserPoolId=pool)["UserPool"]["MfaConfiguration"] == "ON"


def test_a_bus_stays_while_somebody_listens_and_a_rule_while_it_tells_somebody(bench):
    events, bus = bench.aws.client("events"), bench.name("bus")
    cloudformation = bench.aws.client("cloudformation")
    template = {"Resources": {"Bus": {"Type": "AWS::Events::EventBus", "Properties": {"Name": bus}}}}
    cloudformation.create_stack(StackName=bus, TemplateBody=json.dumps(template))
    cloudformation.get_waiter("stack_create_complete").wait(StackName=bus, WaiterConfig={"Delay": 1})
    events.put_rule(Name="theirs", EventBusName=bus, EventPattern='{"source": ["placet"]}')
    events.put_targets(Rule="theirs", EventBusName=bus, Targets=[{"Id": "queue", "Arn": bench.queue()[1]}])
    for refused, said in (
        (lambda: events.delete_event_bus(Name=bus), "EventBus can't be deleted since it has rules."),
        (lambda: events.delete_rule(Name="theirs", EventBusName=bus), "Rule can't be deleted since it has targets."),
    ):
        with pytest.raises(ClientError, match=f"ValidationException.*{said}"):
            refused()
    cloudformation.delete_stack(StackName=bus)
    assert stack_ended(cloudformation, bus) == "DELETE_FAILED"
    events.remove_targets(Rule="theirs", EventBusName=bus, Ids=["queue"])
    events.delete_rule(Name="theirs", EventBusName=bus)
    cloudformation.delete_stack(StackName=bus)
    cloudformation.get_waiter("stack_delete_complete").wait(StackName=bus, WaiterConfig={"Delay": 1})


def stack_ended(cloudformation, name):
    """What its deletion came to."""
    for _ in range(50):
        status = cloudformation.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"]
        if status.startswith("DELETE_") and status != "DELETE_IN_PROGRESS":
            return status
        time.sleep(0.1)
    raise AssertionError(status)
