"""The doctor on stacks: out of a failed first create, names that are taken, one-way doors, stale references, the table in use."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from botocore.exceptions import ClientError

from infra import doctor, doctor_stacks, doors
from infra.doctor_table import KEY_OUTPUT
from infra.findings import Finding
from infra.settings import Settings
from tests.infra.aws_double import Account

WHEN, ACCOUNT = "2026-11-30", "123456789012"
STREAM = f"arn:aws:dynamodb:eu-central-1:{ACCOUNT}:table/table-1/stream/2026-11-30T10:00:00.000"
KEY = f"arn:aws:kms:eu-central-1:{ACCOUNT}:key/1"
POLICY = f"arn:aws:iam::{ACCOUNT}:policy/{{}}"
BASE: dict[str, Any] = {"mail_from": "a@company.test", "login_domain_prefix": "placet", "agents": []}
SETTINGS = Settings.of(BASE)


def refuse(code: str, operation: str) -> Any:
    raise ClientError({"Error": {"Code": code, "Message": code}}, operation)


class Deployed(Account):
    """Both stacks, as they were deployed by these settings; parts of it may be replaced."""

    def __init__(self, settings: Settings = SETTINGS, **states: str) -> None:
        self.states = {"PlacetData": "UPDATE_COMPLETE", "PlacetGateway": "UPDATE_COMPLETE", **states}
        self.protected = True
        self.outputs = {
            "PlacetData": {"TableName": "table-1", "UserPoolId": "eu-central-1_abc", KEY_OUTPUT: KEY},
            "PlacetGateway": {
                "LoginUrl": f"https://placet-{ACCOUNT}.auth.eu-central-1.amazoncognito.com",
                **{name: POLICY.format(name) for name in doctor_stacks.POLICIES},
            },
        }
        self.left: list[tuple[str, str, str]] = []
        self.variables = {"PLACET_TABLE": "table-1", "PLACET_ISSUER": "https://x/eu-central-1_abc"}
        self.described: dict[str, Any] = {
            "LatestStreamArn": STREAM, "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
            "SSEDescription": {"KMSMasterKeyArn": KEY}, "DeletionProtectionEnabled": True,
            "GlobalSecondaryIndexes": [{"IndexName": name, "IndexStatus": "ACTIVE"} for name in ("find", "work")],
        }  # fmt: skip
        template = {"Metadata": {doors.KEY: doors.doors(settings)}}
        super().__init__({
            "sts.GetCallerIdentity": {"Account": ACCOUNT, "Arn": f"arn:aws:iam::{ACCOUNT}:user/me"},
            "cloudformation.DescribeStacks": self._stack,
            "cloudformation.ListStackResources": self._resources,
            "cloudformation.GetTemplate": {"TemplateBody": json.dumps(template)},
            "cognito-idp.DescribeUserPool": {"UserPool": {"MfaConfiguration": "ON" if settings.require_mfa else "OPTIONAL"}},
            "lambda.GetFunctionConfiguration": lambda asked: {"Environment": {"Variables": self.variables}},
            "cognito-idp.DescribeUserPoolDomain": {"DomainDescription": {"UserPoolId": "eu-central-1_abc"}},
            "lambda.ListEventSourceMappings": {"EventSourceMappings": [{"EventSourceArn": STREAM, "State": "Enabled"}]},
            "lambda.GetAccountSettings": {
                "AccountLimit": {"ConcurrentExecutions": 1000, "UnreservedConcurrentExecutions": 110}},
            "lambda.GetFunctionConcurrency": {"ReservedConcurrentExecutions": 40},
            "dynamodb.DescribeTable": lambda asked: {"Table": self.described},
            "dynamodb.DescribeTimeToLive": {"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}},
            "dynamodb.DescribeContinuousBackups": {"ContinuousBackupsDescription": {
                "ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "ENABLED"}}},
            "iam.ListEntitiesForPolicy": lambda asked: {
                "PolicyRoles": [{"RoleName": "placet-support-agent"}] if "Agent" in asked["PolicyArn"] else [],
                "PolicyUsers": [], "PolicyGroups": []},
            "logs.DescribeLogGroups": {"logGroups": []},
            "scheduler.ListScheduleGroups": {"ScheduleGroups": []},
            "events.DescribeEventBus": "ResourceNotFoundException",
            "events.ListRules": "ResourceNotFoundException",
        })  # fmt: skip

    def _stack(self, asked: dict[str, Any]) -> dict[str, Any]:
        name = asked["StackName"]
        if self.states.get(name, "") == "":
            return dict(refuse("ValidationError", "DescribeStacks"))
        outputs = [{"OutputKey": key, "OutputValue": value} for key, value in self.outputs[name].items()]
        stack = {"StackName": name, "CreationTime": WHEN, "StackStatus": self.states[name], "Outputs": outputs}
        return {"Stacks": [{**stack, "EnableTerminationProtection": self.protected}]}

    def _resources(self, asked: dict[str, Any]) -> dict[str, Any]:
        found = self.left or [
            ("AWS::Lambda::Function", f"{verb}Function12345678", "UPDATE_COMPLETE")
            for verb in ("Dispatch", "Publish", "SignIn", "Decide")
        ]
        return {"StackResourceSummaries": [
            {"ResourceType": kind, "LogicalResourceId": name, "PhysicalResourceId": f"the-{name}", "ResourceStatus": status,
             "LastUpdatedTimestamp": WHEN}
            for kind, name, status in found
        ]}  # fmt: skip


def asked(account: Account, probe: Any, settings: Settings = SETTINGS) -> list[Finding]:
    return list(probe(account.client, settings))


def test_what_is_as_it_should_be_is_all_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_stacks, "locked", lambda: doors.doors(SETTINGS))
    account = Deployed()
    for probe in (doctor.names, doctor.one_way, doctor.references, doctor.table, doctor.attached):
        found = asked(account, probe)
        assert {one.level for one in found} == {"ok"}, [str(one) for one in found]
        assert {one.subject for one in found} == {probe.__name__}


def test_the_way_out_of_a_failed_first_create_is_named_in_order() -> None:
    account = Deployed(PlacetData="ROLLBACK_FAILED", PlacetGateway="")
    account.left = [
        ("AWS::DynamoDB::Table", "Table", "DELETE_FAILED"),
        ("AWS::Cognito::UserPool", "Pool", "DELETE_FAILED"),
        ("AWS::KMS::Key", "Key", "DELETE_FAILED"),
        ("AWS::S3::Bucket", "Bucket", "DELETE_COMPLETE"),
    ]
    account.answers["lambda.GetFunctionConfiguration"] = "ResourceNotFoundException"
    stop, free = asked(account, doctor.names)
    assert (stop.level, free.level) == ("stop", "ok")
    assert "puts back every setting that is not named: only for a pool that is deleted next" in stop.commands[2]
    words = [re.sub(r" --region eu-central-1.*", "", one) for one in stop.commands]
    assert words == [
        "aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name PlacetData",
        "aws dynamodb update-table --no-deletion-protection-enabled --table-name the-Table",
        "aws cognito-idp update-user-pool --deletion-protection INACTIVE --user-pool-id the-Pool",
        "aws cloudformation delete-stack --stack-name PlacetData",
        "aws cloudformation wait stack-delete-complete --stack-name PlacetData",
        "aws dynamodb delete-table --table-name the-Table",
        "aws cognito-idp delete-user-pool --user-pool-id the-Pool",
        "aws kms schedule-key-deletion --pending-window-in-days 7 --key-id the-Key",
    ]
    assert "\n         aws cloudformation update-termination-protection" in str(stop)


def test_a_rolled_back_stack_without_protection_is_deleted_only() -> None:
    account = Deployed(PlacetData="", PlacetGateway="ROLLBACK_COMPLETE")
    account.protected, account.left = False, [("AWS::Lambda::Function", "F", "DELETE_COMPLETE")]
    (stop,) = asked(account, doctor.names)
    assert [one.split()[2] for one in stop.commands] == ["delete-stack", "wait"]


@pytest.mark.parametrize(
    ("status", "level", "says"),
    [
        ("UPDATE_ROLLBACK_FAILED", "stop", "continue-update-rollback --stack-name PlacetGateway"),
        ("UPDATE_IN_PROGRESS", "stop", "wait until"),
        ("REVIEW_IN_PROGRESS", "ok", ""),
        ("UPDATE_ROLLBACK_COMPLETE", "ok", ""),
        (
            "DELETE_FAILED",
            "stop",
            "detach-role-policy --role-name placet-support-agent --policy-arn .*AgentAccessPolicyArn",
        ),
    ],
)
def test_every_other_state_says_what_to_do(status: str, level: str, says: str) -> None:
    found = asked(Deployed(PlacetGateway=status), doctor.names)
    assert [one.level for one in found] == ["ok", level]
    assert re.search(says, str(found[1]))
    assert "delete-table" not in str(found[1])


RULES = [
    {"Name": "theirs"},
    {"Name": "ours"},
    {"Name": "schemas", "ManagedBy": "schemas.amazonaws.com"},
    {"Name": "idle"},
]


def listened_to(**states: str) -> Deployed:
    """Others have rules on the bus, beside one that the stack made."""
    account = Deployed(**states)
    account.left = [
        ("AWS::Events::Rule", "PlacetGateway-events|ours", "CREATE_COMPLETE"),
        *(("AWS::Lambda::Function", f"{verb}Function12345678", "UPDATE_COMPLETE") for verb in ("Dispatch", "SignIn")),
    ]
    resources = account.answers["cloudformation.ListStackResources"]

    def as_they_are(asked: dict[str, Any]) -> Any:
        rows = resources(asked)["StackResourceSummaries"]
        return {"StackResourceSummaries": [
            row | {"PhysicalResourceId": row["PhysicalResourceId"].removeprefix("the-")} for row in rows
        ]}  # fmt: skip

    account.answers["cloudformation.ListStackResources"] = as_they_are
    account.answers["events.ListRules"] = {"Rules": RULES}
    account.answers["events.ListTargetsByRule"] = lambda asked: (
        {"Targets": [{"Id": f"theirs-{number}", "Arn": "arn"} for number in range(2)]}
        if asked["Rule"] == "theirs"
        else {}
    )
    return account


def test_rules_of_others_that_hold_the_bus_are_named_with_their_targets() -> None:
    account = listened_to(PlacetGateway="DELETE_FAILED")
    account.answers["iam.ListEntitiesForPolicy"] = "NoSuchEntity"  # the deletion took the policies before it stopped
    stop = asked(account, doctor.names)[1]
    words = [re.sub(r" --region eu-central-1.*", "", one) for one in stop.commands if one.startswith("aws events ")]
    assert words == [
        "aws events remove-targets --rule theirs --ids theirs-0 theirs-1 --event-bus-name PlacetGateway-events",
        "aws events delete-rule --name theirs --event-bus-name PlacetGateway-events",
        "aws events delete-rule --name schemas --event-bus-name PlacetGateway-events --force",
        "aws events delete-rule --name idle --event-bus-name PlacetGateway-events",
    ]
    assert stop.commands[-1].startswith("aws cloudformation delete-stack"), "the stack goes last"


def test_who_listens_is_told_before_anything_is_removed() -> None:
    told = [str(one) for one in asked(listened_to(), doctor.attached) if "listens" in one.sentence]
    assert [re.findall(r"the rule (\w+) listens", one) for one in told] == [["theirs"], ["schemas"], ["idle"]]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ({"lambda.GetFunctionConfiguration": {}}, "function PlacetGateway-escalate exists.*lambda delete-function"),
        ({"events.DescribeEventBus": {"Name": "PlacetGateway-events"}}, "event bus PlacetGateway-events exists"),
        (
            {
                "scheduler.ListScheduleGroups": {
                    "ScheduleGroups": [{"Name": "PlacetGateway-pauses", "State": "DELETING"}]
                }
            },
            "schedule group PlacetGateway-pauses is being deleted.*wait some minutes",
        ),
        (
            {"scheduler.ListScheduleGroups": {"ScheduleGroups": [{"Name": "PlacetGateway-pauses", "State": "ACTIVE"}]}},
            "schedule group PlacetGateway-pauses exists.*delete-schedule-group",
        ),
    ],
)
def test_names_that_are_taken_are_found(answer: dict[str, Any], says: str) -> None:
    account = Deployed(PlacetData="", PlacetGateway="")
    account.answers["lambda.GetFunctionConfiguration"] = "ResourceNotFoundException"
    assert {one.level for one in asked(account, doctor.names)} == {"ok"}
    account.answers.update(answer)
    (stop,) = asked(account, doctor.names)
    assert (stop.level, bool(re.search(says, str(stop), re.DOTALL))) == ("stop", True), str(stop)


@pytest.mark.parametrize(
    ("settings", "real", "level", "says"),
    [
        ({"login_domain_prefix": "other"}, {}, "stop", "delete-user-pool-domain --user-pool-id eu-central-1_abc"),
        ({}, {"cognito-idp.DescribeUserPool": {"UserPool": {"MfaConfiguration": "OPTIONAL"}}}, "stop", "set-user-pool-mfa-config"),
        ({"require_mfa": False}, {}, "look", "a password alone"),
        ({"public_base_url": "https://inbox.company.test"}, {}, "look", "links that were mailed"),
    ],
)  # fmt: skip
def test_a_door_that_opens_once_is_held_against_what_is_deployed(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any], real: dict[str, Any], level: str, says: str
) -> None:
    monkeypatch.setattr(doctor_stacks, "locked", lambda: doors.doors(SETTINGS))
    account = Deployed()
    account.answers.update(real)
    found = asked(account, doctor.one_way, Settings.of({**BASE, **settings}))
    assert [one.level for one in found] == [level]
    assert says in str(found[0])


def test_a_lock_that_does_not_say_what_is_deployed_is_written_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_stacks, "locked", dict)
    (look,) = asked(Deployed(), doctor.one_way)
    assert (look.level, look.way_out) == ("look", ".venv/bin/python -m infra.doors")


def test_a_domain_that_was_deleted_by_hand_is_in_nobodys_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_stacks, "locked", lambda: doors.doors(SETTINGS))
    account = Deployed()
    account.answers["cognito-idp.DescribeUserPoolDomain"] = {"DomainDescription": {}}
    assert [
        one.level for one in asked(account, doctor.one_way, Settings.of({**BASE, "login_domain_prefix": "other"}))
    ] == ["ok"]


def test_before_the_first_deploy_it_says_to_decide() -> None:
    (ok,) = asked(Deployed(PlacetGateway=""), doctor.one_way)
    assert (ok.level, "decide now" in ok.sentence) == ("ok", True)


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
