"""The doctor asks and changes nothing, and says what to do in a sentence."""

from __future__ import annotations

import re
from typing import Any

import pytest
from botocore.exceptions import ClientError, NoCredentialsError

from infra import doctor
from infra.settings import Settings
from tests.infra.aws_double import Account

SETTINGS = Settings.of(
    {
        "mail_from": "placet@example.com",
        "login_domain_prefix": "placet",
        "operators": ["operator-role"],
        "agents": [
            {
                "name": "billing",
                "role": "r",
                "owner": "o@example.com",
                "target": {"kind": "lambda", "function": "billing-function"},
            },
            {
                "name": "queued",
                "role": "r2",
                "owner": "o@example.com",
                "target": {"kind": "sqs", "queue": "decided.fifo"},
            },
            {
                "name": "hooked",
                "role": "r3",
                "owner": "o@example.com",
                "target": {"kind": "webhook", "url": "https://a.example.com/p", "secret": "team/hook"},
            },
            {
                "name": "desk",
                "role": "r4",
                "owner": "o@example.com",
                "target": {
                    "kind": "bedrock",
                    "agent_id": "AGENT12345",
                    "alias_id": "LIVEALIAS1",
                    "executor": "run-refund",
                    "session_ttl_s": 600,
                    "region": "us-west-2",
                    "verified": True,
                    "action_role": "actions",
                },
            },
        ],
    }
)
ALIAS: dict[str, Any] = {
    "agentId": "AGENT12345", "agentAliasId": "LIVEALIAS1", "agentAliasName": "live",
    "agentAliasArn": "arn:aws:bedrock:us-west-2:123456789012:agent-alias/AGENT12345/LIVEALIAS1",
    "routingConfiguration": [], "createdAt": "2026-11-29", "updatedAt": "2026-11-29", "agentAliasStatus": "PREPARED",
}  # fmt: skip
AGENT: dict[str, Any] = {
    "agentId": "AGENT12345", "agentName": "desk", "agentArn": "arn:aws:bedrock:us-west-2:123456789012:agent/AGENT12345",
    "agentVersion": "DRAFT", "agentStatus": "PREPARED", "agentResourceRoleArn": "arn:aws:iam::123456789012:role/desk",
    "createdAt": "2026-11-29", "updatedAt": "2026-11-29",
}  # fmt: skip


def missing(operation: str) -> Any:
    raise ClientError({"Error": {"Code": "ResourceNotFoundException", "Message": "gone"}}, operation)


READY: dict[str, Any] = {
    "sts.GetCallerIdentity": {"Account": "123456789012", "Arn": "arn:aws:sts::123456789012:assumed-role/Admin/me"},
    "ssm.GetParameter": {"Parameter": {"Value": "30"}},
    "lambda.GetAccountSettings": {
        "AccountLimit": {"ConcurrentExecutions": 1000, "UnreservedConcurrentExecutions": 1000}
    },
    "sesv2.GetAccount": {
        "ProductionAccessEnabled": True, "SendingEnabled": True, "SendQuota": {"Max24HourSend": 50000.0, "MaxSendRate": 14.0},
    },
    "sesv2.GetEmailIdentity": lambda asked: {"VerifiedForSendingStatus": asked["EmailIdentity"] == "example.com"},
    "cognito-idp.DescribeUserPoolDomain": {"DomainDescription": {}},
    "logs.DescribeResourcePolicies": {"resourcePolicies": [{"policyDocument": "{}"}]},
    "cloudformation.DescribeStacks": "ValidationError",
    "logs.DescribeLogGroups": {"logGroups": []},
    "scheduler.ListScheduleGroups": {"ScheduleGroups": []},
    "events.DescribeEventBus": "ResourceNotFoundException",
    "service-quotas.ListServiceQuotas": {"Quotas": [{"QuotaName": "Open executions", "Value": 1000000.0}]},
    "iam.GetRole": {"Role": {
        "Arn": "arn:aws:iam::123456789012:role/r", "Path": "/", "RoleName": "r", "RoleId": "AROAEXAMPLEEXAMPLE",
        "CreateDate": "2026-11-29",
    }},
    "lambda.GetFunctionConfiguration": lambda asked: (
        missing("GetFunctionConfiguration") if asked["FunctionName"].startswith("PlacetGateway") else {}
    ),
    "sqs.GetQueueUrl": {"QueueUrl": "https://sqs.eu-central-1.amazonaws.com/123456789012/decided.fifo"},
    "sqs.GetQueueAttributes": {"Attributes": {"FifoQueue": "true"}},
    "secretsmanager.DescribeSecret": {"Name": "team/hook"},
    "bedrock-agent.GetAgentAlias": {"agentAlias": ALIAS},
    "bedrock-agent.GetAgent": {"agent": {**AGENT, "idleSessionTTLInSeconds": 600}},
}  # fmt: skip


def examined(**changed: Any) -> tuple[list[doctor.Finding], Account]:
    """Findings with some answers replaced; ``service__Operation`` is ``service.Operation``."""
    answers = {name.replace("__", ".").replace("_", "-"): answer for name, answer in changed.items()}
    account = Account({**READY, **answers})
    return list(doctor.examine(account.client, SETTINGS)), account


def test_a_ready_account_has_nothing_to_look_at() -> None:
    found, _ = examined()
    assert [str(one) for one in found if one.level != "ok"] == []
    assert {one.subject for one in found} == {
        "identity", "bootstrap", "concurrency", "mail", "login", "logs", "names", "quotas", "agents", "queues", "secrets",
        "bedrock", "operators", "lists", "reviewers", "mailboxes", "sinks", "one_way", "references", "table", "attached",
    }  # fmt: skip


def test_it_only_asks() -> None:
    _, account = examined()
    assert account.asked
    assert [name for name in account.asked if not re.search(r"\.(Get|Describe|List|Query)", name)] == []


@pytest.mark.parametrize(
    ("changed", "level", "says"),
    [
        ({"ssm__GetParameter": "ParameterNotFound"}, "stop", "not bootstrapped.*infra.cdk bootstrap"),
        ({"ssm__GetParameter": {"Parameter": {"Value": "5"}}}, "stop", "version 5"),
        (
            {"lambda__GetAccountSettings": {
                "AccountLimit": {"ConcurrentExecutions": 10, "UnreservedConcurrentExecutions": 10}}},
            "look", "10 executions at once.*1,000",
        ),
        ({"sesv2__GetAccount": {"ProductionAccessEnabled": False, "SendingEnabled": True}}, "look", "sandbox.*mail_sandbox"),
        ({"sesv2__GetAccount": {"ProductionAccessEnabled": True, "SendingEnabled": False}}, "stop", "paused"),
        ({"sesv2__GetEmailIdentity": "NotFoundException"}, "look", "placet@example.com cannot send"),
        (
            {"cognito_idp__DescribeUserPoolDomain": {"DomainDescription": {"UserPoolId": "eu-central-1_other"}}},
            "stop", "placet-123456789012 belongs to.*login_domain_prefix",
        ),
        ({"logs__DescribeResourcePolicies": {"resourcePolicies": [{"policyDocument": "x" * 4800}]}}, "look", "4800 of 5,120"),
        (
            {"logs__DescribeLogGroups": {"logGroups": [{"logGroupName": "/aws/vendedlogs/states/x"}]}},
            "stop", "exists without our stack",
        ),
        ({"iam__GetRole": "NoSuchEntity"}, "look", "no role r "),
        ({"iam__GetRole": "NoSuchEntity"}, "look", "no role operator-role"),
        ({"iam__GetRole": "NoSuchEntity"}, "look", "desk's actions: there is no role actions"),
        ({"lambda__GetFunctionConfiguration": "ResourceNotFoundException"}, "look", "no function run-refund"),
        ({"sqs__GetQueueUrl": "AWS.SimpleQueueService.NonExistentQueue"}, "look", "no queue decided.fifo"),
        ({"sqs__GetQueueAttributes": {"Attributes": {}}}, "stop", "decided.fifo is no FIFO queue"),
        (
            {"sqs__GetQueueAttributes": {"Attributes": {"FifoQueue": "true", "KmsMasterKeyId": "alias/mine"}}},
            "look", "encrypted with alias/mine.*kms:GenerateDataKey",
        ),
        ({"secretsmanager__DescribeSecret": "ResourceNotFoundException"}, "look", "no secret team/hook"),
        ({"secretsmanager__DescribeSecret": {"DeletedDate": "2026-11-29"}}, "look", "marked for deletion"),
        ({"secretsmanager__DescribeSecret": {"KmsKeyId": "alias/mine"}}, "look", "encrypted with alias/mine.*kms:Decrypt"),
        ({"bedrock_agent__GetAgentAlias": "ResourceNotFoundException"}, "look", "desk: there is no alias AGENT12345/LIVEALIAS1"),
        ({"bedrock_agent__GetAgentAlias": "ResourceNotFoundException"}, "look", "closed to new customers"),
        ({"bedrock_agent__GetAgentAlias": "AccessDeniedException"}, "look", "LIVEALIAS1 could not be asked.*Alias.*skipped"),
        (
            {"bedrock_agent__GetAgentAlias": {"agentAlias": {**ALIAS, "agentAliasStatus": "FAILED"}}},
            "look", "alias AGENT12345/LIVEALIAS1 is FAILED",
        ),
        (
            {"bedrock_agent__GetAgent": {"agent": {**AGENT, "idleSessionTTLInSeconds": 1800}}},
            "look", "forgets a session after 1800 s, session_ttl_s says 600",
        ),
        ({"lambda__GetFunctionConfiguration": "ResourceNotFoundException"}, "look", "no function billing-function"),
        ({"logs__DescribeResourcePolicies": "AccessDeniedException"}, "look", "logs.*AccessDeniedException.*rights like logs"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_a_way_out(changed: dict[str, Any], level: str, says: str) -> None:
    found, _ = examined(**changed)
    assert [one for one in found if one.level == level and re.search(says, str(one))], [str(one) for one in found]


def test_a_parent_domain_that_is_verified_may_send() -> None:
    settings = Settings.of({"mail_from": "placet@mail.acme.test", "login_domain_prefix": "placet", "agents": []})
    account = Account({
        "sesv2.GetAccount": {"ProductionAccessEnabled": True},
        "sesv2.GetEmailIdentity": lambda asked: {"VerifiedForSendingStatus": asked["EmailIdentity"] == "acme.test"},
    })  # fmt: skip
    assert "acme.test is verified for placet@mail.acme.test" in [
        one.sentence for one in doctor.mail(account.client, settings) if one.level == "ok"
    ]


def test_a_bedrock_agent_is_asked_for_where_it_lives() -> None:
    found, account = examined()
    assert ("bedrock-agent", "us-west-2") in account.regions
    assert ("bedrock-agent", "eu-central-1") not in account.regions
    assert [one.level for one in found if "closed to new customers" in one.sentence] == ["ok"]


def test_the_drafts_own_alias_is_no_version() -> None:
    target = {
        "kind": "bedrock",
        "agent_id": "AGENT12345",
        "alias_id": "TSTALIASID",
        "executor": "x",
        "session_ttl_s": 600,
    }
    settings = Settings.of(
        {
            "mail_from": "a@example.com",
            "login_domain_prefix": "placet",
            "agents": [{"name": "desk", "role": "r", "owner": "o@example.com", "target": target}],
        }
    )
    first, *_ = doctor.bedrock(Account(READY).client, settings)
    assert (first.level, "TSTALIASID is the draft" in first.sentence) == ("look", True)


def test_nobody_to_repair_is_said() -> None:
    nobody = Settings.of({"mail_from": "a@example.com", "login_domain_prefix": "placet", "agents": []})
    assert [one.level for one in doctor.operators(Account(READY).client, nobody)] == ["look"]


def test_reserving_needs_a_hundred_left() -> None:
    settings = Settings.of(
        {
            "mail_from": "a@example.com",
            "login_domain_prefix": "placet",
            "agents": [],
            "reserved_concurrency": {"decide": 5},
        }
    )
    limit = {"ConcurrentExecutions": 100, "UnreservedConcurrentExecutions": 100}
    account = Account({"lambda.GetAccountSettings": {"AccountLimit": limit}})
    account.answers["cloudformation.DescribeStacks"] = "ValidationError"
    levels = [one.level for one in doctor.concurrency(account.client, settings)]
    assert levels == ["look", "stop"]


@pytest.mark.parametrize(
    ("total", "says"),
    [
        (1000, "900 may be reserved.*decide = 20, dispatch = 20, notify = 20, resume = 20"),
        (140, "40 may be reserved.*decide = 10"),
        (110, "leave reserved_concurrency empty"),
        (10, "leave reserved_concurrency empty"),
    ],
)
def test_what_may_be_reserved_is_advised_from_the_account(total: int, says: str) -> None:
    limit = {"ConcurrentExecutions": total, "UnreservedConcurrentExecutions": total}
    account = Account({"lambda.GetAccountSettings": {"AccountLimit": limit}})
    assert re.search(says, str(list(doctor.concurrency(account.client, SETTINGS))[-1]))


def test_without_credentials_it_says_so_once() -> None:
    def clients(service: str) -> Any:
        raise NoCredentialsError

    (only,) = doctor.examine(clients, SETTINGS)
    assert only.level == "stop"
    assert "credentials" in only.way_out


def test_the_last_line_counts(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    account = Account({**READY, "ssm.GetParameter": "ParameterNotFound"})
    monkeypatch.setattr(doctor, "session_in", lambda region: account)
    monkeypatch.setattr(doctor, "deployed_settings", lambda: SETTINGS)
    monkeypatch.setattr("sys.argv", ["doctor"])
    assert doctor.main() == 1
    assert re.fullmatch(r"doctor: stop=1 look=0 ok=\d+", capsys.readouterr().out.splitlines()[-1])
