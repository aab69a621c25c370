"""The agent registry in placet.toml: one entry per agent, and what may stand in it. Everything is named, nothing is an ARN."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, dataclass, fields
from difflib import get_close_matches
from typing import Any

from infra import bounds, regions
from infra.addresses import is_public
from placet.frameworks import handed_in
from placet.model.characters import is_hidden
from placet.model.frameworks import UNSAID
from placet.model.people import is_comparable
from placet.model.visible import one_line

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
ROLE = re.compile(r"[A-Za-z0-9+=,.@_-]{1,64}")


CAPITALS = "IAM does not tell roles apart by capitals"
OURS = ("placetgateway-", "placetdata-")  # what the stacks' own functions, queues, roles and secrets are called


class SettingsError(ValueError):
    """A setting cannot be deployed; the message names it. What cannot be seen in a line of it stands as its code: `[U+001B]`."""

    def __init__(self, message: str) -> None:
        super().__init__("\n".join(one_line(line) for line in message.split("\n")))


@dataclass(frozen=True)
class Field:
    """One field of a target: what it must be, in words and as a test; optional ones may be left out."""

    must: str
    fits: Callable[[Any], bool]
    optional: bool = False


def is_theirs(name: str) -> bool:
    """Whether a name is the owner's to give: a part of ours neither runs calls nor goes on with runs."""
    return not name.lower().startswith(OURS)


def _like(pattern: str) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, str) and re.fullmatch(pattern, value, re.ASCII) is not None and is_theirs(value)
    )


def _between(least: int, most: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and least <= value <= most


_FUNCTION = Field(
    "the name of a Lambda function of yours, without ARN, version or alias", _like(r"[A-Za-z0-9_-]{1,64}")
)
_KIND = Field("a kind", lambda value: True)
_FLAG = Field("true or false", lambda value: isinstance(value, bool), optional=True)
_BEDROCK_ID = Field("1 to 10 letters and digits", _like(r"[0-9a-zA-Z]{1,10}"))
_BEDROCK = {
    "kind": _KIND,
    "executor": _FUNCTION,
    "verified": _FLAG,
    "idempotent": _FLAG,
    "action_role": Field("a role name without path or ARN", _like(ROLE.pattern), optional=True),
    "region": Field(
        "a region of AWS like eu-central-1",
        lambda value: isinstance(value, str) and not regions.amiss(value),
        optional=True,
    ),
}
FIELDS: Mapping[str, Mapping[str, Field]] = {
    "pick_up": {"kind": _KIND},
    "lambda": {"kind": _KIND, "function": _FUNCTION},
    "sqs": {
        "kind": _KIND,
        "queue": Field("the name of a FIFO queue, which ends in .fifo", _like(r"[A-Za-z0-9_-]{1,75}\.fifo")),
    },
    "webhook": {
        "kind": _KIND,
        "url": Field("https://host/path of a public host, without user, query or fragment", is_public),
        "secret": Field("the name of a secret in Secrets Manager, not its ARN", _like(r"[A-Za-z0-9/_+=.@-]{1,512}")),
    },
    "bedrock": {
        **_BEDROCK,
        "agent_id": _BEDROCK_ID,
        "alias_id": _BEDROCK_ID,
        "session_ttl_s": Field("60 to 5400 seconds, the agent's idleSessionTTLInSeconds", _between(60, 5400)),
    },
    "bedrock_inline": {
        **_BEDROCK,
        "definition": Field("the name of a definition beside the policy", _like(r"[A-Za-z0-9_-]{1,64}")),
        "session_ttl_s": Field("60 to 3600 seconds, as for every inline agent", _between(60, 3600)),
    },
}
TARGETS = {kind: set(fields) for kind, fields in FIELDS.items()}
BEDROCK = ("bedrock", "bedrock_inline")


@dataclass(frozen=True)
class Agent:
    """One entry of the agent registry.

    Attributes:
        role: IAM role *name* of the processes that may capture.
        owner: mail address or `sub` of the person who answers for it and so may not decide.
        target: how its runs are resumed; the fields of its kind are those of `FIELDS`.
        keeps_runs_days: how long its saver keeps a paused run; 0 when nobody said.
        framework: what it is built with; empty when nobody said, as in registries from before it was asked.
        executor: the Lambda that runs what people propose beside its runs; of an agent of Bedrock its target names it.
    """

    name: str
    role: str
    owner: str
    target: Mapping[str, Any]
    keeps_runs_days: int = 0
    framework: str = ""
    executor: str = ""

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise SettingsError(f"agents: name {self.name!r} must match {NAME.pattern}")
        # A caller's ARN has lost its role's path: one in the registry would never match (aws-iam-authenticator#98).
        if not (ROLE.fullmatch(self.role) and is_theirs(self.role)):
            raise SettingsError(
                f"agents: role of {self.name} must be the name of a role of yours without path or ARN, not {self.role!r}"
            )
        if not isinstance(self.owner, str) or not is_comparable(self.owner):
            raise SettingsError(
                f"agents: owner of {self.name} must be a mail address, or a user's sub: "
                f"{self.owner!r} could be compared with nobody, so its owner could decide its calls"
            )
        if self.owner != self.owner.strip() or any(map(is_hidden, self.owner)):
            raise SettingsError(
                f"agents: owner of {self.name} must be one line without blanks around it or characters that cannot be seen, "
                f"not {self.owner!r}"
            )
        _check_target(self.name, self.target)
        _check_framework(self.name, self.kind, self.framework)
        if said := bounds.amiss("keeps_runs_days", self.keeps_runs_days):
            raise SettingsError(f"agents: keeps_runs_days of {self.name} must be whole days, and {said}")
        if self.keeps_runs_days and self.kind in BEDROCK:
            raise SettingsError(
                f"agents: keeps_runs_days of {self.name} says nothing: no saver keeps a run of Bedrock, "
                "and late decisions go through the executor"
            )

        if not isinstance(self.executor, str):
            raise SettingsError(f"agents: executor of {self.name} must be {_FUNCTION.must}, not {self.executor!r}")
        if self.executor and self.kind in BEDROCK:
            raise SettingsError(f"agents: executor of {self.name} stands in its target, as for every agent of Bedrock")
        if self.executor and not _FUNCTION.fits(self.executor):
            raise SettingsError(f"agents: executor of {self.name} must be {_FUNCTION.must}, not {self.executor!r}")

    @property
    def executes(self) -> str:
        """Name of the Lambda that runs decided calls in its place; empty without one."""
        return self.executor or str(self.target.get("executor", ""))

    @property
    def kind(self) -> str:
        """The kind of its target."""
        return str(self.target["kind"])

    @property
    def built_with(self) -> str:
        """The framework whose pauses it has: said by its target where the gateway captures them itself."""
        return "bedrock" if self.kind in BEDROCK else self.framework or UNSAID

    @property
    def action_role(self) -> str:
        """Name of the IAM role of its action-group Lambdas; empty when there is none."""
        return str(self.target.get("action_role", ""))

    @property
    def entry(self) -> dict[str, Any]:
        """The entry as the functions read it."""
        kept = {"keeps_runs_days": self.keeps_runs_days} if self.keeps_runs_days else {}
        said = {"framework": self.framework} if self.framework else {}
        said |= {"executor": self.executor} if self.executor else {}
        return {"name": self.name, "role": self.role, "owner": self.owner, "target": dict(self.target), **kept, **said}


def read_agents(entries: Any) -> tuple[Agent, ...]:
    """The registry of the settings. Raises SettingsError with a sentence that names the entry."""
    if not isinstance(entries, list | tuple):
        raise SettingsError("agents: must be entries that each begin with [[agents]]")
    return tuple(_agent(number, entry) for number, entry in enumerate(entries, 1))


def _agent(number: int, entry: Any) -> Agent:
    if isinstance(entry, Agent):
        return entry
    if not isinstance(entry, Mapping):
        raise SettingsError(f"agents: entry {number} must be a table that begins with [[agents]], not {entry!r}")
    which = f"agents: {entry['name']}" if isinstance(entry.get("name"), str) else f"agents: entry {number}"
    known = {one.name: one for one in fields(Agent)}
    for name in sorted(set(entry) - set(known)):
        near = get_close_matches(name, known, n=1)
        raise SettingsError(f"{which}: an agent has no {name}; {f'{near[0]} was meant' if near else 'take it out'}")
    if missing := [name for name, one in known.items() if one.default is MISSING and name not in entry]:
        raise SettingsError(f"{which}: needs {', '.join(missing)}")
    for name in ("name", "role"):
        if not isinstance(entry[name], str):
            raise SettingsError(f"{which}: {name} must be text in quotes, not {entry[name]!r}")
    return Agent(**entry)


def _check_target(agent: str, target: Any) -> None:
    kind = target.get("kind") if isinstance(target, Mapping) else None
    if not isinstance(kind, str) or kind not in FIELDS:
        near = get_close_matches(str(kind), FIELDS, n=1)
        meant = f"; {near[0]} was meant" if near else ""
        raise SettingsError(f"agents: target of {agent} must have a kind: one of {', '.join(sorted(FIELDS))}{meant}")
    fields = FIELDS[kind]
    if unknown := sorted(set(target) - set(fields)):
        raise SettingsError(f"agents: target of {agent}: a {kind} has no {', '.join(unknown)}")
    if missing := sorted(name for name, field in fields.items() if not field.optional and name not in target):
        raise SettingsError(f"agents: target of {agent}: a {kind} needs {', '.join(missing)}")
    for name, value in target.items():
        if not fields[name].fits(value):
            raise SettingsError(f"agents: target of {agent}: {name} must be {fields[name].must}, not {value!r}")
    if target.get("verified") and not target.get("action_role"):
        raise SettingsError(
            f"agents: target of {agent} is verified, so it needs action_role: "
            "the role under which its action-group Lambdas claim and report"
        )


def _check_framework(agent: str, kind: str, framework: Any) -> None:
    """An agent hands in pauses of one framework; those of Bedrock are captured by the gateway, whatever an entry says."""
    if not isinstance(framework, str):
        raise SettingsError(f"agents: framework of {agent} must be text in quotes, not {framework!r}")
    if kind in BEDROCK:
        if framework not in ("", "bedrock"):
            raise SettingsError(f"agents: framework of {agent} is {framework!r}, and its target is an agent of bedrock")
    elif framework and framework not in handed_in():
        raise SettingsError(
            f"agents: framework of {agent} must be one whose pauses agents hand in: {', '.join(handed_in())}, "
            f"not {framework!r}"
        )


def unsaid(agents: Collection[Agent]) -> list[str]:
    """Names of the agents whose entry does not say what they are built with, and neither does their target."""
    return [agent.name for agent in agents if not agent.framework and agent.kind not in BEDROCK]


def same(names: Collection[str]) -> list[str]:
    """Names of roles that stand there more than once, in whatever capitals."""
    lower = [name.lower() for name in names]
    return sorted({name for name in names if lower.count(name.lower()) > 1})


def check_together(agents: Collection[Agent], operators: Collection[str]) -> None:
    """What no entry shows alone: a role stands for one agent, in one part. Raises SettingsError."""
    for names in ([a.name for a in agents], [a.role.lower() for a in agents]):
        if len(set(names)) != len(names):
            raise SettingsError(f"agents: names and roles must be unique; {CAPITALS}")
    roles = {a.role.lower(): a.role for a in agents}
    acting = [a.action_role for a in agents if a.action_role]
    if doubled := same(acting):
        raise SettingsError(
            f"agents: {doubled} is the action_role of two agents: nobody could tell whose call it claims"
        )
    if both := sorted(one for one in acting if one.lower() in roles):
        raise SettingsError(
            f"agents: {both} is an agent's role and an action_role: it would capture what it then claims"
        )
    if both := sorted(one for one in operators if one.lower() in {*roles, *(role.lower() for role in acting)}):
        raise SettingsError(f"operators: {both} is an agent's role, and an agent must not settle its own calls")
