"""Settings: what is taken, and what is refused by its name."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from infra.registry import unsaid
from infra.settings import Settings, SettingsError

AGENT = {"name": "a", "role": "r", "owner": "o@example.com", "target": {"kind": "pick_up"}}
SQS = {"kind": "sqs", "queue": "decided.fifo"}
WEBHOOK = {"kind": "webhook", "url": "https://agents.example.com/placet", "secret": "placet/hook"}
BEDROCK: dict[str, Any] = {
    "kind": "bedrock", "agent_id": "AGENT12345", "alias_id": "TSTALIASID", "executor": "refund-executor", "session_ttl_s": 1800,
}  # fmt: skip
VERIFIED = {**BEDROCK, "verified": True, "idempotent": True, "action_role": "actions", "region": "us-gov-west-1"}
INLINE: dict[str, Any] = {
    "kind": "bedrock_inline", "definition": "refund_desk", "executor": "refund-executor", "session_ttl_s": 3600,
}  # fmt: skip
GOOD: dict[str, Any] = {"mail_from": "a@example.com", "login_domain_prefix": "placet", "agents": [AGENT]}


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"mail_from": "nobody"}, "mail_from"),
        ({"login_domain_prefix": "my-cognito"}, "login_domain_prefix"),
        ({"login_domain_prefix": "Big"}, "login_domain_prefix"),
        ({"public_base_url": "http://inbox.example.com"}, "public_base_url"),
        ({"public_base_url": "https://inbox.example.com/x"}, "public_base_url"),
        ({"epoch": 0}, "epoch"),
        ({"log_days": 3650}, "log_days"),
        ({"reserved_concurrency": {"decline": 1}}, "decline"),
        ({"colour": "blue"}, "colour"),
        ({"agents": [AGENT, AGENT]}, "unique"),
        ({"agents": [{**AGENT, "role": "path/r"}]}, "role of a"),
        ({"agents": [{**AGENT, "role": "arn:aws:iam::1:role/r"}]}, "role of a"),
        ({"agents": [{**AGENT, "name": "A B"}]}, "name"),
        ({"agents": [{"name": "a"}]}, "role"),
        ({"agents": [{**AGENT, "owner": "ops"}]}, "owner of a must be a mail address"),
        ({"agents": [{**AGENT, "owner": ""}]}, "owner of a must be a mail address"),
        ({"agents": [{**AGENT, "owner": None}]}, "owner of a must be a mail address"),
        ({"operators": ["path/olga"]}, "operators"),
        ({"operators": ["arn:aws:iam::1:role/olga"]}, "operators"),
        ({"operators": "olga"}, "operators must be a list"),
        ({"operators": ["olga", "r"]}, "an agent's role"),
        ({"operators": ["actions"], "agents": [{**AGENT, "target": VERIFIED}]}, "an agent's role"),
        ({"agents": [{**AGENT, "role": "actions", "target": VERIFIED}]}, "it would capture what it then claims"),
        (
            {"agents": [{**AGENT, "target": VERIFIED}, {**AGENT, "name": "b", "role": "q", "target": VERIFIED}]},
            "nobody could tell whose call",
        ),
        ({"agents": [{**AGENT, "keeps_runs_days": "30"}]}, "keeps_runs_days of a must be whole days"),
        ({"agents": [{**AGENT, "keeps_runs_days": -1}]}, "keeps_runs_days of a must be whole days"),
        ({"agents": [{**AGENT, "target": BEDROCK, "keeps_runs_days": 30}]}, "no saver keeps a run of Bedrock"),
        (
            {"agents": [{**AGENT, "framework": "bedrock"}]},
            "framework of a must be one whose pauses agents hand in: langchain",
        ),
        ({"agents": [{**AGENT, "framework": "openai"}]}, "framework of a must be one whose pauses agents hand in"),
        ({"agents": [{**AGENT, "framework": ["langchain"]}]}, "framework of a must be"),
        ({"agents": [{**AGENT, "target": BEDROCK, "framework": "langchain"}]}, "its target is an agent of bedrock"),
        (
            {"agents": [{**AGENT, "name": f"agent-{n}", "role": f"role-{n}-{'x' * 50}"} for n in range(30)]},
            r"the registry is \d,\d+ bytes .* room for 2,560",
        ),
    ],
)
def test_a_setting_that_cannot_be_deployed_is_named(change: dict[str, Any], names: str) -> None:
    with pytest.raises(SettingsError, match=names):
        Settings.of({**GOOD, **change})


@pytest.mark.parametrize("target", [SQS, WEBHOOK, BEDROCK, VERIFIED, INLINE], ids=lambda one: one["kind"])
def test_a_target_reaches_the_functions_as_it_stands(target: dict[str, Any]) -> None:
    settings = Settings.of({**GOOD, "agents": [{**AGENT, "target": target}]})
    assert json.loads(settings.registry) == [{**AGENT, "target": target}]


@pytest.mark.parametrize(
    ("entry", "built_with", "silent"),
    [
        (AGENT, "langchain", ["a"]),
        ({**AGENT, "framework": "langchain"}, "langchain", []),
        ({**AGENT, "target": BEDROCK}, "bedrock", []),
        ({**AGENT, "target": INLINE, "framework": "bedrock"}, "bedrock", []),
    ],
)
def test_an_agent_is_built_with_what_its_entry_or_its_target_says(
    entry: dict[str, Any], built_with: str, silent: list[str]
) -> None:
    settings = Settings.of({**GOOD, "agents": [entry]})
    assert (settings.agents[0].built_with, unsaid(settings.agents)) == (built_with, silent)
    assert json.loads(settings.registry) == [entry]


def without(target: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in target.items() if key != name}


@pytest.mark.parametrize(
    ("target", "names"),
    [
        ({}, "must have a kind: one of bedrock, bedrock_inline, lambda, pick_up, sqs, webhook"),
        ("pick_up", "must have a kind"),
        ({"kind": "kafka"}, "must have a kind"),
        ({"kind": ["pick_up"]}, "must have a kind"),
        ({"kind": "pickup"}, "; pick_up was meant"),
        ({"kind": "lambda"}, "a lambda needs function"),
        ({"kind": "pick_up", "function": "f"}, "a pick_up has no function"),
        ({"kind": "lambda", "function": "arn:aws:lambda:eu-central-1:1:function:f"}, "function must be the name"),
        ({"kind": "lambda", "function": "f:live"}, "without ARN, version or alias"),
        ({"kind": "webhook"}, "a webhook needs secret, url"),
        ({**SQS, "queue": "decided"}, "queue must be the name of a FIFO queue, which ends in .fifo, not 'decided'"),
        ({**SQS, "queue": "https://sqs.eu-central-1.amazonaws.com/1/decided.fifo"}, "queue must be the name"),
        ({**SQS, "queue": f"{'q' * 76}.fifo"}, "queue must be the name"),
        ({**WEBHOOK, "url": "http://agents.example.com/placet"}, "url must be https://host/path"),
        ({**WEBHOOK, "url": "https://me:secret@agents.example.com/placet"}, "url must be https://host/path"),
        ({**WEBHOOK, "url": "https://agents.example.com/placet?key=secret"}, "without user, query or fragment"),
        ({**WEBHOOK, "url": "https://agents.example.com/placet\n"}, "url must be"),
        ({**WEBHOOK, "url": "https:///placet"}, "url must be"),
        (
            {**WEBHOOK, "secret": "arn:aws:secretsmanager:eu-central-1:1:secret:x"},
            "the name of a secret in Secrets Manager",
        ),
        (
            {**BEDROCK, "agent_id": "arn:aws:bedrock:eu-central-1:1:agent/AGENT12345"},
            "agent_id must be 1 to 10 letters",
        ),
        ({**BEDROCK, "alias_id": "TSTALIASID1"}, "alias_id must be 1 to 10 letters"),
        ({**BEDROCK, "session_ttl_s": 59}, "session_ttl_s must be 60 to 5400 seconds"),
        ({**BEDROCK, "session_ttl_s": 5401}, "session_ttl_s must be 60 to 5400 seconds"),
        ({**BEDROCK, "session_ttl_s": True}, "session_ttl_s must be 60 to 5400 seconds"),
        ({**BEDROCK, "session_ttl_s": "1800"}, "session_ttl_s must be 60 to 5400 seconds"),
        ({**BEDROCK, "verified": True}, "is verified, so it needs action_role"),
        ({**BEDROCK, "verified": "yes"}, "verified must be true or false"),
        ({**BEDROCK, "idempotent": 1}, "idempotent must be true or false"),
        ({**VERIFIED, "action_role": "path/actions"}, "action_role must be a role name without path"),
        ({**BEDROCK, "region": "Frankfurt"}, "region must be a region of AWS like"),
        (without(BEDROCK, "executor"), "a bedrock needs executor"),
        (without(BEDROCK, "alias_id"), "a bedrock needs alias_id"),
        ({**BEDROCK, "definition": "refund_desk"}, "a bedrock has no definition"),
        (without(INLINE, "definition"), "a bedrock_inline needs definition"),
        ({**INLINE, "definition": "../placet_policy"}, "definition must be the name of a definition"),
        ({**INLINE, "session_ttl_s": 5400}, "session_ttl_s must be 60 to 3600 seconds"),
    ],
)
def test_a_target_that_cannot_be_reached_is_named(target: Any, names: str) -> None:
    with pytest.raises(SettingsError, match=f"target of a.*{re.escape(names)}"):
        Settings.of({**GOOD, "agents": [{**AGENT, "target": target}]})


def test_what_resume_may_reach_is_read_from_the_registry() -> None:
    entries = [
        {**AGENT, "name": f"a{n}", "role": f"r{n}", "target": one}
        for n, one in enumerate((SQS, WEBHOOK, VERIFIED, INLINE))
    ]
    called = {**AGENT, "target": {"kind": "lambda", "function": "billing"}}
    settings = Settings.of({**GOOD, "agents": [*entries, called]})
    assert settings.target_functions == ("billing", "refund-executor")
    assert (settings.target_queues, settings.target_secrets) == (("decided.fifo",), ("placet/hook",))
    assert settings.aliases == (("AGENT12345", "TSTALIASID", "us-gov-west-1"),)
    assert [agent.name for agent in settings.inline_agents] == ["a3"]


def test_mail_and_prefix_are_required() -> None:
    with pytest.raises(SettingsError, match="mail_from"):
        Settings.of({"login_domain_prefix": "placet"})


@pytest.mark.parametrize(
    "wrong",
    [
        {"identity_providers": "Company"},
        {"identity_providers": ["COGNITO"]},
        {"identity_providers": ["a b"]},
        {"groups_function": "arn:aws:lambda:x"},
    ],
)
def test_what_names_no_provider_or_function_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(SettingsError):
        Settings.of({**GOOD, **wrong})


def test_what_ses_may_have_verified() -> None:
    deep = Settings.of({**GOOD, "mail_from": "p@a.mail.example.com"})
    assert deep.mail_identities == ("p@a.mail.example.com", "a.mail.example.com", "mail.example.com", "example.com")
    assert Settings.of(GOOD).mail_identities[1:] == (GOOD["mail_from"].rpartition("@")[2],)


@pytest.mark.parametrize(
    "wrong",
    [
        {"mail_from": "Placet <p@example.com>"},
        {"mail_from": "p@example"},
        {"mail_from": "p@Example.com"},
        {"mail_from": "p@example.com\n"},
        {"mail_from": "a@b@example.com"},
        {"pool_mail_identity": "ample.com"},
        {"pool_mail_identity": "com"},
        {"requests_per_second": {"robots": 5}},
        {"requests_per_second": {"agents": 0}},
        {"requests_per_second": {"agents": 1.5}},
        {"requests_per_second": {"agents": 20_000}},
        {"stream_parallelization": 0},
        {"stream_parallelization": 11},
        {"stream_parallelization": True},
    ],
)
def test_senders_and_rates_that_no_service_takes_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(SettingsError):
        Settings.of({**GOOD, **wrong})
