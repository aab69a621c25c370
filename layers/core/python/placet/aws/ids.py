"""Names that cannot be guessed: HMAC keys never leave KMS, randomness comes from the operating system."""

from __future__ import annotations

import hashlib
import secrets
import time
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from placet.aws.clients import client
from placet.aws.refusals import code_of, is_final
from placet.model.errors import Busy, Refused
from placet.model.ids import name_text, short_name

_REFUSED = frozenset(
    {
        "AccessDeniedException",
        "NotFoundException",
        "DisabledException",
        "KMSInvalidStateException",
        "InvalidKeyUsageException",
        "ValidationException",
    }
)


class KmsIds:
    """Pause ids under the tenant's HMAC key."""

    def __init__(self, key_id: str, kms: Any = None) -> None:
        self._key_id = key_id
        self._kms = kms

    def pause_id(self, agent: str, run: str, natural_key: str) -> str:
        """One KMS call per capture."""
        message = hashlib.sha256(
            name_text(agent, run, natural_key)
        ).digest()  # KMS takes 4,096 bytes, names may be longer
        kms = self._kms if self._kms is not None else client("kms")  # most runs that are resumed make no pause
        try:
            answer = kms.generate_mac(KeyId=self._key_id, MacAlgorithm="HMAC_SHA_256", Message=message)
        except (ClientError, BotoCoreError) as error:
            if is_final(error, _REFUSED):
                raise Refused("key_refused", f"The key service refused the request: {code_of(error)}") from None
            raise Busy("The key service is throttled or cannot be reached.") from None
        return short_name(answer["Mac"])

    def secret(self) -> str:
        """256 random bits."""
        return secrets.token_urlsafe(32)


class SystemSecrets:
    """Randomness for functions that make no pause ids."""

    def pause_id(self, agent: str, run: str, natural_key: str) -> str:
        """Not theirs to make."""
        raise RuntimeError("this function makes no pause ids")

    def secret(self) -> str:
        """256 random bits."""
        return secrets.token_urlsafe(32)


class SystemClock:
    """The machine's clock."""

    def now_ms(self) -> int:
        """Milliseconds since 1970 UTC."""
        return time.time_ns() // 1_000_000
