"""Bugs that the checks of `infra.checks.data` have to find, by check: the records, their keys and who may write them."""

from __future__ import annotations

from tests.infra.planting import BUCKET, TABLE, Bug, each_kind_alone, grant, keys, more, put, statement, strip

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
    "batches_are_one_statement": [
        grant("DecideRole", "dynamodb:BatchGetItem", **keys("T#*#D#*")),
        lambda t: each_kind_alone(t, "CaptureRole"),
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
}  # fmt: skip
