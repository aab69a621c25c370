"""Bugs that the checks of `infra.checks.operating` have to find, by check: bodies and operators."""

from __future__ import annotations

from tests.infra.planting import BUCKET, SSE, Bug, first, grant, keys, put, strip

BUGS: dict[str, list[Bug]] = {
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
        strip("OperateRole", "T#*#F#*"),
        strip("InvokeAgentRole", "T#*#F#*"),
        strip("ResumeRole", "T#*#F#*"),
    ],
}  # fmt: skip
