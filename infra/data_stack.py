"""What must outlive every release: the table, its key, the id key and the people, and nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, cast

import aws_cdk as cdk
from aws_cdk import aws_cognito as cognito
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.acknowledge import acknowledge
from infra.settings import Settings

# RETAIN would also keep what a rolled-back first create made: an orphan table and a key, at a dollar a month each.
KEEP = cdk.RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
READ = ("GetItem", "BatchGetItem", "Query")
BODIES_OUTPUT = "PublishOutputFnGetAttBodies3FF2AA63Arn5C850EBA"  # locked: outputs are what the gateway reads
TABLE_ARN = "PublishOutputFnGetAttTableCD117FA1Arn27EC6E03"
STREAM_ARN = "PublishOutputFnGetAttTableCD117FA1StreamArn2ADA1321"
TABLE_NAME = "PublishOutputRefTableCD117FA15A08FEDB"
WORK_PROJECTION = (
    "card",
    "open_calls",
    "state",
    "level",
    "deadline_ms",
    "captured_ms",
    "agent",
    "gen",
    "schema_version",
)


class PlacetData(cdk.Stack):
    """The stateful stack. Its name, logical ids and output names are for ever (tests/infra/logical_ids.lock)."""

    def __init__(self, scope: Construct, name: str, *, settings: Settings, inbox: str = "", **stack: Any) -> None:
        super().__init__(
            scope,
            name,
            description="Placet: records and reviewers",
            termination_protection=True,
            permissions_boundary=boundary(settings),
            **stack,
        )
        self.table_key = kms.Key(
            self, "TableKey", description="Placet: encrypts the table", enable_key_rotation=True, removal_policy=KEEP
        )
        self.id_key = kms.Key(
            self,
            "IdKey",
            description="Placet: makes unguessable ids",
            key_spec=kms.KeySpec.HMAC_256,
            key_usage=kms.KeyUsage.GENERATE_VERIFY_MAC,
            removal_policy=KEEP,
        )
        own = self._table()
        self.table: dynamodb.ITable = self._restored(settings, own) if settings.restored_table else own
        self.bodies = self._bodies()
        own = settings.public_base_url
        self.pool = self._pool(settings, f"{own}/inbox" if own else inbox)
        cdk.CfnOutput(self, "TableName", value=self.table.table_name)
        cdk.CfnOutput(self, "UserPoolId", value=self.pool.user_pool_id)

    def _table(self) -> dynamodb.Table:
        # Table, not TableV2: a TableV2 with its own key needs a concrete account and region at synth.
        text, number = dynamodb.AttributeType.STRING, dynamodb.AttributeType.NUMBER
        table = dynamodb.Table(
            self,
            "Table",
            partition_key=dynamodb.Attribute(name="pk", type=text),
            sort_key=dynamodb.Attribute(name="sk", type=text),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            encryption=dynamodb.TableEncryption.CUSTOMER_MANAGED,
            encryption_key=self.table_key,
            stream=dynamodb.StreamViewType.NEW_AND_OLD_IMAGES,
            time_to_live_attribute="ttl",
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=True
            ),
            deletion_protection=True,
            removal_policy=KEEP,
        )
        # Both indexes from the first release: an update makes or drops one index; a changed projection is a new one.
        table.add_global_secondary_index(
            index_name="work",
            partition_key=dynamodb.Attribute(name="wpk", type=text),
            sort_key=dynamodb.Attribute(name="wsk", type=number),
            projection_type=dynamodb.ProjectionType.INCLUDE,
            non_key_attributes=list(WORK_PROJECTION),
        )
        table.add_global_secondary_index(
            index_name="find",
            partition_key=dynamodb.Attribute(name="fpk", type=text),
            sort_key=dynamodb.Attribute(name="pk", type=text),
            projection_type=dynamodb.ProjectionType.KEYS_ONLY,
        )
        return table

    def _restored(self, settings: Settings, own: dynamodb.Table) -> dynamodb.ITable:
        """The table that a restore made, in the place of the stack's own, which stays as it is: nothing of it changes."""
        # The gateway that is deployed still reads the table through these, and reads them again if its next update is rolled back.
        for output, value in (
            (TABLE_ARN, own.table_arn),
            (STREAM_ARN, own.table_stream_arn),
            (TABLE_NAME, own.table_name),
        ):
            cdk.CfnOutput(self, output, value=str(value))
        stream = settings.restored_stream.partition(":table/")[2]
        return dynamodb.Table.from_table_attributes(
            self,
            "Restored",
            table_name=settings.restored_table,
            table_stream_arn=self.format_arn(service="dynamodb", resource="table", resource_name=stream),
        )

    def _bodies(self) -> s3.Bucket:
        bucket = s3.Bucket(
            self,
            "Bodies",
            encryption=s3.BucketEncryption.KMS,
            encryption_key=self.table_key,
            bucket_key_enabled=True,  # far fewer calls of the key
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            enforce_ssl=True,
            versioned=True,
            lifecycle_rules=[
                s3.LifecycleRule(
                    noncurrent_version_expiration=cdk.Duration.days(30),
                    abort_incomplete_multipart_upload_after=cdk.Duration.days(7),
                )
            ],
            removal_policy=KEEP,
        )
        reason = (
            "Objects are read and written by our functions only, by digest; the account's trail can log data events."
        )
        acknowledge(bucket, "AwsSolutions-S1", reason)
        return bucket

    def _pool(self, settings: Settings, inbox: str) -> cognito.UserPool:
        pool = cognito.UserPool(
            self,
            "Reviewers",
            self_sign_up_enabled=False,
            # Never changeable afterwards, like the absence of required attributes: both are held by a test.
            sign_in_aliases=cognito.SignInAliases(username=True, email=True),
            sign_in_case_sensitive=False,
            account_recovery=cognito.AccountRecovery.EMAIL_ONLY,
            password_policy=cognito.PasswordPolicy(
                min_length=12, require_digits=True, require_lowercase=True, require_symbols=True, require_uppercase=True
            ),
            mfa=cognito.Mfa.REQUIRED if settings.require_mfa else cognito.Mfa.OPTIONAL,
            mfa_second_factor=cognito.MfaSecondFactor(otp=True, sms=False),
            user_invitation=cognito.UserInvitationConfig(
                email_subject="Placet: your account", email_body=_invitation(inbox)
            ),
            feature_plan=cognito.FeaturePlan.ESSENTIALS,
            deletion_protection=True,
            removal_policy=KEEP,
        )
        if settings.pool_mail_identity:
            self._mail_by_ses(pool, settings)
        if settings.groups_function:
            self._ask_for_groups(pool, settings.groups_function)
        reason = "The Plus plan has no free users; decisions check membership in our own table, not risk scores."
        acknowledge(pool, "AwsSolutions-COG8", reason)
        if not settings.require_mfa:
            # The login pages ask nobody to enrol one unless it is demanded, and we have no page for it.
            acknowledge(
                pool,
                "AwsSolutions-COG2",
                "require_mfa is false: its owner chose that people sign in with a password alone.",
            )
        return pool

    def _mail_by_ses(self, pool: cognito.UserPool, settings: Settings) -> None:
        """Cognito's own sender sends some fifty mails a day. Ours takes an identity that is verified by then: without it the pool
        cannot be made, so it is asked for and never the default."""
        identity = self.format_arn(service="ses", resource="identity", resource_name=settings.pool_mail_identity)
        resource = cast(cognito.CfnUserPool, pool.node.default_child)
        resource.email_configuration = cognito.CfnUserPool.EmailConfigurationProperty(
            email_sending_account="DEVELOPER", from_=settings.mail_from, source_arn=identity
        )

    def _ask_for_groups(self, pool: cognito.UserPool, function: str) -> None:
        """The owner's function says the groups of who signs in; its owner lets the pool invoke it (docs/deploy.md).

        By name and not by `add_trigger`: a permission is no part of what outlives every release.
        """
        arn = self.format_arn(
            service="lambda",
            resource="function",
            resource_name=function,
            arn_format=cdk.ArnFormat.COLON_RESOURCE_NAME,
        )
        resource = cast(cognito.CfnUserPool, pool.node.default_child)
        resource.lambda_config = cognito.CfnUserPool.LambdaConfigProperty(pre_token_generation=arn)

    @property
    def fingerprint(self) -> str:
        """Changes with every property of every resource of this stack.

        The gateway reads this stack's values when it is created or updated itself, and the CDK skips a stack whose template did not
        change: so its functions carry this, and a change here makes one there.
        """
        made = [one for one in self.node.find_all() if isinstance(one, cdk.CfnResource)]
        said = {str(self.resolve(one.logical_id)): self.resolve(one._cfn_properties) for one in made}
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:12]

    def allow(self, role: iam.IRole, actions: Sequence[str], keys: Sequence[str], index: str | None = None) -> None:
        """Grants table ``actions`` on partitions that match ``keys``, and the table's key through DynamoDB only.

        ``grant()`` of the L2 adds no right on the key, and DynamoDB needs ``kms:Decrypt`` to write too (aws-cdk#10010).
        With ``index``, ``keys`` are patterns of the index's own partition key. A request without keys satisfies
        ``ForAllValues``, so there have to be some; never pass ``Scan``.
        """
        arn = self.table.table_arn
        role.add_to_principal_policy(
            iam.PolicyStatement(
                actions=[f"dynamodb:{action}" for action in actions],
                resources=[f"{arn}/index/{index}" if index else arn],
                conditions={
                    "ForAllValues:StringLike": {"dynamodb:LeadingKeys": sorted(keys)},
                    "Null": {"dynamodb:LeadingKeys": "false"},
                },
            )
        )
        self._allow_key(role, writes=not set(actions) <= set(READ))

    def allow_bodies(self, role: iam.IRole, *, writes: bool) -> None:
        """Grants reading texts of the bucket, or writing them too; and the bucket's key through S3 only."""
        actions = ["s3:GetObject", *(["s3:PutObject"] if writes else [])]
        objects = self.bodies.arn_for_objects("*")
        role.add_to_principal_policy(iam.PolicyStatement(actions=actions, resources=[objects]))
        role.add_to_principal_policy(
            iam.PolicyStatement(
                actions=["kms:Decrypt", *(["kms:GenerateDataKey"] if writes else [])],
                resources=[self.table_key.key_arn],
                conditions={"StringEquals": {"kms:ViaService": f"s3.{self.region}.{self.url_suffix}"}},
            )
        )
        reason = "The * stands for a text's digest; who may see the pause is decided by its head."
        acknowledge(role, f"AwsSolutions-IAM5[Resource::{self._published(BODIES_OUTPUT)}/*]", reason)

    def _published(self, output: str) -> str:
        """An attribute of this stack as cdk-nag prints it in a finding of another one: by the output it is read from."""
        where = {"StackName": self.stack_name, "Region": {"Ref": "AWS::Region"}, "OutputName": output}
        return json.dumps({"Fn::GetStackOutput": where}, separators=(",", ":"))

    def allow_stream(self, role: iam.IRole) -> None:
        """Grants reading the table's stream; records carry old and new images, so the key goes with it."""
        role.add_to_principal_policy(
            iam.PolicyStatement(
                actions=[f"dynamodb:{verb}" for verb in ("DescribeStream", "GetRecords", "GetShardIterator")],
                resources=[self.table.table_stream_arn or ""],
            )
        )
        # ListStreams knows no resource in IAM.
        role.add_to_principal_policy(iam.PolicyStatement(actions=["dynamodb:ListStreams"], resources=["*"]))
        self._allow_key(role, writes=False)

    def _allow_key(self, role: iam.IRole, *, writes: bool) -> None:
        actions = ["Decrypt", "DescribeKey", "GenerateDataKey", "GenerateDataKeyWithoutPlaintext"]
        actions += ["Encrypt", "ReEncryptFrom", "ReEncryptTo"] if writes else []
        role.add_to_principal_policy(
            iam.PolicyStatement(
                actions=[f"kms:{action}" for action in actions],
                resources=[self.table_key.key_arn],
                conditions={"StringEquals": {"kms:ViaService": f"dynamodb.{self.region}.{self.url_suffix}"}},
            )
        )


def _invitation(inbox: str) -> str:
    """The mail to somebody who got an account, as Cognito fills it in. Without an address of its own the API has none before the
    gateway's stack is there, which comes after this one: then it is that of the last deploy, and none in the first."""
    where = (
        f"Sign in at {inbox}" if inbox else "Sign in at the address of the inbox, which whoever entered you tells you,"
    )
    return (
        f"You are asked to decide what AI agents may do. {where} with the user name {{username}} and the temporary password "
        f"{{####}} and choose a password of your own."
    )


def boundary(settings: Settings) -> cdk.PermissionsBoundary | None:
    """The permissions boundary that a company's bootstrap may demand of every role."""
    return cdk.PermissionsBoundary.from_name(settings.permissions_boundary) if settings.permissions_boundary else None
