"""What can be wrong with a service, and how that is told by each of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from botocore.exceptions import ClientError, EndpointConnectionError, ReadTimeoutError

from placet.aws.clients import LIMITS
from tests.proofs.outages.clock import Clock

KINDS = ("hangs", "fails", "refuses", "gone", "late", "slow")
OUTAGE_S = 25 * 60  # longer than the machine, the stream and asynchronous calls try by themselves
POOL, HOOK = "user pool", "webhook"
SERVICES = (*LIMITS, POOL, HOOK)
QUICK_S = 0.02  # an answer when nothing is wrong
SLOW = 0.9  # of what a client waits

# What each says when it fails for a while, when it refuses, and when what is asked for is not there.
CODES: dict[str, tuple[str, str, str]] = {
    "dynamodb": ("InternalServerError", "AccessDeniedException", "ResourceNotFoundException"),
    "kms": ("KMSInternalException", "AccessDeniedException", "NotFoundException"),
    "s3": ("InternalError", "AccessDenied", "NoSuchBucket"),
    "stepfunctions": ("ThrottlingException", "AccessDeniedException", "StateMachineDoesNotExist"),
    "scheduler": ("InternalServerException", "AccessDeniedException", "ResourceNotFoundException"),
    "secretsmanager": ("InternalServiceError", "AccessDeniedException", "ResourceNotFoundException"),
    "sqs": ("ServiceUnavailable", "AccessDenied", "AWS.SimpleQueueService.NonExistentQueue"),
    "events": ("InternalException", "AccessDeniedException", "ResourceNotFoundException"),
    "sns": ("InternalError", "AuthorizationError", "NotFound"),
    "sesv2": ("TooManyRequestsException", "AccessDeniedException", "NotFoundException"),
    "lambda": ("TooManyRequestsException", "AccessDeniedException", "ResourceNotFoundException"),
    "bedrock-agent-runtime": ("throttlingException", "accessDeniedException", "resourceNotFoundException"),
}


@dataclass(frozen=True)
class Cell:
    """One thing that goes wrong.

    Attributes:
        scene: what is played. verb: the function at whose request it begins, and `number`: which of its requests to the service.
    """

    scene: str
    verb: str
    service: str
    number: int
    kind: str

    def __str__(self) -> str:
        return f"{self.scene}: {self.service} {self.kind} from request {self.number} of {self.verb} on"


@dataclass
class Trouble:
    """One cell while it is played; without a cell nothing is wrong, and the requests are counted.

    Attributes:
        asked: requests by function and service. fired: how many met the trouble.
    """

    clock: Clock
    cell: Cell | None = None
    asked: Counter[tuple[str, str]] = field(default_factory=Counter)
    fired: int = 0
    began_ms: int = 0

    def kind(self, verb: str, service: str) -> str:
        """What is wrong with this request; empty when nothing is."""
        number = self.asked[verb, service]
        self.asked[verb, service] += 1
        cell = self.cell
        if cell is None or service != cell.service:
            return ""
        if not self.began_ms and (verb, number) == (cell.verb, cell.number):
            self.began_ms = self.clock.at_ms
        if not self.active:
            return ""
        self.fired += 1
        return cell.kind

    @property
    def active(self) -> bool:
        """Whether it is on now; it begins once, and ends by itself."""
        return bool(self.began_ms) and self.clock.at_ms < self.began_ms + 1000 * OUTAGE_S


def told(service: str, kind: str) -> ClientError:
    """The error that a service answers with."""
    code = CODES[service.partition("/")[0]][("fails", "refuses", "gone").index(kind)]
    return ClientError({"Error": {"Code": code, "Message": "as played"}, "ResponseMetadata": {}}, "operation")


def silent(service: str) -> ReadTimeoutError:
    """Nobody answered in time."""
    return ReadTimeoutError(endpoint_url=f"https://{service}")


def unreachable(service: str) -> EndpointConnectionError:
    """Nobody is there."""
    return EndpointConnectionError(endpoint_url=f"https://{service}")
