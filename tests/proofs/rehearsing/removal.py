"""Taking everything away again, as docs/deploy.md says it, and looking what is left."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError

from infra.doctor_stacks import BUS
from local.agents_setup import OPERATOR
from local.endpoint import Endpoint
from tests.proofs.rehearsing.account import Account
from tests.proofs.rehearsing.assemblies import AGENTS, role
from tests.proofs.rehearsing.leftover import inventory
from tests.proofs.rehearsing.play import Play
from tests.proofs.rehearsing.scripts import Script
from tests.proofs.rehearsing.typed import carry_out


def steps(play: Play, script: Script, before: set[str]) -> None:
    """Gateway, then records, then what is kept, then what the owner made."""
    play.step("policies detached", detach)
    play.step("gateway held by a rule", lambda on: held_by_a_rule(on, script))
    play.step("gateway removed", lambda on: gateway(on, script))
    play.step("records removed", lambda on: records(on, script))
    play.step("bootstrap removed", bootstrap)
    play.step("nothing is left", lambda on: left(on, before))


def held(account: Account) -> set[str]:
    """What the account holds."""
    return inventory(account.aws, Endpoint(account.settings.steps_endpoint))


def detach(on: Play) -> str:
    """A policy that is attached cannot be deleted: first from the roles of agents and operators, which are the owner's."""
    iam = on.account.client("iam")
    names = [*map(role, AGENTS), OPERATOR]
    for name in names:
        for one in iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"]:
            iam.detach_role_policy(RoleName=name, PolicyArn=one["PolicyArn"])
        iam.delete_role(RoleName=name)
    on.account.client("sesv2").delete_email_identity(EmailIdentity="placet@rehearsal.test")
    return f"{len(names)} roles and the sender are gone"


def held_by_a_rule(on: Play, script: Script) -> str:
    """Somebody listens on the bus, so it cannot go: the doctor says whose rule it is, and what takes it away."""
    events, queues = on.account.client("events"), on.account.client("sqs")
    queue = queues.create_queue(QueueName="listener")["QueueUrl"]
    arn = queues.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    events.put_rule(Name="listener", EventBusName=BUS, EventPattern='{"source": ["placet"]}')
    events.put_targets(Rule="listener", EventBusName=BUS, Targets=[{"Id": "queue", "Arn": arn}])
    stopped = _executions(on)
    refused = on.account.cdk("destroy", "PlacetGateway", "--app", str(script.code), "--force")
    assert refused.code, "a bus with somebody's rule on it was deleted"
    assert on.account.described("PlacetGateway")["StackStatus"] == "DELETE_FAILED"
    said = on.account.python("infra.doctor", "--only", "names")
    commands = [line.strip() for line in said.said.splitlines() if line.strip().startswith("aws events ")]
    assert [line.split()[2] for line in commands] == ["remove-targets", "delete-rule"], said.said
    for line in commands:
        carry_out(on.account, line)
    queues.delete_queue(QueueUrl=queue)
    return f"{stopped} executions were stopped; the stack was DELETE_FAILED, and the doctor named the rule"


def _executions(on: Play) -> int:
    """Executions that still wait are ended by hand."""
    states = Endpoint(on.account.settings.steps_endpoint).client("stepfunctions")
    running = states.list_executions(stateMachineArn=on.account.outputs["MachineArn"], statusFilter="RUNNING")
    for one in running["executions"]:
        states.stop_execution(executionArn=one["executionArn"], cause="Placet is removed")
    return len(running["executions"])


def gateway(on: Play, script: Script) -> str:
    """By the command line, once nothing holds it."""
    on.account.cdk("destroy", "PlacetGateway", "--app", str(script.code), "--force").taken("cdk destroy")
    return "the stack is gone"


def records(on: Play, script: Script) -> str:
    """Termination protection is taken off, the stack is deleted, and then what it keeps, thing by thing."""
    kept = on.account.resources("PlacetData")
    refused = on.account.cdk("destroy", "PlacetData", "--app", str(script.code), "--force")
    assert refused.code, "a stack under termination protection was deleted"
    cloudformation = on.account.client("cloudformation")
    cloudformation.update_termination_protection(EnableTerminationProtection=False, StackName="PlacetData")
    on.account.cdk("destroy", "PlacetData", "--app", str(script.code), "--force").taken("cdk destroy")
    for name in kept["AWS::DynamoDB::Table"] | set(on.account.client("dynamodb").list_tables()["TableNames"]):
        _drop_table(on.account, name)
    for pool in kept["AWS::Cognito::UserPool"]:
        _drop_pool(on.account, pool)
    for bucket in kept["AWS::S3::Bucket"]:
        drop_bucket(on.account.client("s3"), bucket)
    for key in kept["AWS::KMS::Key"]:
        on.account.client("kms").schedule_key_deletion(KeyId=key, PendingWindowInDays=7)
    return ", ".join(f"{len(names)} {kind.rpartition('::')[2]}" for kind, names in sorted(kept.items()))


def _drop_table(account: Account, name: str) -> None:
    tables = account.client("dynamodb")
    tables.update_table(TableName=name, DeletionProtectionEnabled=False)
    tables.delete_table(TableName=name)
    for one in tables.list_backups(TableName=name)["BackupSummaries"]:
        tables.delete_backup(BackupArn=one["BackupArn"])


def _drop_pool(account: Account, pool: str) -> None:
    pools = account.client("cognito-idp")
    pools.update_user_pool(UserPoolId=pool, DeletionProtection="INACTIVE")
    pools.delete_user_pool(UserPoolId=pool)


def drop_bucket(s3: Any, name: str) -> None:
    """Every version of everything in it, then the bucket."""
    try:
        found = s3.list_object_versions(Bucket=name)
    except ClientError as error:
        if error.response["Error"]["Code"] == "NoSuchBucket":
            return
        raise
    for one in [*found.get("Versions", []), *found.get("DeleteMarkers", [])]:
        s3.delete_object(Bucket=name, Key=one["Key"], VersionId=one["VersionId"])
    s3.delete_bucket(Bucket=name)


def bootstrap(on: Play) -> str:
    """CDK's own stack, for who deploys nothing else with it; it keeps its bucket."""
    buckets = on.account.resources("CDKToolkit")["AWS::S3::Bucket"]
    on.account.client("cloudformation").delete_stack(StackName="CDKToolkit")
    for bucket in buckets:
        drop_bucket(on.account.client("s3"), bucket)
    return "CDKToolkit and its bucket are gone"


def left(on: Play, before: set[str]) -> str:
    """The account is as it was."""
    on.left_over = sorted(held(on.account) - before)
    return ", ".join(on.left_over) or "the account is as it was before the first step"
