"""Messages to sinks: a topic of SNS, an incoming webhook of Slack or Teams, a signed webhook. One attempt; who calls repeats it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from botocore.exceptions import BotoCoreError, ClientError

from placet.aws.clients import client
from placet.aws.delivery.https import Posting
from placet.aws.delivery.signatures import Secrets
from placet.aws.delivery.webhooks import taken
from placet.aws.refusals import code_of, is_final
from placet.model.errors import Busy, Refused
from placet.model.sinks import Sink

Render = Callable[[Mapping[str, Any], str], dict[str, Any]]
_REFUSED = frozenset(
    {"NotFound", "NotFoundException", "AuthorizationError", "AuthorizationErrorException", "InvalidParameter"}
)


class Outlets:
    """The outlets port.

    Args:
        render: for each chat, its message of an event and a headline (empty: none).
        topics: what the ARN of a topic begins with.
    """

    def __init__(
        self,
        render: Mapping[str, Render],
        topics: str = "",
        *,
        secrets: Secrets | None = None,
        posting: Posting | None = None,
        sns: Any = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._render = render
        self._topics = topics
        self._secrets = secrets or Secrets()
        self._posting = posting or Posting()
        self._sns = sns
        self._now = now

    def tell(self, sink: Sink, detail: Mapping[str, Any], headline: str) -> None:
        """Tell a sink once.

        Raises:
            Busy: it was not reached, is throttled, or asks to come again.
            Refused: `delivery_refused`: it refuses, its secret cannot be read, or its address may not be called.
        """
        if sink.kind == "sns":
            self._publish(sink, _plain(detail, headline))
        elif sink.kind == "webhook":
            self._sign(sink, str(detail["id"]), _plain(detail, headline))
        else:
            url = self._secrets.text(sink.secret).strip()
            body = json.dumps(self._render[sink.kind](detail, headline)).encode()
            taken(self._posting.post(url, body, {}), str(urlsplit(url).hostname))

    def _sign(self, sink: Sink, event: str, body: str) -> None:
        # A header takes no text that an agent chose, and an event's name may hold one.
        message = f"msg_{hashlib.sha256(event.encode()).hexdigest()[:32]}"
        signing = self._secrets.signing(sink.secret)
        status = self._posting.post(sink.url, body.encode(), signing.headers(message, self._now(), body))
        taken(status, str(urlsplit(sink.url).hostname))

    def _publish(self, sink: Sink, body: str) -> None:
        self._sns = self._sns if self._sns is not None else client("sns")
        told = json.loads(body)
        attributes = {"event": told["type"], "agent": told["data"]["agent"]}
        try:
            self._sns.publish(
                TopicArn=self._topics + sink.topic,
                Message=body,
                MessageAttributes={
                    name: {"DataType": "String", "StringValue": value} for name, value in attributes.items() if value
                },
            )
        except (ClientError, BotoCoreError) as error:
            if is_final(error, _REFUSED):
                raise Refused("delivery_refused", f"The topic {sink.topic} refused: {code_of(error)}") from None
            raise Busy(f"SNS is throttled or cannot be reached: {code_of(error)}") from None


def _plain(detail: Mapping[str, Any], headline: str) -> str:
    """The event as programs read it: `type`, `data`, and `headline` where the sink may be told."""
    told = {"type": f"placet.{detail['event']}", "data": dict(detail)}
    return json.dumps(told | ({"headline": headline} if headline else {}), separators=(",", ":"))
