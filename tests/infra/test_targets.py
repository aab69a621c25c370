"""Every kind of target in one registry: what resume may reach of it, and what a real account asks for inline agents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from infra import definitions
from infra.checks import Templates, findings
from infra.checks.template import actions, flat, resources, verb_of
from infra.registry import Agent
from infra.settings import SettingsError
from tests.infra.conftest import synthesize

INLINE: dict[str, Any] = {
    "kind": "bedrock_inline", "definition": "desk", "executor": "run-refund", "session_ttl_s": 600, "region": "us-west-2",
}  # fmt: skip
TARGETS: list[dict[str, Any]] = [
    {"kind": "pick_up"},
    {"kind": "lambda", "function": "billing"},
    {"kind": "sqs", "queue": "decided.fifo"},
    {"kind": "webhook", "url": "https://agents.example.com/placet", "secret": "team/hook"},
    {"kind": "bedrock", "agent_id": "A1", "alias_id": "B1", "executor": "run-refund", "session_ttl_s": 600},
    INLINE,
]
DESK: dict[str, Any] = {
    "foundationModel": "us.anthropic.claude-sonnet-4-20250514-v1:0",
    "instruction": "You refund orders, and you ask before you do.",
    "idleSessionTTLInSeconds": 600,
    "actionGroups": [
        {"actionGroupName": "Refunds", "actionGroupExecutor": {"customControl": "RETURN_CONTROL"}},
        {"actionGroupName": "Notes", "actionGroupExecutor": {"lambda": "arn:aws:lambda:us-west-2:1:function:notes"}},
    ],
    "knowledgeBases": [{"knowledgeBaseId": "KB12345678", "description": "policies"}],
    "guardrailConfiguration": {"guardrailIdentifier": "gr1", "guardrailVersion": "1"},
    "collaborators": [{"foundationModel": "amazon.nova-lite-v1:0", "instruction": "You look orders up, nothing more."}],
}


def entries(*targets: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"name": f"a{n}", "role": f"r{n}", "owner": "o@example.com", "target": one} for n, one in enumerate(targets)
    ]


@pytest.fixture(scope="module")
def reaching(tmp_path_factory: pytest.TempPathFactory) -> Templates:
    """An installation whose registry has one agent of every kind."""
    folder = tmp_path_factory.mktemp("placet_agents")
    (folder / "desk.json").write_text(json.dumps(DESK))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(definitions, "FOLDER", folder)
        found = Templates.read(synthesize(tmp_path_factory.mktemp("reaching"), agents=entries(*TARGETS)))
        assert list(findings(found)) == []
    return found


def reached(templates: Templates, action: str, verb: str = "resume") -> set[str]:
    """Resources of one action of one function, without the parts that every ARN begins with."""
    return {
        resource.replace("<AWS::Region>:<AWS::AccountId>:", "").removeprefix("arn:<AWS::Partition>:")
        for role, statements in templates.roles.items()
        if verb_of(role) == verb
        for one in statements
        if action in actions(one)
        for resource in resources(one)
        if not resource.startswith("<")
    }


def test_resume_reaches_exactly_what_the_registry_names(reaching: Templates) -> None:
    assert reached(reaching, "sqs:SendMessage") == reached(reaching, "sqs:GetQueueUrl") == {"sqs:decided.fifo"}
    assert reached(reaching, "secretsmanager:GetSecretValue") == {"secretsmanager:secret:team/hook-??????"}
    assert reached(reaching, "bedrock:InvokeAgent") == {"bedrock:agent-alias/A1/B1"}
    assert reached(reaching, "lambda:InvokeFunction") == {
        "lambda:function:billing", "lambda:function:run-refund", "lambda:us-west-2:1:function:notes",
    }  # fmt: skip


def test_an_inline_agent_stands_on_its_callers_rights(reaching: Templates) -> None:
    """Collaborators too; a profile's model is asked for in every region, because the profile chooses one."""
    assert reached(reaching, "bedrock:InvokeInlineAgent") == {"*"}
    assert reached(reaching, "bedrock:InvokeModel") == {
        "bedrock:us-west-2:<AWS::AccountId>:inference-profile/us.anthropic.claude-sonnet-4-20250514-v1:0",
        "bedrock:*::foundation-model/anthropic.claude-sonnet-4-20250514-v1:0",
        "bedrock:us-west-2::foundation-model/amazon.nova-lite-v1:0",
    }
    assert reached(reaching, "bedrock:Retrieve") == {"bedrock:us-west-2:<AWS::AccountId>:knowledge-base/KB12345678"}
    assert reached(reaching, "bedrock:ApplyGuardrail") == {"bedrock:us-west-2:<AWS::AccountId>:guardrail/gr1"}


def test_nothing_of_the_targets_is_made_here(reaching: Templates) -> None:
    kinds = {one["Type"] for one in reaching.resources.values()}
    assert not [kind for kind in kinds if kind.startswith(("AWS::Bedrock::", "AWS::SecretsManager::"))]
    assert "decided.fifo" not in flat(reaching.of("AWS::SQS::Queue"))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"foundationModel": None}, "must be an object with foundationModel, instruction"),
        ({"sessionId": "s-1"}, "has sessionId, which Placet says with every turn"),
        ({"inlineSessionState": {}}, "has inlineSessionState"),
        ({"idleSessionTTLInSeconds": 3600}, "idleSessionTTLInSeconds 3600, and session_ttl_s is 600"),
        ({"customerEncryptionKeyArn": "arn:x"}, "names a key"),
        ({"actionGroups": [{"apiSchema": {"s3": {"s3BucketName": "b"}}}]}, "names a schema in S3"),
    ],
)
def test_a_definition_that_cannot_be_sent_is_named(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    changed = {key: value for key, value in {**DESK, **change}.items() if value is not None}
    (tmp_path / "desk.json").write_text(json.dumps(changed))
    with pytest.raises(SettingsError, match=f"definition desk of a0.*{says}"):
        definitions.reach_of([Agent(**entries(INLINE)[0])], tmp_path)


@pytest.mark.parametrize("content", [None, "{", "[]"])
def test_a_definition_has_to_be_there(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "desk.json").write_text(content)
    with pytest.raises(SettingsError, match="definition desk of a0"):
        definitions.reach_of([Agent(**entries(INLINE)[0])], tmp_path)
