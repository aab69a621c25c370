"""The doctor's questions about the table itself. A restored one comes without stream, TTL, recovery and protection."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from botocore.exceptions import ClientError

from infra.deployed import is_here, outputs
from infra.doctor_lists import table_of
from infra.findings import Clients, Finding
from infra.settings import Settings

KEY_OUTPUT = "PublishOutputFnGetAttTableKeyF581D96FArnEAB700AD"
INDEXES = ("find", "work")


def table(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """dynamodb:DescribeTable, DescribeTimeToLive, DescribeContinuousBackups: is the table in use kept as it has to be?"""
    name = settings.restored_table or table_of(clients)
    if not name:
        yield Finding("ok", "table", "there is no table yet")
        return
    dynamodb = clients("dynamodb")
    try:
        described = dict(dynamodb.describe_table(TableName=name)["Table"])
    except ClientError as error:
        if error.response["Error"]["Code"] != "ResourceNotFoundException":
            raise
        yield Finding("stop", "table", f"there is no table {name}", "correct restored_table, or restore it again")
        return
    region = dynamodb.meta.region_name
    found = [
        *_stream(settings, name, described),
        *_key(clients, name, described),
        *_indexes(name, described),
        *_kept(dynamodb, name, described),
    ]
    for level, sentence, command in found:
        commands = (f"aws dynamodb {command} --table-name {name} --region {region}",) if command else ()
        yield Finding(level, "table", sentence, "switch it on" if command else "", commands)
    if not found:
        yield Finding("ok", "table", f"{name} has its stream, TTL, recovery, protection and indexes")


Fault = tuple[str, str, str]  # level, sentence, command without the table's name


def _stream(settings: Settings, name: str, described: dict[str, Any]) -> Iterator[Fault]:
    view = described.get("StreamSpecification", {}).get("StreamViewType")
    if view != "NEW_AND_OLD_IMAGES":
        command = "update-table --stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES"
        yield "stop", f"{name} has no stream with both images: nothing that is written would go on", command
    elif settings.restored_stream and described.get("LatestStreamArn") != settings.restored_stream:
        stream = described.get("LatestStreamArn")
        yield "stop", f"the stream of {name} is {stream}, not restored_stream: correct the setting", ""


def _key(clients: Clients, name: str, described: dict[str, Any]) -> Iterator[Fault]:
    try:
        ours = outputs(clients("cloudformation"), "PlacetData").get(KEY_OUTPUT, "")
    except ClientError as error:
        if error.response["Error"]["Code"] != "ValidationError":
            raise
        return
    has = described.get("SSEDescription", {}).get("KMSMasterKeyArn", "")
    command = f"update-table --sse-specification Enabled=true,SSEType=KMS,KMSMasterKeyId={ours}"
    if ours and has and has != ours:
        yield "stop", f"{name} is encrypted with {has}, which no function may use", command
    elif ours and not has and is_here(clients("dynamodb").meta.endpoint_url):
        yield "ok", f"{name} is not encrypted: this is an emulator, which encrypts nothing", ""
    elif ours and not has:
        yield "look", f"{name} is not encrypted with the key of PlacetData", command


def _indexes(name: str, described: dict[str, Any]) -> Iterator[Fault]:
    states = {one["IndexName"]: one.get("IndexStatus", "ACTIVE") for one in described.get("GlobalSecondaryIndexes", [])}
    for index in INDEXES:
        if states.get(index) != "ACTIVE":
            yield (
                "stop",
                f"the index {index} of {name} is {states.get(index, 'not there')}: wait, or restore with it",
                "",
            )


def _kept(dynamodb: Any, name: str, described: dict[str, Any]) -> Iterator[Fault]:
    ttl = dynamodb.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    if ttl.get("TimeToLiveStatus") not in ("ENABLED", "ENABLING") or ttl.get("AttributeName") != "ttl":
        command = "update-time-to-live --time-to-live-specification Enabled=true,AttributeName=ttl"
        yield "look", f"{name} has no time to live: sessions that are over stay in it", command
    backups = dynamodb.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
    recovery = backups.get("PointInTimeRecoveryDescription", {}).get("PointInTimeRecoveryStatus")
    if recovery != "ENABLED":
        command = "update-continuous-backups --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true"
        yield "look", f"{name} has no point-in-time recovery: what is lost now stays lost", command
    if not described.get("DeletionProtectionEnabled"):
        yield "look", f"{name} may be deleted by one command", "update-table --deletion-protection-enabled"
