"""The agents of the town, one for each kind of target, and the environment of its functions."""

from __future__ import annotations

import json
from typing import Any

BASE = "https://placet.example"
BEDROCK = {
    "kind": "bedrock",
    "agent_id": "AGENT12345",
    "alias_id": "TSTALIASID",
    "executor": "placet-refund-executor",
    "session_ttl_s": 3_600,
}
TARGETS: dict[str, dict[str, Any]] = {
    "support": {"kind": "pick_up"},
    "billing": {"kind": "lambda", "function": "placet-billing"},
    "queue": {"kind": "sqs", "queue": "decided.fifo"},
    "hook": {"kind": "webhook", "url": "https://hooks.example/decided", "secret": "hook-secret"},
    "desk": BEDROCK,
}


def role_of(agent: str) -> str:
    """The IAM role of an agent's processes."""
    return f"placet-{agent}"


ENVIRONMENT = {
    "PLACET_TABLE": "table",
    "PLACET_AGENTS": json.dumps(
        [
            {"name": name, "role": role_of(name), "owner": "owner@example.com", "target": target}
            for name, target in TARGETS.items()
        ]
    ),
    "PLACET_OPERATORS": '["placet-operator"]',
    "PLACET_BUCKET": "bucket",
    "PLACET_ID_KEY": "key",
    "PLACET_STATE_MACHINE_ARN": "arn:machine",
    "PLACET_SCHEDULE_GROUP": "group",
    "PLACET_SCHEDULE_ROLE_ARN": "arn:role",
    "PLACET_SCHEDULE_DLQ_ARN": "arn:dlq",
    "PLACET_RESUME_ARN": "arn:verb:resume",
    "PLACET_ESCALATE_ARN": "arn:verb:escalate",
    "PLACET_NOTIFY_ARN": "arn:verb:notify",
    "PLACET_BUS": "events",
    "PLACET_SINKS": json.dumps([{"name": "ops", "kind": "sns", "topic": "ops"}]),
    "PLACET_TOPICS": "arn:topic:",
    "PLACET_MAIL_FROM": "placet@example.com",
    "PLACET_MAIL_CONFIGURATION_SET": "set",
    "PLACET_BASE_URL": BASE,
    "PLACET_LOGIN_URL": "https://login.example",
    "PLACET_CLIENT_ID": "client",
    "PLACET_ISSUER": "https://issuer.example",
    "PLACET_JWKS_URL": "https://issuer.example/keys",
}
