"""Whether a Lambda was started whose answer is an error: one judgement for agents and executors.

Errors: https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#API_Invoke_Errors
"""

from __future__ import annotations

from enum import Enum

from botocore.exceptions import BotoCoreError, ClientError

from placet.aws.refusals import code_of, never_sent


class Start(Enum):
    """What an error of Invoke says about the function's start."""

    NEVER = "never"
    LATER = "later"
    UNKNOWN = "unknown"


# Lambda turned the request away before it started the function, and will do so again until somebody changes something.
_NEVER = frozenset(
    {
        "AccessDeniedException",
        "ResourceNotFoundException",
        "InvalidRequestContentException",
        "RequestTooLargeException",
        "KMSAccessDeniedException",
    }
)
# It turned it away for now: concurrency is used up, the function is being created or updated, or who asks was not believed.
_LATER = frozenset(
    {
        "TooManyRequestsException",
        "ResourceConflictException",
        "SnapStartNotReadyException",
        "ExpiredTokenException",
        "UnrecognizedClientException",
        "InvalidSignatureException",
    }
)
# Everything else, ServiceException first of all, may come after the start.


def start_of(error: ClientError | BotoCoreError | OSError) -> Start:
    """Whether the function may have been started. What is not known to come before the start may have come after it."""
    if never_sent(error):
        return Start.LATER
    if not isinstance(error, ClientError):
        return Start.UNKNOWN
    code = code_of(error)
    return Start.NEVER if code in _NEVER else Start.LATER if code in _LATER else Start.UNKNOWN
