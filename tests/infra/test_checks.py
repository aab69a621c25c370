"""Each check finds the bug it is there for, names the resource, and finds nothing in what we deploy."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from infra.checks import CHECKS, Templates, findings
from tests.infra.planting import Bug, each, first, grant, keys, more, put, replace, statement, strip

BUCKET, SSE = "AWS::S3::Bucket", "Properties.BucketEncryption.ServerSideEncryptionConfiguration.0"
FUNCTION, MAPPING, TABLE = "AWS::Lambda::Function", "AWS::Lambda::EventSourceMapping", "AWS::DynamoDB::Table"
TRUST = "Properties.AssumeRolePolicyDocument.Statement.0"
FILTER = "Properties.FilterCriteria.Filters.1.Pattern"
LEVEL = json.dumps({"dynamodb": {"NewImage": {"open_calls": {"N": ["0"]}}}})
NUMERIC = json.dumps({"dynamodb": {"OldImage": {"a": {"N": [{"numeric": ["=", 0]}]}}}})
EVENT_NAME = json.dumps({"eventName": ["INSERT"], "dynamodb": {"OldImage": {"a": {"S": ["b"]}}}})


def _told(target: dict[str, Any]) -> Bug:
    """Every function is told of one more agent, and no right comes with it."""
    entry = {"name": "planted", "role": "planted", "owner": "o@example.com", "target": target}

    def bug(templates: Templates) -> None:
        for _, _, properties in templates.functions():
            variables = properties["Environment"]["Variables"]
            variables["PLACET_AGENTS"] = json.dumps([*json.loads(variables["PLACET_AGENTS"]), entry])

    return bug


def _grown(statements: list[Any]) -> None:
    statements.append({"Effect": "Allow", "Action": "execute-api:Invoke", "Resource": [{"Ref": "ApiHttp"}] * 60})


def _renamed(route: Any, old: str, new: str) -> None:
    if route["Properties"]["RouteKey"] == old:
        route["Properties"]["RouteKey"] = new


# Check → bugs that it has to find.
BUGS: dict[str, list[Bug]] = {
    "data_stack_can_roll_back": [
        lambda t: t.data["Resources"].update(Planted={"Type": "AWS::Cognito::UserPoolDomain", "Properties": {}})
    ],
    "kept_but_no_orphans": [
        put(TABLE, "DeletionPolicy", "Retain"),
        put(BUCKET, "DeletionPolicy", "Retain"),
        put(BUCKET, "UpdateReplacePolicy", "Delete"),
        put("AWS::KMS::Key", "UpdateReplacePolicy", "Delete"),
        put("AWS::Cognito::UserPool", "Properties.DeletionProtection", "INACTIVE"),
    ],
    "table_recovers": [
        put(TABLE, "Properties.PointInTimeRecoverySpecification", None),
        put(TABLE, "Properties.SSESpecification.KMSMasterKeyId", None),
        put(TABLE, "Properties.StreamSpecification.StreamViewType", "NEW_IMAGE"),
        put(TABLE, "Properties.TimeToLiveSpecification", None),
        put(TABLE, "Properties.BillingMode", "PROVISIONED"),
    ],
    "kms_follows_data": [
        strip("OperateRole", "kms:Decrypt"),
        statement("CaptureRole", "s3.", lambda one: one["Action"].remove("kms:GenerateDataKey")),
        statement("ReviewRole", "s3.", lambda one: one.pop("Condition")),
        statement("ReviewRole", "s3.", lambda one: one.update(Action=["kms:Decrypt", "kms:GenerateDataKey"])),
        strip("ResumeRole", '"s3.'),
        strip("CaptureRole", "kms:Decrypt"),
        statement("ReviewRole", "kms:Decrypt", lambda one: one.pop("Condition")),
        statement("SweepRole", "kms:Decrypt", lambda one: one["Action"].remove("kms:Encrypt")),
    ],
    "partitions_are_named": [
        grant("ReviewRole", "dynamodb:GetItem"),
        grant("ReviewRole", "dynamodb:Scan", **keys("T#*#P#*")),
        grant("SweepRole", "dynamodb:PartiQLSelect", **keys("T#*#P#*")),
    ],
    "conditions_need_their_keys": [
        statement("ReviewRole", "LeadingKeys", lambda one: one["Condition"].pop("Null")),
        statement("DecideRole", "LeadingKeys", lambda one: one["Condition"]["Null"].update({"dynamodb:LeadingKeys": "true"})),
        grant("SweepRole", "dynamodb:GetItem", **{**keys("T#*#P#*"), "Null": {"aws:PrincipalArn": "false"}}),
    ],
    "tokens_are_private": [
        grant("ReviewRole", "dynamodb:GetItem", **keys("T#*#K#*")),
        grant("SweepRole", "dynamodb:GetItem", **keys("T#*")),
        grant("DispatchRole", "dynamodb:UpdateItem", **keys("T#*#K#*")),
        grant("EscalateRole", "dynamodb:Query", **keys("T#*#P#*", "T#*#*")),
    ],
    "runs_are_told_by_who_asks": [
        grant("ReviewRole", "dynamodb:GetItem", **keys("T#*#N#*")),
        grant("PickUpRole", "dynamodb:PutItem", **keys("T#*#N#*")),
        grant("ResumeRole", "dynamodb:DeleteItem", **keys("T#*#N#*")),
        grant("SweepRole", "dynamodb:GetItem", **keys("T#*#P#*", "T#*#N#*")),
    ],
    "memberships_come_from_outside": [
        grant("DecideRole", "dynamodb:PutItem", **keys("T#*#U#*")),
        grant("SweepRole", "dynamodb:UpdateItem", **keys("T#*#P#*", "T#*#G#*")),
    ],
    "badges_come_from_the_sign_in": [
        grant("DecideRole", "dynamodb:PutItem", **keys("T#*#I#*")),
        grant("OperateRole", "dynamodb:UpdateItem", **keys("T#*#P#*", "T#*#J#*")),
        grant("SignInRole", "dynamodb:UpdateItem", **keys("T#*#I#*")),
    ],
    "deletes_are_few": [
        grant("DecideRole", "dynamodb:DeleteItem", **keys("T#*#P#*")),
        grant("SignInRole", "dynamodb:DeleteItem", **keys("T#*#U#*")),
    ],
    "queries_stay_on_work": [
        grant("ReviewRole", "dynamodb:Query", resource="arn:x:table/y/index/*", **keys("T#*#Q#*")),
        grant("SweepRole", "dynamodb:GetItem", resource="arn:x:table/y/index/work", **keys("T#*#Q#*")),
    ],
    "references_exist": [
        lambda t: t.data["Outputs"].pop(next(name for name in t.data["Outputs"] if name.startswith("Publish"))),
        more("AWS::SNS::Topic", DisplayName={"Fn::ImportValue": "x"}),
        lambda t: t.gateway["Outputs"]["ApiId"].update(Export={"Name": "x"}),
        more("AWS::SNS::Topic", DisplayName={"Fn::GetStackOutput": {"StackName": "Other", "OutputName": "x"}}),
    ],
    "bodies_are_kept_close": [
        put(BUCKET, "Properties.PublicAccessBlockConfiguration.BlockPublicPolicy", False),
        put(BUCKET, "Properties.PublicAccessBlockConfiguration", None),
        put(BUCKET, "Properties.OwnershipControls", None),
        lambda t: t.data["Resources"].pop(first(t, "AWS::S3::BucketPolicy")[0]),
        put("AWS::S3::BucketPolicy", "Properties.PolicyDocument.Statement.0.Effect", "Allow"),
        put("AWS::S3::BucketPolicy", "Properties.PolicyDocument.Statement.0.Condition", {"Bool": {"x": "false"}}),
        grant("OperateRole", "s3:GetObject", resource="arn:x:Bodies/*"),
        grant("ReviewRole", "s3:PutObject", resource="arn:x:Bodies/*"),
        grant("CaptureRole", "s3:DeleteObject", resource="arn:x:Bodies/*"),
        grant("ReviewRole", "s3:GetObject", resource="arn:x:other/*"),
        grant("ReviewRole", "s3:GetObject", resource="*"),
    ],
    "bodies_are_not_lost": [
        put(BUCKET, "Properties.BucketEncryption", None),
        put(BUCKET, f"{SSE}.ServerSideEncryptionByDefault", {"SSEAlgorithm": "AES256"}),
        put(BUCKET, f"{SSE}.ServerSideEncryptionByDefault.KMSMasterKeyID", "alias/aws/s3"),
        put(BUCKET, f"{SSE}.BucketKeyEnabled", None),
        put(BUCKET, "Properties.VersioningConfiguration", None),
        put(BUCKET, "Properties.LifecycleConfiguration.Rules.0.ExpirationInDays", 30),
        put(BUCKET, "Properties.LifecycleConfiguration.Rules.0.NoncurrentVersionExpiration", None),
        put(BUCKET, "Properties.LifecycleConfiguration.Rules.0.AbortIncompleteMultipartUpload", None),
    ],
    "operators_never_decide": [
        grant("OperateRole", "dynamodb:GetItem", **keys("T#*#K#*")),
        grant("OperateRole", "dynamodb:Query", **keys("T#*#P#*", "T#*#U#*")),
        grant("OperateRole", "dynamodb:GetItem", **keys("T#*#S#*")),
        grant("OperateRole", "states:StartExecution"),
        grant("OperateRole", "lambda:InvokeFunction"),
        grant("OperateRole", "dynamodb:UpdateItem", **keys("T#*#F#*")),
    ],
    "only_operators_freeze": [
        grant("SweepRole", "dynamodb:PutItem", **keys("T#*#F#*")),
        grant("DecideRole", "dynamodb:PutItem", **keys("T#*#F#*")),
        grant("ReviewRole", "dynamodb:GetItem", **keys("T#*#F#*")),
        strip("ExecuteRole", "T#*#F#*"),
        strip("InvokeAgentRole", "T#*#F#*"),
        strip("ResumeRole", "T#*#F#*"),
    ],
    "functions_own_their_logs": [
        put(FUNCTION, "Properties.LoggingConfig.LogGroup", None),
        put(FUNCTION, "Properties.LoggingConfig.ApplicationLogLevel", "WARN"),
        put(FUNCTION, "Properties.LoggingConfig.LogFormat", "Text"),
        put(FUNCTION, "Properties.LoggingConfig.LogGroup", {"Ref": "NoSuchGroup"}),
    ],
    "functions_own_their_role": [
        lambda t: put(FUNCTION, "Properties.Role", first(t, FUNCTION, "Notify")[1]["Properties"]["Role"])(t),
        put("AWS::IAM::Role", "Properties.ManagedPolicyArns", ["arn:x:AWSLambdaBasicExecutionRole"]),
        grant("CaptureRole", "logs:CreateLogGroup"),
    ],
    "no_reservations": [
        put(FUNCTION, "Properties.ReservedConcurrentExecutions", 1),
        more("AWS::Lambda::Alias", Name="live"),
    ],
    "functions_run_as_built": [
        put(FUNCTION, "Properties.Architectures", ["x86_64"]),
        put(FUNCTION, "Properties.Runtime", "python3.12"),
        put(FUNCTION, "Properties.VpcConfig", {}),
        put(FUNCTION, "Properties.TracingConfig", {"Mode": "Active"}),
        put(FUNCTION, "Properties.RecursiveLoop", None),
        put("AWS::Lambda::LayerVersion", "Properties.CompatibleArchitectures", ["x86_64"]),
    ],
    "environments_fit": [
        put(FUNCTION, "Properties.Environment.Variables.PLACET_AGENTS", "[" + " " * 4_000 + "]", "NotifyFunction"),
        put(FUNCTION, "Properties.Environment.Variables.PLACET_MORE", {"Fn::Join": ["", [{"Ref": "X"}] * 40]}),
    ],
    "api_functions_answer_in_time": [
        put(FUNCTION, "Properties.Timeout", 30, "DecideFunction"),
        each("AWS::ApiGatewayV2::Route", lambda one: _renamed(one, "GET /v1/runs/{id}", "GET /v1/runs")),
    ],
    "turns_are_not_repeated": [
        put("AWS::Lambda::EventInvokeConfig", "Properties.MaximumRetryAttempts", 2, "InvokeAgent"),
        put("AWS::Lambda::EventInvokeConfig", "Properties.MaximumRetryAttempts", None, "InvokeAgent"),
        lambda t: t.gateway["Resources"].pop(first(t, "AWS::Lambda::EventInvokeConfig", "InvokeAgent")[0]),
    ],
    "stream_is_edges": [
        put(MAPPING, FILTER, LEVEL),
        put(MAPPING, FILTER, NUMERIC),
        put(MAPPING, FILTER, EVENT_NAME),
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
        put(MAPPING, "Properties.ParallelizationFactor", 10),
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
    "resume_calls_the_registry": [
        grant("ResumeRole", "lambda:InvokeFunction", resource="arn:x:lambda:r:a:function:other"),
        strip("ResumeRole", "lambda:InvokeFunction"),
        replace("function:placet-refund-executor", "function:placet-refund-actions", "ResumeRoleDefaultPolicy"),
        grant("ResumeRole", "sqs:SendMessage", resource="arn:x:sqs:r:a:other.fifo"),
        grant("ResumeRole", "secretsmanager:GetSecretValue", resource="arn:x:secretsmanager:r:a:secret:other-??????"),
        _told({"kind": "sqs", "queue": "decided.fifo"}),
        _told({"kind": "webhook", "url": "https://a.example.com/", "secret": "hook"}),
        _told({"kind": "lambda", "function": "other"}),
    ],
    "what_is_pushed_to_has_its_form": [
        grant("ResumeRole", "sqs:GetQueueUrl", "sqs:SendMessage", resource="arn:x:sqs:r:a:decided"),
        grant("ResumeRole", "secretsmanager:GetSecretValue", resource="arn:x:secretsmanager:r:a:secret:hook"),
        grant("ResumeRole", "secretsmanager:GetSecretValue", resource="arn:x:secretsmanager:r:a:secret:hook*"),
        grant("NotifyRole", "secretsmanager:GetSecretValue", resource="arn:x:secretsmanager:r:a:secret:hook-??????"),
    ],
    "turns_are_asked_of_aliases": [
        replace(":agent-alias/AGENT12345/TSTALIASID", ":agent/AGENT12345", "ResumeRoleDefaultPolicy"),
        replace(":agent-alias/AGENT12345/TSTALIASID", ":agent-alias/AGENT12345/*", "ResumeRoleDefaultPolicy"),
        grant("ResumeRole", "bedrock:InvokeAgent", resource="arn:x:bedrock:r:a:agent-alias/OTHER/TSTALIASID"),
        strip("ResumeRole", "bedrock:InvokeAgent"),
        strip("InvokeAgentRole", "bedrock:InvokeAgent"),
        grant("ResumeRole", "bedrock:InvokeInlineAgent", resource="*"),
        grant("ResumeRole", "bedrock:InvokeModel", resource="arn:x:bedrock:r::foundation-model/m"),
        grant("SweepRole", "bedrock:InvokeAgent", resource="arn:x:bedrock:r:a:agent-alias/AGENT12345/TSTALIASID"),
        _told({"kind": "bedrock", "agent_id": "OTHER", "alias_id": "A", "executor": "x", "session_ttl_s": 60}),
    ],
    "routes_ask_who": [
        put("AWS::ApiGatewayV2::Route", "Properties.AuthorizationType", "NONE"),
        put("AWS::ApiGatewayV2::Route", "Properties.RouteKey", "$default"),
        each("AWS::ApiGatewayV2::Route", lambda one: one["Properties"].pop("AuthorizationScopes", None)),
        more("AWS::ApiGatewayV2::Route", RouteKey="GET /v1/resumes", AuthorizationType="JWT", AuthorizationScopes=["a"]),
    ],
    "api_has_a_brake": [
        put("AWS::ApiGatewayV2::Stage", "Properties.DefaultRouteSettings", None),
        put("AWS::ApiGatewayV2::Stage", "Properties.AccessLogSettings", None),
        replace("$context.routeKey", "$context.path", "ApiStage"),
    ],
    "one_permission_per_function": [
        lambda t: t.gateway["Resources"].update(Second=_permission(t)),
    ],
    "callers_get_their_routes": [
        replace("/$default/GET/v1/gates", "/$default/GET/v1/operations/stuck", "ApiAgentAccess"),
        replace("/$default/GET/v1/operations/stuck", "/$default/POST/v1/pauses", "ApiOperatorAccess"),
        replace("/$default/POST/v1/operations/freeze", "/*/POST/v1/operations/freeze", "ApiOperatorAccess"),
        grant("SweepRole", "execute-api:Invoke", resource="arn:x:execute-api:r:a:api/$default/GET/v1/gates"),
        replace("/$default/GET/v1/gates", "/*/GET/v1/gates", "ApiAgentAccess"),
        replace("/$default/GET/v1/gates", "/$default/*/v1/gates", "ApiAgentAccess"),
        replace("/$default/GET/v1/gates", "/$default/GET/v1/reviews", "ApiAgentAccess"),
        replace("/$default/POST/v1/calls/*/claim", "/$default/POST/v1/pauses", "ApiActionAccess"),
    ],
    "login_is_narrow": [
        put("AWS::Cognito::UserPoolClient", "Properties.AllowedOAuthFlows", ["code", "implicit"]),
        put("AWS::Cognito::UserPoolClient", "Properties.AllowedOAuthScopes.0", "aws.cognito.signin.user.admin"),
        put("AWS::Cognito::UserPoolClient", "Properties.PreventUserExistenceErrors", None),
        put("AWS::Cognito::UserPoolClient", "Properties.WriteAttributes", ["email"]),
        put("AWS::Cognito::UserPoolClient", "Properties.WriteAttributes", ["custom:groups"]),
        put("AWS::Cognito::UserPoolClient", "Properties.AccessTokenValidity", 60),
        put("AWS::Cognito::UserPoolClient", "Properties.GenerateSecret", True),
        lambda t: t.gateway["Resources"].pop(first(t, "AWS::Cognito::ManagedLoginBranding")[0]),
        put("AWS::Cognito::UserPoolDomain", "Properties.Domain", "placet"),
    ],
    "pool_can_stay": [
        put("AWS::Cognito::UserPool", "Properties.Schema", []),
        put("AWS::Cognito::UserPool", "Properties.UsernameConfiguration", None),
        put("AWS::Cognito::UserPool", "Properties.AdminCreateUserConfig", {}),
        put("AWS::Cognito::UserPool", "Properties.EnabledMfas", ["SMS_MFA"]),
        put("AWS::Cognito::UserPool", "Properties.UserPoolTier", None),
        put("AWS::Cognito::UserPool", "Properties.AccountRecoverySetting", {}),
    ],
    "mail_can_be_sent": [
        replace(":configuration-set/", ":identity/", "NotifyRoleDefaultPolicy"),
        grant("SweepRole", "ses:SendEmail", resource=["arn:identity/a", "arn:configuration-set/b"]),
        more("AWS::SES::EmailIdentity", EmailIdentity="a@example.com"),
        put("AWS::SES::ConfigurationSet", "Properties.TrackingOptions", {}),
    ],
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
        put("AWS::CloudWatch::Alarm", "Properties.TreatMissingData", "notBreaching", "AlarmsSweepMissing"),
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


def _permission(templates: Templates) -> Any:
    return next(
        one for one in templates.gateway["Resources"].values()
        if one["Type"] == "AWS::Lambda::Permission" and one["Properties"]["Principal"] == "apigateway.amazonaws.com"
    )  # fmt: skip


CASES = [
    pytest.param(name, bug, id=f"{name}-{number}") for name, bugs in BUGS.items() for number, bug in enumerate(bugs)
]


def test_what_we_deploy_has_no_finding(templates: Templates) -> None:
    assert [f"{check.__name__}: {what}" for check, what in findings(templates)] == []


def test_every_check_has_a_planted_bug() -> None:
    assert set(BUGS) == {check.__name__ for check in CHECKS}
    assert all((check.__doc__ or "").strip() for check in CHECKS)


@pytest.mark.parametrize(("name", "bug"), CASES)
def test_the_check_finds_its_bug(name: str, bug: Bug, broken: Callable[[Bug], Templates]) -> None:
    check = next(check for check in CHECKS if check.__name__ == name)
    found = list(check(broken(bug)))
    assert found, f"{name} overlooks the planted bug"
    assert all(len(what) < 300 for what in found)
