"""Bugs that the checks of `infra.checks.account` have to find, by check: the account that it is deployed into."""

from __future__ import annotations

from typing import Any

from tests.infra.planting import FUNCTION, TRUST, Bug, each, grant, more, put, replace


def _grown(statements: list[Any]) -> None:
    statements.append({"Effect": "Allow", "Action": "execute-api:Invoke", "Resource": [{"Ref": "ApiHttp"}] * 60})


BUGS: dict[str, list[Bug]] = {
    "names_do_not_clash": [
        put(FUNCTION, "Properties.FunctionName", "capture"),
        put("AWS::SQS::Queue", "Properties.QueueName", "failures"),
        put("AWS::Scheduler::ScheduleGroup", "DeletionPolicy", "Retain"),
        put("AWS::Scheduler::ScheduleGroup", "Properties.Name", "pauses"),
    ],
    "vended_logs": [
        replace("/aws/vendedlogs/states/", "/placet/", "LifecycleLogs"),
        put("AWS::Logs::LogGroup", "Properties.RetentionInDays", 731),
        replace("ApiAccessLog", "CaptureLogs", "ApiStage"),
    ],
    "nothing_runs_at_deploy": [
        more("Custom::LogRetention"),
        more("AWS::CloudFormation::CustomResource"),
        more("AWS::EC2::NatGateway"),
        more("AWS::Events::Archive"),
    ],
    "rights_exist": [
        grant("CaptureRole", "dynamodb:TransactWriteItems"),
        grant("CaptureRole", "sesv2:SendEmail"),
        grant("CaptureRole", "dynamodb:GetItem", resource="*"),
    ],
    "policies_fit": [
        grant("ResumeRole", "bedrock:InvokeAgent", resource=[f"arn:x:agent-alias/A{n}/{'B' * 90}" for n in range(100)]),
        each("AWS::IAM::ManagedPolicy", lambda one: _grown(one["Properties"]["PolicyDocument"]["Statement"])),
    ],
    "service_roles_name_the_account": [
        put("AWS::IAM::Role", f"{TRUST}.Condition", None, "LifecycleRole"),
    ],
    "queues_take_from_everybody": [
        put("AWS::SQS::Queue", "Properties.KmsMasterKeyId", "alias/aws/sqs"),
        put("AWS::SQS::Queue", "Properties.SqsManagedSseEnabled", None),
        put("AWS::Logs::LogGroup", "Properties.KmsKeyId", "arn:x"),
    ],
    "works_in_any_partition": [
        more("AWS::SNS::Topic", DisplayName="arn:aws:sns:eu-central-1:1:x"),
        more("AWS::SNS::Topic", DisplayName="https://cognito-idp.eu-central-1.amazonaws.com/x"),
    ],
}  # fmt: skip
