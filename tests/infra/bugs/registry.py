"""Bugs that the checks of `infra.checks.registry` have to find, by check: agents and their targets."""

from __future__ import annotations

import json
from typing import Any

from infra.checks import Templates
from tests.infra.planting import Bug, grant, replace, strip


def _told(target: dict[str, Any]) -> Bug:
    """Every function is told of one more agent, and no right comes with it."""
    entry = {"name": "planted", "role": "planted", "owner": "o@example.com", "target": target}

    def bug(templates: Templates) -> None:
        for _, _, properties in templates.functions():
            variables = properties["Environment"]["Variables"]
            variables["PLACET_AGENTS"] = json.dumps([*json.loads(variables["PLACET_AGENTS"]), entry])

    return bug


BUGS: dict[str, list[Bug]] = {
    "resume_calls_the_registry": [
        grant("ResumeRole", "lambda:InvokeFunction", resource="arn:x:lambda:r:a:function:other"),
        strip("ResumeRole", "lambda:InvokeFunction"),
        replace("function:placet-refund-executor", "function:placet-refund-actions", "ResumeRoleDefaultPolicy"),
        grant("ResumeRole", "sqs:SendMessage", resource="arn:x:sqs:r:a:other.fifo"),
        grant("ResumeRole", "secretsmanager:GetSecretValue", resource="arn:x:secretsmanager:r:a:secret:other-??????"),
        _told({"kind": "sqs", "queue": "decided.fifo"}),
        _told({"kind": "webhook", "url": "https://a.example.com/", "secret": "hook"}),
        _told({"kind": "lambda", "function": "other"}),
    ],
    "what_is_pushed_to_has_its_form": [
        grant("ResumeRole", "sqs:GetQueueUrl", "sqs:SendMessage", resource="arn:x:sqs:r:a:decided"),
        grant("ResumeRole", "secretsmanager:GetSecretValue", resource="arn:x:secretsmanager:r:a:secret:hook"),
        grant("ResumeRole", "secretsmanager:GetSecretValue", resource="arn:x:secretsmanager:r:a:secret:hook*"),
        grant("NotifyRole", "secretsmanager:GetSecretValue", resource="arn:x:secretsmanager:r:a:secret:hook-??????"),
    ],
    "turns_are_asked_of_aliases": [
        replace(":agent-alias/AGENT12345/TSTALIASID", ":agent/AGENT12345", "ResumeRoleDefaultPolicy"),
        replace(":agent-alias/AGENT12345/TSTALIASID", ":agent-alias/AGENT12345/*", "ResumeRoleDefaultPolicy"),
        grant("ResumeRole", "bedrock:InvokeAgent", resource="arn:x:bedrock:r:a:agent-alias/OTHER/TSTALIASID"),
        strip("ResumeRole", "bedrock:InvokeAgent"),
        strip("InvokeAgentRole", "bedrock:InvokeAgent"),
        grant("ResumeRole", "bedrock:InvokeInlineAgent", resource="*"),
        grant("ResumeRole", "bedrock:InvokeModel", resource="arn:x:bedrock:r::foundation-model/m"),
        grant("SweepRole", "bedrock:InvokeAgent", resource="arn:x:bedrock:r:a:agent-alias/AGENT12345/TSTALIASID"),
        _told({"kind": "bedrock", "agent_id": "OTHER", "alias_id": "A", "executor": "x", "session_ttl_s": 60}),
    ],
}  # fmt: skip
