"""Signing secrets of webhooks, from Secrets Manager."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from placet.aws.clients import client
from placet.aws.refusals import code_of, is_final
from placet.model.errors import Busy, Refused

KEPT_S = 300.0
PREFIX = "whsec_"
LEAST_BYTES = 24  # of a secret, as Standard Webhooks wants it
_REFUSED = frozenset(
    {
        "AccessDeniedException",
        "ResourceNotFoundException",
        "InvalidParameterException",
        "InvalidRequestException",
        "DecryptionFailure",
        "ValidationException",
    }
)


@dataclass(frozen=True)
class Signing:
    """The secrets of one webhook and since when (s) they are known; while one is replaced there are two, and both sign.

    Attributes:
        fresh: read for this delivery, not kept from an earlier one.
    """

    secrets: tuple[str, ...]
    read_s: float
    fresh: bool = True

    def headers(self, message: str, at: datetime, body: str) -> dict[str, str]:
        """What proves to the receiver who sent this, and when."""
        from standardwebhooks import Webhook

        return {
            "webhook-id": message,
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": " ".join(Webhook(one).sign(message, at, body) for one in self.secrets),
        }


class Secrets:
    """Secrets by name, each kept for at most five minutes."""

    def __init__(self, manager: Any = None, seconds: Callable[[], float] = time.monotonic) -> None:
        self._manager = manager
        self._seconds = seconds
        self._kept: dict[str, Signing] = {}

    def signing(self, name: str) -> Signing:
        """What signs for the webhook whose secret has this name.

        Raises:
            Busy: Secrets Manager is throttled or cannot be reached.
            Refused: `delivery_refused`: there is no such secret, it may not be read, or it is none.
        """
        now = self._seconds()
        kept = self._kept.get(name)
        if kept is not None and now < kept.read_s + KEPT_S:
            return Signing(kept.secrets, kept.read_s, fresh=False)
        self._kept[name] = Signing(_secrets(name, self.text(name)), now)
        return self._kept[name]

    def forget(self, name: str, signing: Signing) -> bool:
        """Ask anew next time; True when that may change something, because this one was not read just now."""
        self._kept.pop(name, None)
        return not signing.fresh

    def text(self, name: str) -> str:
        """A secret as it is stored, read now. Raises as `signing`."""
        self._manager = self._manager if self._manager is not None else client("secretsmanager")
        try:
            return str(self._manager.get_secret_value(SecretId=name).get("SecretString", ""))
        except (ClientError, BotoCoreError) as error:
            if is_final(error, _REFUSED):
                raise Refused("delivery_refused", f"The secret {name} cannot be read: {code_of(error)}") from None
            raise Busy(f"Secrets Manager is throttled or cannot be reached: {code_of(error)}") from None


def _secrets(name: str, text: str) -> tuple[str, ...]:
    """`whsec_…`, or two of them while one is replaced. The library would take any text and sign with whatever came of it."""
    found = tuple(text.split())
    if not found or not all(_bytes(one) >= LEAST_BYTES for one in found):
        raise Refused(
            "delivery_refused", f"The secret {name} is not whsec_ and the base64 of at least {LEAST_BYTES} bytes."
        )
    return found


def _bytes(secret: str) -> int:
    """How long a secret is; 0 for what is none."""
    text = secret.removeprefix(PREFIX)
    try:
        decoded = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        return 0
    return len(decoded) if secret.startswith(PREFIX) else 0
