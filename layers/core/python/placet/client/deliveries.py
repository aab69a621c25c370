"""Decisions that come by a queue or a webhook: what a consumer does with one.

delivery = from_sqs(record)                           # a message of the agent's FIFO queue
delivery = from_webhook(headers, body, secret)        # a signed POST
work(gateway, delivery, handler)                      # take the pause under a lease, go on with its run

A delivery only says that there is something to take. Whoever has one takes the pause, so a delivery that comes twice, late or in
another order is worked on once, and what is worked on is what the gateway has decided by then.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from placet.client.errors import ClientError, NotADelivery, RunIsBusy
from placet.client.gateway import Gateway
from placet.client.records import Pause
from placet.client.waiting import kept

DECIDED = "placet.decided"


@dataclass(frozen=True)
class Delivery:
    """A pause of this agent is decided.

    Attributes:
        generation: grows when a pause is decided anew, because an approval got too old.
        resume: the decisions as they stood when it was sent; None when they were too large for the queue.
    """

    pause: str
    generation: int
    resume: Pause | None = None


def from_webhook(headers: Mapping[str, str], body: bytes | str, secret: str) -> Delivery:
    """The delivery in a signed POST; needs `placet[webhooks]`.

    Args:
        headers: of the request, in any case of letters.
        body: exactly the bytes that came.
        secret: as in Secrets Manager; while it is replaced both, with a space in between.

    Raises:
        NotADelivery: not signed under the secret, older than five minutes, or not of the gateway: answer 401.
    """
    try:
        text = body if isinstance(body, str) else body.decode()
    except UnicodeDecodeError:
        raise NotADelivery("The body is not UTF-8.") from None
    if not any([_signed(headers, text, one) for one in secret.split()]):
        raise NotADelivery("The body is not signed under this secret, or the signature is too old.")
    delivery = _read(text)
    named = {name.lower(): value for name, value in headers.items()}["webhook-id"]
    if named != f"{delivery.pause}-{delivery.generation}":
        raise NotADelivery("The body is signed for another delivery.")
    return delivery


def from_sqs(record: Mapping[str, Any]) -> Delivery:
    """The delivery in a message: a record of a Lambda event (`body`) or of ReceiveMessage (`Body`). Raises NotADelivery."""
    text = record.get("body", record.get("Body"))
    if not isinstance(text, str):
        raise NotADelivery("The message has no body.")
    return _read(text)


def work(gateway: Gateway, delivery: Delivery, handler: Callable[[Pause], Any]) -> bool:
    """Take the pause under a lease, which is renewed while `handler` goes on with its run.

    Returns:
        False when there is nothing to do any more: the run went on already, or a person is asked again.

    Raises:
        RunIsBusy: somebody else holds the lease. Leave the message in the queue, or answer 503.
        GatewayUnavailable, and what `handler` raises: the same. After a ClientError of the handler the lease is given back, else it
            is over after two minutes.
    """
    taken = gateway.take(delivery.pause).pauses
    if not taken:
        if gateway.pause(delivery.pause).state == "decided":
            raise RunIsBusy(f"Another process works on pause {delivery.pause} now.")
        return False
    with kept(gateway, taken[0]):
        handler(taken[0])
    return True


def _signed(headers: Mapping[str, str], text: str, secret: str) -> bool:
    try:
        from standardwebhooks.webhooks import EmptyWebhookSecretError, Webhook, WebhookVerificationError
    except ImportError:
        raise ClientError("Webhooks are verified by the package standardwebhooks: install placet[webhooks].") from None
    try:
        Webhook(secret).verify(text, dict(headers), json_parse=False)
    except (
        EmptyWebhookSecretError,
        WebhookVerificationError,
        ValueError,
    ):  # a header without its parts is a ValueError there
        return False
    return True


def _read(text: str) -> Delivery:
    try:
        told = json.loads(text)
    except ValueError:
        told = None
    if not isinstance(told, dict) or told.get("type") != DECIDED:
        raise NotADelivery("The message does not tell of a decided pause.")
    try:
        return Delivery(
            str(told["pause"]), int(told["generation"]), Pause.of(told["resume"]) if "resume" in told else None
        )
    except (KeyError, TypeError, ValueError):
        raise NotADelivery("The message tells of a decided pause in a way that this release does not know.") from None
