"""An agent behind a webhook on this machine, and the way to it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from placet.aws.delivery.addresses import reachable
from placet.aws.delivery.https import Posting
from placet.aws.delivery.signatures import Secrets
from placet.aws.delivery.webhooks import Webhooks
from placet.model.canonical import parse
from placet.model.errors import Refused
from placet.model.pauses import Agent
from tests.contract.faults import Answering
from tests.proofs.pushing.authority import Authority
from tests.proofs.pushing.server import ADDRESS, Hook

NAME, OTHER = "agent.example", "other.example"
SECRET, NEXT = "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_" + "A" * 40
TEXT = '{"type":"placet.decided","pause":"k3v","generation":2,"resume":{"run":"t-1","amount":1240.00,"who":"Zoë"}}'
PAYLOAD = parse(TEXT)
_AUTHORITY = Authority()
SERVING, TRUSTING = _AUTHORITY.serving(NAME), _AUTHORITY.trusting()


def agent(hook: Hook, name: str = NAME, path: str = "/decided?v=1") -> Agent:
    """An agent whose webhook has this name."""
    return Agent("hooked-agent", "role", "owner", "webhook", url=hook.url(name, path), secret="hooks/agent")


def posting(*addresses: str, **more: Any) -> Posting:
    """To these addresses by every name; loopback is allowed where the server listens and nowhere else."""
    given = {"context": TRUSTING, "total_s": 5.0, "allowed": lambda one: str(one) == ADDRESS or reachable(one), **more}
    return Posting(lambda host, port: list(addresses or (ADDRESS,)), **given)


def webhooks(way: Posting | None = None, *, secret: Any = None, now: datetime | None = None) -> Webhooks:
    """The port, by that way."""
    secrets = secret or Secrets(Answering({"SecretString": SECRET}))
    return Webhooks(secrets, way or posting(), lambda: now or datetime.now(UTC))


def refused(job: Callable[[], Any]) -> str:
    """Why it is refused for good."""
    with pytest.raises(Refused) as error:
        job()
    assert error.value.code == "delivery_refused"
    return error.value.detail
