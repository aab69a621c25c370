"""Decided pauses, as their targets are sent them, and a handler that works on them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from standardwebhooks import Webhook

from placet.client import Gateway, Pause, Permits
from placet.model.canonical import exact_text
from placet.service.resume import resume
from tests.proofs.pushing.house import QUEUED, House
from tests.proofs.pushing.served import Served

SECRET, NEXT = "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_" + "A" * 40


def sent(gateway: House, agent: Any = QUEUED) -> tuple[str, dict[str, Any]]:
    """A decided pause, and what its target was sent."""
    head = gateway.accepted(agent)
    resume(gateway.ports, head.pause)
    return head.pause, json.loads(exact_text(gateway.agents.delivered[-1][1]))


def signed(
    payload: Any, secret: str = SECRET, at: datetime | None = None, name: str = ""
) -> tuple[dict[str, str], str]:
    """The headers and body of a POST."""
    text, at = json.dumps(payload, ensure_ascii=False), at or datetime.now(UTC)
    message = name or f"{payload['pause']}-{payload['generation']}"
    headers = {"Webhook-Id": message, "Webhook-Timestamp": str(int(at.timestamp()))}
    return {**headers, "Webhook-Signature": Webhook(secret).sign(message, at, text)}, text


def working(gateway: House, agent: Any = QUEUED) -> tuple[Gateway, list[str], Any]:
    """The agent's side of it: a gateway to talk to, the refunds that were paid, and the handler that pays and reports."""
    talking, paid = Gateway(transport=Served(gateway.ports, agent)), []

    def handler(pause: Pause) -> None:
        for call in pause.calls:
            Permits(talking).execute(call, lambda arguments: paid.append(arguments["order_id"]))
        talking.resumed(pause.pause, pause.fence)

    return talking, paid, handler
