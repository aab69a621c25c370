"""What an account owner may set, in placet.toml; where that file is, and how it is read: infra/settings_file.py."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails

from infra import bounds
from infra.addresses import origin_amiss
from infra.brakes import brakes_of
from infra.registry import ROLE, TARGETS, Agent, SettingsError, check_together, is_theirs, read_agents
from infra.sinks import read_sinks
from infra.toml_kinds import MUST, Words, once, once_as_roles
from placet.model.sinks import Sink
from placet.model.visible import one_line

__all__ = ["TARGETS", "VERBS", "Agent", "Settings", "SettingsError"]

PREFIX = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?")
# A bare address: SES's rights name it, and a name in front of it would become part of an ARN.
ADDRESS = re.compile(
    r"(?!\.|[^@]*\.[.@])[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}", re.ASCII
)
PROVIDER = re.compile(r"(?!COGNITO$)[\w.-]{1,32}", re.ASCII)
BOUNDARY = re.compile(r"(?:[\w+=,.@-]+/)*[\w+=,.@-]{1,128}", re.ASCII)
FUNCTION = re.compile(r"[\w-]{1,64}", re.ASCII)
STREAM = re.compile(r"arn:[\w-]+:dynamodb:[\w-]+:\d{12}:table/([\w.-]{3,255})/stream/[\w:.-]+", re.ASCII)
LOG_DAYS = (7, 14, 30, 60, 90)
REGISTRY_BYTES = 2_560  # what the largest environment leaves of 4,096; infra/checks/functions.py adds them up
VERBS = (
    *("capture", "dispatch", "notify", "escalate", "review", "decide", "sign_in"),
    *("resume", "pick_up", "execute", "sweep", "operate", "invoke_agent"),
    *("publish", "tell", "bounce"),
)


class Settings(BaseModel):
    """The settings of one installation; every field but the first two has a default that deploys in a new account."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", arbitrary_types_allowed=True)

    mail_from: str = Field(description='the sender of mails to reviewers: mail_from = "placet@your-company.com"')
    login_domain_prefix: str = Field(
        description='the first part of the login page\'s host, for ever: login_domain_prefix = "placet"'
    )
    agents: Annotated[tuple[Agent, ...], PlainValidator(read_agents)] = ()
    operators: Words = ()  # names of the IAM roles that may see the stuck list and repair
    public_base_url: str | None = None  # https address of the inbox if it is not the API's own
    epoch: int = 1  # raised after a point-in-time restore, so that no permit can be spent twice
    restored_table: str = (
        ""  # name of the table that a point-in-time restore made, which takes the place of the stack's own
    )
    restored_stream: str = ""  # ARN of its stream, switched on by hand (docs/operations.md)
    attach_to_roles: bool = (
        False  # the stack attaches its policies to the roles of agents and operators, which exist then
    )
    alarm_mail: str | None = None
    permissions_boundary: str | None = None  # name of the managed policy that every role of ours must carry
    reserved_concurrency: Mapping[str, int] = {}  # off: a new account has 10, none to reserve
    mail_sandbox: bool = False  # in the SES sandbox each recipient's identity is a resource of SendEmail too
    require_mfa: bool = True  # decided before the first deploy: docs/deploy.md, "What cannot be changed later"
    identity_providers: Words = ()  # names of the pool's own providers (SAML, OIDC) that people sign in with
    groups_function: str = ""  # name of the Lambda function that tells the pool the groups of who signs in
    log_days: int = 90
    most_open: int = 1_000  # pauses of one agent that may wait for people in one class
    requests_per_second: Mapping[str, int] = {}  # of each route, by audience (infra/brakes.py)
    stream_parallelization: int = 1  # functions that read one shard of the stream at once, 1 to 10
    pool_mail_identity: str = (
        ""  # verified in SES, mail_from or a domain of it: invitations and codes come from mail_from
    )
    sinks: Annotated[
        tuple[Sink, ...], PlainValidator(read_sinks)
    ] = ()  # where messages about pauses go beside the inbox

    @field_validator("mail_from", "alarm_mail")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        if value is not None and not ADDRESS.fullmatch(value):
            raise SettingsError(
                f"must be a mail address, name@example.com with its domain in small letters, not {value!r}"
            )
        return value

    @field_validator("requests_per_second")
    @classmethod
    def _brakes(cls, value: Mapping[str, int]) -> Mapping[str, int]:
        brakes_of(value)
        return value

    @field_validator("login_domain_prefix")
    @classmethod
    def _prefix(cls, value: str) -> str:
        if not PREFIX.fullmatch(value) or re.search("aws|amazon|cognito", value):
            raise SettingsError("must be 1 to 48 of a-z, 0-9 and -, without aws, amazon or cognito")
        return value

    @field_validator("public_base_url")
    @classmethod
    def _host(cls, value: str | None) -> str | None:
        if value and (said := origin_amiss(value)):
            raise SettingsError(said)
        return value

    @field_validator("most_open", "epoch", "stream_parallelization")
    @classmethod
    def _counted(cls, value: int, info: ValidationInfo) -> int:
        if said := bounds.amiss(str(info.field_name), value):
            raise SettingsError(said)
        return value

    @field_validator("permissions_boundary")
    @classmethod
    def _boundary(cls, value: str | None) -> str | None:
        if value is not None and not BOUNDARY.fullmatch(value):
            raise SettingsError(f"must be the name of a managed policy of this account, without ARN, not {value!r}")
        return value

    @field_validator("identity_providers")
    @classmethod
    def _providers(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if wrong := [one for one in value if not PROVIDER.fullmatch(one)]:
            raise SettingsError(f"must be names of providers of the user pool, not {wrong}")
        return once(value)

    @field_validator("groups_function")
    @classmethod
    def _function(cls, value: str) -> str:
        if value and not (FUNCTION.fullmatch(value) and is_theirs(value)):
            raise SettingsError("must be the name of a Lambda function of yours in this account")
        return value

    @field_validator("log_days")
    @classmethod
    def _days(cls, value: int) -> int:
        if value not in LOG_DAYS:
            raise SettingsError(f"must be one of {', '.join(map(str, LOG_DAYS))}, not {value}")
        return value

    @field_validator("operators")
    @classmethod
    def _roles(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if wrong := [role for role in value if not (ROLE.fullmatch(role) and is_theirs(role))]:
            raise SettingsError(f"must be names of roles of yours without path or ARN, not {wrong}")
        return once_as_roles(value)

    @field_validator("reserved_concurrency")
    @classmethod
    def _verbs(cls, value: Mapping[str, int]) -> Mapping[str, int]:
        if unknown := sorted(set(value) - set(VERBS)):
            raise SettingsError(f"no function is called {', '.join(unknown)}: there are {', '.join(VERBS)}")
        if said := bounds.amiss("reserved_concurrency", value):
            raise SettingsError(said)
        return value

    @model_validator(mode="after")
    def _together(self) -> Settings:
        self._check_restored()
        if self.pool_mail_identity and self.pool_mail_identity not in self.mail_identities:
            raise SettingsError(
                f"pool_mail_identity must be what SES verified for mail_from, one of {', '.join(self.mail_identities)}"
            )
        check_together(self.agents, self.operators)
        if (size := len(self.registry.encode())) > REGISTRY_BYTES:
            raise SettingsError(
                f"agents: the registry is {size:,} bytes as JSON, and a Lambda's environment, 4,096 bytes "
                f"in all, has room for {REGISTRY_BYTES:,} beside the other variables: shorten names or split the installation"
            )
        return self

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
    def of(cls, values: Mapping[str, Any], file: str = "placet.toml") -> Settings:
        """The settings that a file holds. Raises SettingsError: one line for each mistake, which names the file and the key."""
        try:
            return cls.model_validate(dict(values))
        except ValidationError as error:
            raise SettingsError(
                "\n".join(one_line(f"{file}: {cls._sentence(one)}") for one in error.errors())
            ) from None

    @classmethod
    def _sentence(cls, error: ErrorDetails) -> str:
        """One mistake: the key, what is wrong with it, and what to write."""
        key, kind = ".".join(map(str, error["loc"])), error["type"]
        if kind == "extra_forbidden":
            near = get_close_matches(key, cls.model_fields, n=1)
            return f"there is no setting {key}; {f'{near[0]} was meant' if near else 'take it out'}"
        if kind == "missing":
            return f"{key} is missing; write {cls.model_fields[key].description}"
        if kind == "value_error":
            said = str(error["ctx"]["error"])
            return said if not key or said.startswith(f"{key}:") else f"{key} {said}"
        must = MUST.get(kind) or error["msg"].removeprefix("Input should be ")
        return f"{key} must be {must}, not {error['input']!r}"

    @property
    def mail_identities(self) -> tuple[str, ...]:
        """What SES may have verified to send from `mail_from`: the address, its domain, and every parent down to two labels."""
        labels = self.mail_from.rpartition("@")[2].split(".")
        return (self.mail_from, *(".".join(labels[start:]) for start in range(max(1, len(labels) - 1))))

    @property
    def roles(self) -> dict[str, tuple[str, ...]]:
        """Names of the owner's roles that need one of our policies, by whose they are."""
        return {
            "agents": tuple(sorted({one.role for one in self.agents})),
            "actions": tuple(sorted({one.action_role for one in self.agents if one.action_role})),
            "operators": tuple(sorted(self.operators)),
        }

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
