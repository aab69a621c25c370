"""The composition root: from the environment of a Lambda to the ports of its verb. Only handlers import it.

Nothing is read at import; clients are built on first use and only those that the function names.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools import Logger

from placet.aws.ids import KmsIds, SystemClock, SystemSecrets
from placet.aws.table import DynamoTable
from placet.aws.time_left import time_left
from placet.model.errors import Unreadable
from placet.model.registry import Registry, agent_of
from placet.policy.rules import Policy
from placet.records.keys import Keys
from placet.service.ports import (
    Agents,
    Bodies,
    Bus,
    Executors,
    Ids,
    Mail,
    Note,
    Outlets,
    Ports,
    Runtime,
    Timers,
    Verbs,
    Waits,
)

if TYPE_CHECKING:
    from placet.aws.login import Cognito
    from placet.aws.mail import Letter
    from placet.model.sinks import Sink
    from placet.service.ports import Digest

logger = Logger(service="placet")


@functools.cache
def ports(*names: str) -> Ports:
    """The ports of one function: table, clock, policy and registry always, the others by name."""
    made: dict[str, Any] = {_PORT_OF.get(name, name): _MAKERS[name]() for name in names}
    return Ports(
        table=DynamoTable(os.environ["PLACET_TABLE"]),
        keys=Keys(os.environ.get("PLACET_TENANT", "main")),
        clock=SystemClock(),
        policy=policy(),
        registry=registry(),
        epoch=int(os.environ.get("PLACET_EPOCH", "1")),
        base_url=os.environ.get("PLACET_BASE_URL", "").rstrip("/"),
        most_open=int(os.environ.get("PLACET_MOST_OPEN", "1000")),
        log=log,
        **made,
    )


def begin(context: object) -> None:
    """An invocation begins: what it asks of others has to fit into its time."""
    time_left.begin(context)


def policy() -> Policy:
    """The customer's rules, from the policy layer."""
    import placet_policy

    found: Policy = placet_policy.POLICY
    return found


def registry() -> Registry:
    """The agents that were deployed with the stack."""
    entries = json.loads(os.environ.get("PLACET_AGENTS", "[]"))
    return Registry(tuple(agent_of(entry) for entry in entries))


def operators() -> frozenset[str]:
    """Names of the IAM roles that may operate."""
    return frozenset(json.loads(os.environ.get("PLACET_OPERATORS", "[]")))


def log(name: str, facts: dict[str, Any]) -> None:
    """One structured line per fact: ids, codes and counts; never arguments, tokens, texts of the model or of an exception."""
    if name in (
        "failed",
        "stuck",
        "mail_not_sent",
        "timer_not_set",
        "wait_lost",
        "sweep_failed",
        "mail_refused",
        "mail_unsure",
        "sink_refused",
    ):
        logger.error(name, extra=facts)
        _count(name)
    else:
        logger.info(name, extra=facts)
        _count(name)


def met(error: Unreadable) -> None:
    """A record that cannot be read, met by a function that may write: its pause is listed."""
    from placet.service import unreadable

    unreadable.met(ports(), error)


@functools.cache
def login() -> Cognito:
    """The user pool's login."""
    from placet.aws.login import Cognito

    return Cognito(
        login_url=os.environ["PLACET_LOGIN_URL"],
        client_id=os.environ["PLACET_CLIENT_ID"],
        issuer=os.environ["PLACET_ISSUER"],
        jwks_url=os.environ["PLACET_JWKS_URL"],
        callback_url=f"{base_url()}/sign-in/callback",
    )


def base_url() -> str:
    """The public address of the pages; links are built from it, never from a request."""
    return os.environ["PLACET_BASE_URL"].rstrip("/")


_SERVICE = {"service": "placet"}


def _count(name: str) -> None:
    """One metric per fact, without ids: each dimension set is paid for."""
    from aws_lambda_powertools.metrics import MetricUnit, single_metric

    with single_metric(name=name, unit=MetricUnit.Count, value=1, namespace="Placet", default_dimensions=_SERVICE):
        pass


def _bodies() -> Bodies:
    from placet.aws.bodies import S3Bodies

    return S3Bodies(os.environ["PLACET_BUCKET"])


def _ids() -> Ids:
    return KmsIds(os.environ["PLACET_ID_KEY"])


def _secrets() -> Ids:
    return SystemSecrets()


def _waits() -> Waits:
    from placet.aws.waits import StepFunctions

    return StepFunctions(os.environ["PLACET_STATE_MACHINE_ARN"])


def _timers() -> Timers:
    from placet.aws.timers import Scheduler

    return Scheduler(
        group=os.environ["PLACET_SCHEDULE_GROUP"],
        role_arn=os.environ["PLACET_SCHEDULE_ROLE_ARN"],
        target_arn=os.environ["PLACET_ESCALATE_ARN"],
        dead_letter_arn=os.environ["PLACET_SCHEDULE_DLQ_ARN"],
        tenant=os.environ.get("PLACET_TENANT", "main"),
        now_ms=SystemClock().now_ms,
    )


def _mail() -> Mail:
    from placet.aws.mail import Ses

    return Ses(
        sender=os.environ["PLACET_MAIL_FROM"],
        configuration_set=os.environ["PLACET_MAIL_CONFIGURATION_SET"],
        render=_letter,
    )


def _letter(note: Note | Digest) -> Letter:
    """A note as the mail that people get; its link names the pause, or the inbox, and decides nothing."""
    from placet.aws.mail import Letter
    from placet.service.ports import Digest
    from placet.web.mail import MailFacts, mail_of

    if isinstance(note, Digest):
        from placet.web.digest import DigestFacts, digest_of

        link = f"{base_url()}/inbox"
        told = digest_of(
            DigestFacts(
                note.to_email,
                note.waiting,
                note.more,
                note.deadline_ms,
                link,
                note.handed,
                tuple(map(str, note.handed_by)),
            )
        )
        return Letter(told.subject, told.text, told.html)

    facts = MailFacts(
        reviewer_name=note.to_name,
        reviewer_email=note.to_email,
        title_class="",
        headline="",
        tools=note.tools,
        agent=note.agent,
        requester=note.requester,
        entity=note.entity,
        deadline_ms=note.deadline_ms,
        link=f"{base_url()}/reviews/{note.pause}",
        action_class=note.action_class,
        effect=note.effect,
        now_ms=SystemClock().now_ms(),
        asked_ms=note.asked_ms,
        calls=note.calls,
        why=note.why,
        thens=note.thens,
        rules=note.rules,
        group=note.group,
    )
    mail = mail_of(facts)
    return Letter(mail.subject, mail.text, mail.html)


def _agents() -> Agents:
    from placet.aws.delivery import Delivering

    return Delivering()


def _verbs() -> Verbs:
    from placet.aws.invoking import LambdaVerbs

    names = {verb: f"PLACET_{verb.upper()}_ARN" for verb in ("resume", "escalate", "notify")}
    return LambdaVerbs({verb: os.environ[name] for verb, name in names.items() if name in os.environ})


def _runtime() -> Runtime:
    from placet.aws.bedrock import BedrockRuntime

    return BedrockRuntime(_definition)


def _definition(name: str) -> str:
    """An inline agent's definition, from the policy layer: it is deployed with the rules that it is judged by."""
    import placet_policy

    return Path(placet_policy.__file__).with_name("placet_agents").joinpath(f"{name}.json").read_text("utf-8")


def _bus() -> Bus:
    from placet.aws.bus import EventBridge

    return EventBridge(os.environ["PLACET_BUS"])


def _outlets() -> Outlets:
    from placet.aws.delivery.outlets import Outlets as Told
    from placet.web import chat

    return Told({"slack": chat.slack, "teams": chat.teams}, os.environ.get("PLACET_TOPICS", ""))


def sinks() -> tuple[Sink, ...]:
    """Where messages about pauses go, as it was deployed."""
    from placet.model.sinks import sink_of

    return tuple(sink_of(entry) for entry in json.loads(os.environ.get("PLACET_SINKS", "[]")))


def _executors() -> Executors:
    from placet.aws.executors import LambdaExecutors

    return LambdaExecutors()


_MAKERS: dict[str, Callable[[], Any]] = {
    "bodies": _bodies,
    "ids": _ids,
    "secrets": _secrets,
    "waits": _waits,
    "timers": _timers,
    "mail": _mail,
    "agents": _agents,
    "verbs": _verbs,
    "runtime": _runtime,
    "executors": _executors,
    "bus": _bus,
    "outlets": _outlets,
}
_PORT_OF = {"secrets": "ids"}
