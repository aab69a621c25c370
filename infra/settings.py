"""What an account owner may set, in cdk.json under ``context.placet``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from infra.registry import ROLE, TARGETS, Agent, SettingsError, check_together
from infra.sinks import read_sinks
from placet.model.sinks import Sink

__all__ = ["TARGETS", "VERBS", "Agent", "Settings", "SettingsError"]

PREFIX = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?")
PROVIDER = re.compile(r"(?!COGNITO$)[\w.-]{1,32}", re.ASCII)
FUNCTION = re.compile(r"[\w-]{1,64}", re.ASCII)
STREAM = re.compile(r"arn:[\w-]+:dynamodb:[\w-]+:\d{12}:table/([\w.-]{3,255})/stream/[\w:.-]+", re.ASCII)
LOG_DAYS = (7, 14, 30, 60, 90)
REGISTRY_BYTES = 2_560  # what the largest environment leaves of 4,096; infra/checks/functions.py adds them up
VERBS = (
    *("capture", "dispatch", "notify", "escalate", "review", "decide", "sign_in"),
    *("resume", "pick_up", "execute", "sweep", "operate", "invoke_agent"),
    *("publish", "tell", "bounce"),
)


@dataclass(frozen=True)
class Settings:
    """The settings of one installation; every field but the first three has a default that deploys in a new account."""

    mail_from: str
    login_domain_prefix: str
    agents: tuple[Agent, ...]
    operators: tuple[str, ...] = ()  # names of the IAM roles that may see the stuck list and repair
    public_base_url: str | None = None  # https address of the inbox if it is not the API's own
    epoch: int = 1  # raised after a point-in-time restore, so that no permit can be spent twice
    restored_table: str = (
        ""  # name of the table that a point-in-time restore made, which takes the place of the stack's own
    )
    restored_stream: str = ""  # ARN of its stream, switched on by hand (docs/operations.md)
    alarm_mail: str | None = None
    permissions_boundary: str | None = None  # name of the managed policy that every role of ours must carry
    reserved_concurrency: Mapping[str, int] = field(default_factory=dict)  # off: a new account has 10, none to reserve
    mail_sandbox: bool = False  # in the SES sandbox each recipient's identity is a resource of SendEmail too
    require_mfa: bool = True  # decided before the first deploy: docs/deploy.md, "What cannot be changed later"
    identity_providers: tuple[str, ...] = ()  # names of the pool's own providers (SAML, OIDC) that people sign in with
    groups_function: str = ""  # name of the Lambda function that tells the pool the groups of who signs in
    log_days: int = 90
    most_open: int = 1_000  # pauses of one agent that may wait for people in one class
    sinks: tuple[Sink, ...] = ()  # where messages about pauses go beside the inbox

    def __post_init__(self) -> None:
        if "@" not in self.mail_from:
            raise SettingsError(f"mail_from must be a mail address, not {self.mail_from!r}")
        if not PREFIX.fullmatch(self.login_domain_prefix) or re.search("aws|amazon|cognito", self.login_domain_prefix):
            raise SettingsError("login_domain_prefix must be 1 to 48 of a-z, 0-9 and -, without aws, amazon or cognito")
        if self.public_base_url and not re.fullmatch(r"https://[^/?#]+", self.public_base_url):
            raise SettingsError("public_base_url must be https://host without a path")
        if type(self.most_open) is not int or self.most_open < 1:
            raise SettingsError("most_open must be a whole number of at least 1")
        if wrong := [one for one in self.identity_providers if not PROVIDER.fullmatch(one)]:
            raise SettingsError(f"identity_providers must be names of providers of the user pool, not {wrong}")
        if self.groups_function and not FUNCTION.fullmatch(self.groups_function):
            raise SettingsError("groups_function must be the name of a Lambda function of this account")
        if self.epoch < 1:
            raise SettingsError("epoch counts from 1")
        self._check_restored()
        if self.log_days not in LOG_DAYS:
            raise SettingsError(f"log_days must be one of {LOG_DAYS}")
        if wrong := [role for role in self.operators if not ROLE.fullmatch(role)]:
            raise SettingsError(f"operators must be role names without path or ARN, not {wrong}")
        check_together(self.agents, self.operators)
        if len(self.registry.encode()) > REGISTRY_BYTES:
            raise SettingsError(
                f"agents: the registry is {len(self.registry.encode()):,} bytes as JSON, and a Lambda's environment, 4,096 bytes "
                f"in all, has room for {REGISTRY_BYTES:,} beside the other variables: shorten names or split the installation"
            )
        if unknown := set(self.reserved_concurrency) - set(VERBS):
            raise SettingsError(f"reserved_concurrency: no function is called {sorted(unknown)}")

    def _check_restored(self) -> None:
        """A restored table has its stream, and an epoch of its own: without one a permit could be spent twice."""
        if not self.restored_table and not self.restored_stream:
            return
        found = STREAM.fullmatch(self.restored_stream)
        if not found or found[1] != self.restored_table:
            raise SettingsError(
                "restored_table and restored_stream go together: the table's name, and the ARN of its stream "
                f"(arn:…:table/{self.restored_table or 'NAME'}/stream/…), not {self.restored_stream!r}"
            )
        if self.epoch == 1:
            raise SettingsError(
                "restored_table needs a higher epoch: permits that were used after the restore point look free in it"
            )

    @classmethod
    def from_context(cls, context: Any) -> Settings:
        """Reads ``context.placet``; an unknown key is refused, a missing one has its default."""
        values = dict(context or {})
        if unknown := set(values) - set(cls.__dataclass_fields__):
            raise SettingsError(f"cdk.json context.placet: unknown setting {sorted(unknown)}")
        try:
            if isinstance(values.get("operators"), str):
                raise SettingsError("operators must be a list of role names")
            if isinstance(values.get("identity_providers"), str):
                raise SettingsError("identity_providers must be a list of names")
            values["identity_providers"] = tuple(values.get("identity_providers", ()))
            values["operators"] = tuple(values.get("operators", ()))
            values["sinks"] = read_sinks(values.get("sinks", ()))
            values["agents"] = tuple(Agent(**entry) for entry in values.get("agents", ()))
            return cls(**values)
        except TypeError as error:
            raise SettingsError(f"cdk.json context.placet: {error}") from None

    @property
    def registry(self) -> str:
        """The agent registry as the functions read it from PLACET_AGENTS."""
        return json.dumps([agent.entry for agent in self.agents], separators=(",", ":"))

    @property
    def told_sinks(self) -> str:
        """The sinks as tell reads them from PLACET_SINKS, what is as it would be anyway left out."""
        plain = Sink("", "")
        told = [
            {name: value for name, value in vars(one).items() if value != getattr(plain, name)} for one in self.sinks
        ]
        return json.dumps(told, separators=(",", ":"))

    @property
    def target_functions(self) -> tuple[str, ...]:
        """Names of the Lambda functions that resume may invoke: agents' own, and executors."""
        return tuple(sorted({*self._named("function"), *(agent.executes for agent in self.agents if agent.executes)}))

    @property
    def target_queues(self) -> tuple[str, ...]:
        """Names of the queues that resume may send to."""
        return self._named("queue")

    @property
    def target_secrets(self) -> tuple[str, ...]:
        """Names of the secrets with which resume signs webhooks."""
        return self._named("secret")

    @property
    def aliases(self) -> tuple[tuple[str, str, str], ...]:
        """(agent id, alias id, region or "") of the Bedrock agents that are invoked."""
        found = {
            (a.target["agent_id"], a.target["alias_id"], a.target.get("region", ""))
            for a in self.agents
            if a.kind == "bedrock"
        }
        return tuple(sorted(found))

    @property
    def inline_agents(self) -> tuple[Agent, ...]:
        """The agents that are defined inline."""
        return tuple(agent for agent in self.agents if agent.kind == "bedrock_inline")

    def _named(self, *fields: str) -> tuple[str, ...]:
        return tuple(sorted({a.target[field] for a in self.agents for field in fields if field in a.target}))
