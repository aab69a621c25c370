"""What an error of AWS means: refused for good, it may work later, or certainly never sent.

Lists name what is final. Whatever they do not name may work later: a service has more ways to be in trouble than anybody can
write down (a 502 of a load balancer has no code at all), and what may pass and is asked again is told, not lost.
"""

from __future__ import annotations

import ssl
from collections.abc import Container
from typing import Any

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    CredentialRetrievalError,
    EndpointConnectionError,
    NoCredentialsError,
    NoRegionError,
    ParamValidationError,
    PartialCredentialsError,
    ProxyConnectionError,
    SSLError,
)

from placet.aws.time_left import NoTimeLeft

# Nothing of the request went over the wire.
_NEVER_SENT = (
    NoTimeLeft,
    EndpointConnectionError,
    ConnectTimeoutError,
    ProxyConnectionError,
    ParamValidationError,
    NoCredentialsError,
    PartialCredentialsError,
    CredentialRetrievalError,
    NoRegionError,
)


def code_of(error: Exception) -> str:
    """The code of an answer; the error's own name where there was none."""
    return str(error.response["Error"]["Code"]) if isinstance(error, ClientError) else type(error).__name__


def is_final(error: ClientError | BotoCoreError, codes: Container[str]) -> bool:
    """Whether the request was refused with one of these codes, by a service that is not in trouble itself."""
    return isinstance(error, ClientError) and not in_trouble(error) and code_of(error) in codes


def in_trouble(error: ClientError | BotoCoreError) -> bool:
    """Whether the service answered that it is asked too often, or that it failed (429, 5xx)."""
    answer: dict[str, Any] = error.response if isinstance(error, ClientError) else {}
    status: int = answer.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return status == 429 or status >= 500


def never_sent(error: Exception) -> bool:
    """Whether nothing of the request can have reached the service: who answers was not found, not believed, or not asked."""
    if isinstance(error, SSLError):  # another one may come while the answer is read
        return _holds(error.kwargs.get("error"), ssl.SSLCertVerificationError)
    return isinstance(error, _NEVER_SENT)


def _holds(error: object, kind: type[Exception]) -> bool:
    """Whether an error is of a kind, or carries one that is: urllib3 wraps what ssl raises."""
    return isinstance(error, kind) or (isinstance(error, Exception) and any(_holds(one, kind) for one in error.args))
