"""The doctor on stacks: out of a failed first create, names that are taken, one-way doors, who listens to the bus."""

from __future__ import annotations

import re
from typing import Any

import pytest

from infra import doctor, doctor_stacks, doors
from infra.lock_file import Known
from infra.settings import Settings
from tests.infra.stacks_double import BASE, SETTINGS, Deployed, asked


def test_what_is_as_it_should_be_is_all_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_stacks, "locked", lambda here: Known(doors.doors(SETTINGS)))
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


MACHINE = "arn:aws:states:eu-central-1:123456789012:stateMachine:m"


def test_a_deletion_that_waits_names_the_executions_that_still_run() -> None:
    account = Deployed(PlacetGateway="DELETE_IN_PROGRESS")
    account.left = [("AWS::StepFunctions::StateMachine", "Machine", "DELETE_IN_PROGRESS")]
    row = {"name": "p", "stateMachineArn": MACHINE, "status": "RUNNING", "startDate": "2026-11-30"}
    arns = [f"{MACHINE.replace('stateMachine', 'execution')}:p{number}" for number in range(21)]
    account.answers["stepfunctions.ListExecutions"] = {"executions": [{**row, "executionArn": arns[0]}]}
    stop = asked(account, doctor.names)[1]
    assert stop.commands == (f"aws stepfunctions stop-execution --execution-arn {arns[0]} --region eu-central-1",)
    account.answers["stepfunctions.ListExecutions"] = {"executions": [{**row, "executionArn": arn} for arn in arns]}
    stop = asked(account, doctor.names)[1]
    assert (len(stop.commands), "21 of them" in stop.way_out) == (21, True)
    listing = "aws stepfunctions list-executions --status-filter RUNNING --state-machine-arn the-Machine"
    assert stop.commands[-1].startswith(listing)
    account.answers["stepfunctions.ListExecutions"] = "AccessDeniedException"
    assert asked(account, doctor.names)[1].commands[0].startswith(listing)
    for answer in ("StateMachineDoesNotExist", {"executions": []}):
        account.answers["stepfunctions.ListExecutions"] = answer
        assert asked(account, doctor.names)[1].way_out == "wait until it is done"


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
    account.answers["events.ListTargetsByRule"] = "AccessDeniedException"
    stop = asked(account, doctor.names)[1]
    asks = "aws events list-rules --event-bus-name PlacetGateway-events --region eu-central-1"
    assert [one for one in stop.commands if one.startswith("aws events ")] == [asks]


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
    monkeypatch.setattr(doctor_stacks, "locked", lambda here: Known(doors.doors(SETTINGS)))
    account = Deployed()
    account.answers.update(real)
    found = asked(account, doctor.one_way, Settings.of({**BASE, **settings}))
    assert [one.level for one in found] == [level]
    assert says in str(found[0])


def test_a_lock_that_does_not_say_what_is_deployed_is_written_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_stacks, "locked", lambda here: Known())
    (look,) = asked(Deployed(), doctor.one_way)
    assert (look.level, look.way_out) == ("look", ".venv/bin/python -m infra.doors")


def test_what_the_lock_says_of_another_account_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    of: list[str] = []
    monkeypatch.setattr(doctor_stacks, "locked", lambda here: of.append(here) or Known())
    (look,) = asked(Deployed(), doctor.one_way)
    assert of == ["123456789012/eu-central-1"]
    assert look.sentence.endswith(f"does not say what is deployed in {of[0]}")


def test_the_inbox_in_a_lock_is_no_door(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        doctor_stacks, "locked", lambda here: Known({**doors.doors(SETTINGS), "inbox": "https://x.test/inbox"})
    )
    assert [one.level for one in asked(Deployed(), doctor.one_way)] == ["ok"]


def test_a_domain_that_was_deleted_by_hand_is_in_nobodys_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_stacks, "locked", lambda here: Known(doors.doors(SETTINGS)))
    account = Deployed()
    account.answers["cognito-idp.DescribeUserPoolDomain"] = {"DomainDescription": {}}
    assert [
        one.level for one in asked(account, doctor.one_way, Settings.of({**BASE, "login_domain_prefix": "other"}))
    ] == ["ok"]


def test_before_the_first_deploy_it_says_to_decide() -> None:
    (ok,) = asked(Deployed(PlacetGateway=""), doctor.one_way)
    assert (ok.level, "decide now" in ok.sentence) == ("ok", True)
