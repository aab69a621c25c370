"""The composition root: from the environment of a Lambda to the ports of its verb. Only handlers import it.

Nothing is read at import; clients are built on first use and only those that the function names.
"""

from __future__ import annotations

import functools
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
from placet.wiring.environment import TOLD

if TYPE_CHECKING:
    from placet.aws.login import Cognito
    from placet.model.sinks import Sink
    from placet.service.ports import Digest
    from placet.web.mail import Letter

logger = Logger(service="placet")


@functools.cache
def ports(*names: str) -> Ports:
    """The ports of one function: table, clock, policy and registry always, the others by name."""
    made: dict[str, Any] = {_PORT_OF.get(name, name): _MAKERS[name]() for name in names}
    return Ports(
        table=DynamoTable(TOLD.table),
        keys=Keys(TOLD.tenant),
        clock=SystemClock(),
        policy=policy(),
        registry=registry(),
        epoch=TOLD.epoch,
        base_url=TOLD.base_url,
        most_open=TOLD.most_open,
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
    return Registry(tuple(agent_of(entry) for entry in TOLD.agents))


def operators() -> frozenset[str]:
    """Names of the IAM roles that may operate."""
    return TOLD.operators


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
        login_url=TOLD.login_url,
        client_id=TOLD.client_id,
        issuer=TOLD.issuer,
        jwks_url=TOLD.jwks_url,
        callback_url=f"{base_url()}/sign-in/callback",
    )


def base_url() -> str:
    """The public address of the pages; links are built from it, never from a request."""
    return TOLD.base_url


_SERVICE = {"service": "placet"}


def _count(name: str) -> None:
    """One metric per fact, without ids: each dimension set is paid for."""
    from aws_lambda_powertools.metrics import MetricUnit, single_metric

    with single_metric(name=name, unit=MetricUnit.Count, value=1, namespace="Placet", default_dimensions=_SERVICE):
        pass


def _bodies() -> Bodies:
    from placet.aws.bodies import S3Bodies

    return S3Bodies(TOLD.bucket)


def _ids() -> Ids:
    return KmsIds(TOLD.id_key)


def _secrets() -> Ids:
    return SystemSecrets()


def _waits() -> Waits:
    from placet.aws.waits import StepFunctions

    return StepFunctions(TOLD.state_machine_arn)


def _timers() -> Timers:
    from placet.aws.timers import Scheduler

    return Scheduler(
        group=TOLD.schedule_group,
        role_arn=TOLD.schedule_role_arn,
        target_arn=TOLD.escalate_arn,
        dead_letter_arn=TOLD.schedule_dlq_arn,
        tenant=TOLD.tenant,
        now_ms=SystemClock().now_ms,
    )


def _mail() -> Mail:
    from placet.aws.mail import Ses

    return Ses(
        sender=TOLD.mail_from,
        configuration_set=TOLD.mail_configuration_set,
        render=_letter,
    )


def _letter(note: Note | Digest) -> Letter:
    from placet.web.letters import letter_of

    return letter_of(note, base_url(), SystemClock().now_ms())


def _agents() -> Agents:
    from placet.aws.delivery import Delivering

    return Delivering()


def _verbs() -> Verbs:
    from placet.aws.invoking import LambdaVerbs

    return LambdaVerbs(TOLD.verbs)


def _runtime() -> Runtime:
    from placet.aws.bedrock import BedrockRuntime

    return BedrockRuntime(_definition)


def _definition(name: str) -> str:
    """An inline agent's definition, from the policy layer: it is deployed with the rules that it is judged by."""
    import placet_policy

    return Path(placet_policy.__file__).with_name("placet_agents").joinpath(f"{name}.json").read_text("utf-8")


def _bus() -> Bus:
    from placet.aws.bus import EventBridge

    return EventBridge(TOLD.bus)


def _outlets() -> Outlets:
    from placet.aws.delivery.outlets import Outlets as Told
    from placet.web import chat

    return Told({"slack": chat.slack, "teams": chat.teams}, TOLD.topics)


def sinks() -> tuple[Sink, ...]:
    """Where messages about pauses go, as it was deployed."""
    from placet.model.sinks import sink_of

    return tuple(sink_of(entry) for entry in TOLD.sinks)


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
