"""Back to a point in time, as docs/operations.md says it, and everything decided afterwards."""

from __future__ import annotations

from tests.proofs.rehearsing.play import Play
from tests.proofs.rehearsing.scripts import Script
from tests.proofs.rehearsing.waiting import until

RESTORED = "placet-restored"


def steps(play: Play, script: Script) -> None:
    """Freeze, restore, deploy, thaw, settle, decide."""
    play.step("freeze", lambda on: on.operate("freeze", "--reason", "a restore"))
    play.step("restore", restore)
    play.step("restored table deployed", lambda on: deployed(on, script))
    play.step("freeze again", lambda on: on.operate("freeze", "--reason", "a restore"))
    play.step("thaw", thaw)
    play.step("settle", settle)
    play.step("everything decided", decided)


def restore(on: Play) -> str:
    """A table of another name, from the snapshot that stands for the point in time, and what a restore does not bring along."""
    tables = on.account.client("dynamodb")
    later = [one for one in on.waiting.captured if one not in on.at_the_point]
    tables.restore_table_from_backup(TargetTableName=RESTORED, BackupArn=on.snapshot)
    tables.update_table(
        TableName=RESTORED,
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        DeletionProtectionEnabled=True,
    )
    tables.update_time_to_live(TableName=RESTORED, TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})
    tables.update_continuous_backups(
        TableName=RESTORED, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
    )
    for pause in later:  # of which the restored table knows nothing; their runs would capture them again
        del on.waiting.captured[pause]
    return f"{RESTORED} stands as of the point in time, {len(later)} pauses younger"


def deployed(on: Play, script: Script) -> str:
    """The restored table and the next epoch by one deploy."""
    stream = on.account.client("dynamodb").describe_table(TableName=RESTORED)["Table"]["LatestStreamArn"]
    return on.deploy("the restored table", script.restored(RESTORED, stream))


def thaw(on: Play) -> str:
    """Everything goes on in the new epoch; what may have run is listed."""
    on.operate("thaw")
    on.listed("restored_permits")
    return on.look("the thaw")


def settle(on: Play) -> str:
    """What nobody knows is found out and settled by the command."""
    listed = [pause for pause, place in on.waiting.places().items() if place == "stuck: restored_permits"]
    return f"{sum(settled(on, pause) for pause in listed)} calls of {len(listed)} pauses are settled"


def settled(on: Play, pause: str) -> int:
    """Settle every call of which nobody knows whether it ran; how many those were."""
    calls = on.waiting.head(pause)["calls"]
    asked = [number for number, call in sorted(calls.items()) if (call.get("permit") or {}).get("state") == "unknown"]
    for number in asked:
        on.operate("settle", f"{pause}-{number}", "--done", "--evidence", "It is in the ledger.")
    return len(asked)


def decided(on: Play) -> str:
    """Everybody decides what is before them, operators settle what is listed, agents go on, until nothing is left to do."""

    def none_left() -> bool:
        for pause, place in on.waiting.places().items():
            _go_on(on, pause, place)
        return set(on.waiting.places().values()) <= {"ended"}

    until(none_left, on.waiting.patience_s, every=3)
    return on.close()


def _go_on(on: Play, pause: str, place: str) -> None:
    if place == "inbox":
        on.waiting.decide(pause, "reject", "maria", "jonas", reason="after the restore")
    elif place.startswith("stuck"):
        settled(on, pause)
    elif place == "offered":
        on.waiting.go_on(pause)
