"""Decisions to a signed webhook (standardwebhooks.com): one POST to an address that was judged before."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from placet.aws.delivery.https import Posting
from placet.aws.delivery.ids import name_of
from placet.aws.delivery.signatures import Secrets
from placet.model.canonical import exact_text
from placet.model.errors import Busy, Refused
from placet.model.pauses import Agent

LATER = frozenset({408, 409, 425, 429})
NOT_SIGNED = frozenset({401, 403})


class Webhooks:
    """Agents whose registry entry names an https address and the secret that signs what is sent there.

    Args:
        secrets, posting: where secrets come from, and the way to the address.
        now: for the signature's timestamp.
    """

    def __init__(
        self,
        secrets: Secrets | None = None,
        posting: Posting | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._secrets = secrets or Secrets()
        self._posting = posting or Posting()
        self._now = now

    def deliver(self, agent: Agent, payload: dict[str, Any]) -> None:
        """Sign and send once; every attempt carries the same `webhook-id`.

        Raises:
            Busy: not reached, no answer in time, a 5xx, or a status that asks to come again.
            Refused: `delivery_refused`: the address may not be called, or it answered with a redirection or another 4xx.
        """
        body, signing = exact_text(payload), self._secrets.signing(agent.secret)
        headers = signing.headers(name_of(payload), self._now(), body)
        status = self._posting.post(agent.url, body.encode(), headers)
        host = urlsplit(agent.url).hostname
        if status in NOT_SIGNED and self._secrets.forget(agent.secret, signing):
            raise Busy(f"{host} answered {status} to a signature under a secret that may have been replaced.")
        taken(status, str(host))


def taken(status: int, host: str) -> None:
    """What an answer means. Raises Busy for what may be taken later, Refused `delivery_refused` for what never will."""
    if 200 <= status < 300:
        return
    if status in LATER or not 300 <= status < 500:
        raise Busy(f"{host} answered {status}.")
    raise Refused("delivery_refused", f"{host} answered {status}.")
