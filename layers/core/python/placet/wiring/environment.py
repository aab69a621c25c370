"""What a function is told by its environment, typed, in one place.

`infra/gateway_stack.py` tells each function its own variables and no more, so that each is read when it is asked for;
`tests/infra/test_environment.py` compares both sides.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

VERBS = ("resume", "escalate", "notify")  # that other functions invoke


class NotTold(LookupError):
    """A variable that this function was not told."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is not set for this function")


@dataclass(frozen=True)
class Environment:
    """The variables of one function. What has no default raises NotTold when the function was not told it."""

    variables: Mapping[str, str]

    @property
    def table(self) -> str:
        """The name of the table."""
        return self._told("PLACET_TABLE")

    @property
    def tenant(self) -> str:
        """The first part of every key."""
        return self.variables.get("PLACET_TENANT", "main")

    @property
    def epoch(self) -> int:
        """How often the table was restored, plus one: what an earlier one has begun is not taken up."""
        return int(self.variables.get("PLACET_EPOCH", "1"))

    @property
    def most_open(self) -> int:
        """How many pauses of one agent may be open at a time."""
        return int(self.variables.get("PLACET_MOST_OPEN", "1000"))

    @property
    def agents(self) -> list[dict[str, Any]]:
        """The registry's entries."""
        return self._list("PLACET_AGENTS")

    @property
    def operators(self) -> frozenset[str]:
        """Names of the IAM roles that may operate."""
        return frozenset(self._list("PLACET_OPERATORS"))

    @property
    def sinks(self) -> list[dict[str, Any]]:
        """Where messages about pauses go."""
        return self._list("PLACET_SINKS")

    @property
    def topics(self) -> str:
        """What the ARN of each SNS topic of ours begins with; empty when there is none."""
        return self.variables.get("PLACET_TOPICS", "")

    @property
    def base_url(self) -> str:
        """The public address of the pages, without a slash at its end; empty for who builds no links."""
        return self.variables.get("PLACET_BASE_URL", "").rstrip("/")

    @property
    def login_url(self) -> str:
        """The address of the user pool's login pages."""
        return self._told("PLACET_LOGIN_URL")

    @property
    def client_id(self) -> str:
        """The inbox's client of the user pool."""
        return self._told("PLACET_CLIENT_ID")

    @property
    def issuer(self) -> str:
        """Who signs the pool's tokens."""
        return self._told("PLACET_ISSUER")

    @property
    def jwks_url(self) -> str:
        """Where the pool's public keys are."""
        return self._told("PLACET_JWKS_URL")

    @property
    def bucket(self) -> str:
        """The name of the bucket for long bodies."""
        return self._told("PLACET_BUCKET")

    @property
    def id_key(self) -> str:
        """The KMS key of the ids."""
        return self._told("PLACET_ID_KEY")

    @property
    def state_machine_arn(self) -> str:
        """The machine that waits."""
        return self._told("PLACET_STATE_MACHINE_ARN")

    @property
    def schedule_group(self) -> str:
        """The group of the timers' schedules."""
        return self._told("PLACET_SCHEDULE_GROUP")

    @property
    def schedule_role_arn(self) -> str:
        """The role under which a schedule invokes."""
        return self._told("PLACET_SCHEDULE_ROLE_ARN")

    @property
    def schedule_dlq_arn(self) -> str:
        """The queue of schedules that could not invoke."""
        return self._told("PLACET_SCHEDULE_DLQ_ARN")

    @property
    def escalate_arn(self) -> str:
        """The function that a schedule invokes."""
        return self._told("PLACET_ESCALATE_ARN")

    @property
    def mail_from(self) -> str:
        """Who sends the mails."""
        return self._told("PLACET_MAIL_FROM")

    @property
    def mail_configuration_set(self) -> str:
        """SES's set, which tells of bounces."""
        return self._told("PLACET_MAIL_CONFIGURATION_SET")

    @property
    def bus(self) -> str:
        """The name of the bus for pauses' events."""
        return self._told("PLACET_BUS")

    @property
    def verbs(self) -> dict[str, str]:
        """The functions that this one invokes: verb → ARN."""
        names = {verb: f"PLACET_{verb.upper()}_ARN" for verb in VERBS}
        return {verb: self.variables[name] for verb, name in names.items() if name in self.variables}

    def _told(self, name: str) -> str:
        try:
            return self.variables[name]
        except KeyError:
            raise NotTold(name) from None

    def _list(self, name: str) -> list[Any]:
        listed: list[Any] = json.loads(self.variables.get(name, "[]"))
        return listed


TOLD = Environment(os.environ)
