"""Bugs that the checks of `infra.checks.reach` have to find, by check: who may reach what."""

from __future__ import annotations

from tests.infra.planting import TRUST, Bug, first, grant, more, put, statement

ROLE, KEY, QUEUE = "AWS::IAM::Role", "AWS::KMS::Key", "AWS::SQS::Queue"
POLICY = "Properties.KeyPolicy.Statement.0"
ANYBODY = {"Effect": "Allow", "Action": "sqs:SendMessage", "Principal": "*", "Resource": "arn:x"}

BUGS: dict[str, list[Bug]] = {
    "rights_are_spelled_out": [
        grant("CaptureRole", "dynamodb:*"),
        statement("CaptureRole", "kms:GenerateMac", lambda one: one.update(NotAction=one.pop("Action"))),
        statement("CaptureRole", "kms:GenerateMac", lambda one: one.update(Effect="Deny")),
    ],
    "functions_change_nothing": [
        grant("SweepRole", "lambda:UpdateFunctionCode"),
        grant("ReviewRole", "cognito-idp:AdminSetUserPassword"),
        grant("OperateRole", "kms:ScheduleKeyDeletion"),
        grant("NotifyRole", "scheduler:DeleteScheduleGroup"),
        grant("ResumeRole", "sts:AssumeRole"),
        grant("CaptureRole", "s3:DeleteObject"),
    ],
    "roles_are_for_services": [
        put(ROLE, f"{TRUST}.Principal", {"AWS": "arn:x:iam::999999999999:root"}),
        put(ROLE, f"{TRUST}.Principal", "*"),
        put(ROLE, f"{TRUST}.Action", "sts:AssumeRoleWithWebIdentity"),
    ],
    "permissions_name_their_caller": [
        more("AWS::Lambda::Url", AuthType="NONE"),
        put("AWS::Lambda::Permission", "Properties.Principal", "*"),
        put("AWS::Lambda::Permission", "Properties.SourceArn", None),
        put("AWS::Lambda::Permission", "Properties.Action", "lambda:*"),
    ],
    "stream_is_read_by_two": [
        grant("ReviewRole", "dynamodb:GetRecords"),
        put("AWS::DynamoDB::Table", "Properties.KinesisStreamSpecification", {"StreamArn": "arn:x"}),
    ],
    "sessions_stay_with_pages": [
        grant("OperateRole", "dynamodb:GetItem", **{"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["T#*#S#*"]}}),
        grant("ReviewRole", "dynamodb:PutItem", **{"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["T#*#S#*"]}}),
    ],
    "keys_have_one_use": [
        statement("CaptureRole", "kms:GenerateMac", lambda one: one.update(Action=["kms:GenerateMac", "kms:VerifyMac"])),
        statement("CaptureRole", "kms:ViaService", lambda one: one.pop("Condition")),
        grant("CaptureRole", "kms:Decrypt", resource="arn:x:kms:r:a:key/other"),
    ],
    "keys_are_the_accounts": [
        put(KEY, f"{POLICY}.Principal", {"AWS": "*"}),
        put(KEY, f"{POLICY}.Principal", {"Service": "ses.amazonaws.com"}),
        put(KEY, "Properties.EnableKeyRotation", False, "TableKey"),
        put(KEY, "Properties.MultiRegion", True),
    ],
    "boundary_on_all_or_none": [
        put(ROLE, "Properties.PermissionsBoundary", "arn:x"),
    ],
    "failure_queues_take_anything": [
        put(QUEUE, "Properties.FifoQueue", True),
        put(QUEUE, "Properties.MessageRetentionPeriod", 3_600),
        put(QUEUE, "Properties.RedrivePolicy", {"maxReceiveCount": 1}),
        lambda t: first(t, "AWS::SQS::QueuePolicy")[1]["Properties"]["PolicyDocument"]["Statement"].append(ANYBODY),
    ],
}  # fmt: skip
