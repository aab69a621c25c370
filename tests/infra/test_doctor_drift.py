"""The doctor on what was deployed and is not so any more: stale references, streams, policies, a table that was restored."""

from __future__ import annotations

from typing import Any

import pytest

from infra import doctor
from infra.settings import Settings
from tests.infra.stacks_double import BASE, KEY, SETTINGS, STREAM, Deployed, asked


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"TableName": "table-2"}, "functions write to the table table-1, and PlacetData has table-2"),
        ({"UserPoolId": "eu-central-1_new"}, "PlacetData has the pool eu-central-1_new"),
    ],
)
def test_references_that_went_stale_are_found(change: dict[str, str], says: str) -> None:
    account = Deployed()
    account.outputs["PlacetData"] |= change
    (stop,) = asked(account, doctor.references)
    assert (stop.level, says in stop.sentence, "--force" in stop.way_out) == ("stop", True, True)


def test_what_an_emulator_cannot_say_is_not_taken_for_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    account = Deployed()
    account.described |= {"SSEDescription": {}}
    for url, level, told in (("https://sts.amazonaws.com", "look", []), ("http://127.0.0.1:4566", "ok", ["quotas"])):
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        monkeypatch.setitem(account.answers, "service-quotas.ListServiceQuotas", "InvalidAction")
        found = list(doctor.examine(account.client, SETTINGS, (doctor.quotas, doctor.table)))
        assert [one.level for one in found] == [level, level], [str(one) for one in found]
        assert [one.subject for one in found if "emulator" in one.sentence and one.subject == "quotas"] == told


def test_another_stream_than_the_tables_is_found() -> None:
    account = Deployed()
    account.described["LatestStreamArn"] = STREAM.replace("10:00", "11:00")
    found = asked(account, doctor.references)
    assert [one.sentence.split()[0] for one in found if one.level == "stop"] == ["dispatch", "publish"]


def test_a_stream_that_is_not_read_any_more_is_found() -> None:
    account = Deployed()
    disabled = [{"EventSourceArn": STREAM, "State": "Disabled"}]
    account.answers["lambda.ListEventSourceMappings"] = {"EventSourceMappings": disabled}
    assert [one.level for one in asked(account, doctor.references)][:2] == ["look", "look"]


def test_who_has_our_policies_is_listed() -> None:
    agents, actions, operators = asked(Deployed(), doctor.attached)
    assert agents.sentence == "AgentAccessPolicyArn is attached to role placet-support-agent"
    assert "detach" in agents.way_out
    assert actions.sentence.endswith("nobody")
    assert operators.sentence.endswith("nobody")


@pytest.mark.parametrize(
    ("change", "level", "says"),
    [
        (
            {"StreamSpecification": {"StreamEnabled": False}},
            "stop",
            "update-table --stream-specification StreamEnabled=true",
        ),
        ({"SSEDescription": {"KMSMasterKeyArn": KEY[:-1] + "2"}}, "stop", "which no function may use"),
        ({"SSEDescription": {}}, "look", "is not encrypted with the key of PlacetData"),
        (
            {"DeletionProtectionEnabled": False},
            "look",
            "update-table --deletion-protection-enabled --table-name table-1",
        ),
        ({"GlobalSecondaryIndexes": [{"IndexName": "work", "IndexStatus": "ACTIVE"}]}, "stop", "index find"),
    ],
)
def test_what_a_restored_table_lacks_is_found(change: dict[str, Any], level: str, says: str) -> None:
    account = Deployed()
    account.described |= change
    (found,) = asked(account, doctor.table)
    assert (found.level, says in str(found)) == (level, True), str(found)


@pytest.mark.parametrize(
    ("operation", "answer", "says"),
    [
        ("DescribeTimeToLive", {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}, "update-time-to-live"),
        (
            "DescribeTimeToLive",
            {"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "other"}},
            "update-time-to-live",
        ),
        (
            "DescribeContinuousBackups",
            {"ContinuousBackupsDescription": {"ContinuousBackupsStatus": "ENABLED"}},
            "update-continuous-backups",
        ),
    ],
)
def test_what_a_restore_switches_off_is_found(operation: str, answer: dict[str, Any], says: str) -> None:
    account = Deployed()
    account.answers[f"dynamodb.{operation}"] = answer
    (look,) = asked(account, doctor.table)
    assert (look.level, says in str(look)) == ("look", True)


def test_a_restored_table_is_looked_at_before_it_is_deployed() -> None:
    settings = Settings.of(
        {**BASE, "restored_table": "restored", "restored_stream": STREAM.replace("table-1", "restored"), "epoch": 2}
    )
    account = Deployed()
    names: list[str] = []
    account.answers["dynamodb.DescribeTable"] = lambda asked: (
        names.append(asked["TableName"]) or {"Table": account.described}
    )
    (stop,) = asked(account, doctor.table, settings)
    assert names == ["restored"]
    assert "not restored_stream" in stop.sentence
    account.answers["dynamodb.DescribeTable"] = "ResourceNotFoundException"
    (gone,) = asked(account, doctor.table, settings)
    assert (gone.level, "there is no table restored" in gone.sentence) == ("stop", True)


def test_what_is_reserved_already_is_ours_to_give_again() -> None:
    """110 are free beside the 40 that decide has: 45 for decide leave 105."""
    settings = Settings.of({**BASE, "reserved_concurrency": {"decide": 45}})
    assert [one.level for one in asked(Deployed(), doctor.concurrency, settings)] == ["ok"]
    more = Settings.of({**BASE, "reserved_concurrency": {"decide": 60}})
    assert "reserve 50 at most" in str(asked(Deployed(), doctor.concurrency, more)[-1])
