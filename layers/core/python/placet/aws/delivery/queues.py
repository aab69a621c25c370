"""Decisions into an SQS FIFO queue: in order within a run, and a delivery that is sent again is one message."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from placet.aws.clients import client
from placet.aws.delivery.ids import name_of
from placet.aws.refusals import code_of, is_final
from placet.model.canonical import exact_text
from placet.model.errors import Busy, Refused
from placet.model.pauses import Agent

MOST_BYTES = 256 * 1024  # what every queue takes that nobody has given a smaller limit
IDS = ("type", "pause", "generation")
_GROUP = re.compile(r"[!-~]{1,128}")  # letters, digits and punctuation
_NO_XML = re.compile("[\ufffe\uffff]")  # SQS refuses a body that holds them; in JSON they can be written otherwise
_GONE = frozenset({"AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist"})
_TOO_LONG = frozenset({"InvalidParameterValue", "InvalidParameterValueException"})
_REFUSED = frozenset(
    {
        "AccessDenied",
        "AccessDeniedException",
        "InvalidAddress",
        "InvalidMessageContents",
        "InvalidSecurity",
        "MissingParameter",
        "UnsupportedOperation",
        "AWS.SimpleQueueService.UnsupportedOperation",
        "KmsAccessDenied",
        "KmsDisabled",
        "KmsInvalidKeyUsage",
        "KmsInvalidState",
        "KmsNotFound",
        "KmsOptInRequired",
        *(f"KMS.{one}Exception" for one in ("AccessDenied", "Disabled", "InvalidKeyUsage", "NotFound")),
    }
)


class Queues:
    """Agents whose registry entry names a FIFO queue of this account and region."""

    def __init__(self, sqs: Any = None) -> None:
        self._sqs = sqs if sqs is not None else client("sqs")
        self._urls: dict[str, str] = {}

    def deliver(self, agent: Agent, payload: dict[str, Any]) -> None:
        """Send one message. A body that is too large for the queue has the ids only: its consumer asks the gateway.

        Raises:
            Busy: SQS is throttled or cannot be reached.
            Refused: `delivery_refused`: there is no such queue, or the gateway may not send to it.
        """
        message = {
            "QueueUrl": self._url(agent.queue),
            "MessageGroupId": group_of(payload["resume"]["run"]),
            "MessageDeduplicationId": name_of(payload),
        }
        whole, short = body_of(payload), body_of({name: payload[name] for name in IDS})
        if len(whole.encode()) > MOST_BYTES:
            whole = short
        try:
            self._sqs.send_message(**message, MessageBody=whole)
        except (ClientError, BotoCoreError) as error:
            if whole == short or not is_final(error, _TOO_LONG):
                raise self._meaning(agent.queue, error) from None
            self._asked(agent.queue, lambda: self._sqs.send_message(**message, MessageBody=short))

    def _url(self, queue: str) -> str:
        if queue not in self._urls:
            self._urls[queue] = self._asked(queue, lambda: self._sqs.get_queue_url(QueueName=queue))["QueueUrl"]
        return self._urls[queue]

    def _asked(self, queue: str, request: Callable[[], Any]) -> Any:
        try:
            return request()
        except (ClientError, BotoCoreError) as error:
            raise self._meaning(queue, error) from None

    def _meaning(self, queue: str, error: ClientError | BotoCoreError) -> Exception:
        if is_final(error, _GONE):
            self._urls.pop(queue, None)  # it may be made again, under whatever address
            return Refused("delivery_refused", f"There is no queue {queue}.")
        if is_final(error, _REFUSED | _TOO_LONG):
            return Refused("delivery_refused", f"The queue {queue} refused the message: {code_of(error)}")
        return Busy(f"SQS is throttled or cannot be reached: {code_of(error)}")


def body_of(payload: dict[str, Any]) -> str:
    """The payload as JSON of characters that SQS takes, numbers as they were written."""
    return _NO_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", exact_text(payload))


def group_of(run: str) -> str:
    """The run as a message group; its SHA-256 when SQS would not take it as it is."""
    return run if _GROUP.fullmatch(run) else hashlib.sha256(run.encode()).hexdigest()
