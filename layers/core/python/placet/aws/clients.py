"""boto3 clients, built once per process, on first use, each within the limits of what it is asked for.

Limits are per use, not per service: a Lambda that takes decisions may work for minutes, one that is only asked to begin must
not. What a function waits for at most has to fit into its own time (tests/infra/test_timeouts.py), so that a service that
hangs ends as an error that somebody handles, not as a function that is cut off.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ReadTimeoutError

from placet.aws.time_left import NoTimeLeft, time_left

SPARE_S = 5  # to read back what another function did, and answer
IDLE_S = 60  # a NAT or a firewall may forget a connection on which nothing is said for longer: who waits so long keeps it alive
# For another function; each step is a client that a warm process keeps.
PATIENCE_S = (1, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180)
BACKOFF_S = 1.0  # what the SDK waits at most before its second attempt


@dataclass(frozen=True)
class Limits:
    """What one request may take, in seconds.

    Attributes:
        attempts: all of them, the first included. One for what must not be sent twice, and where our own code repeats.
    """

    connect_s: float
    read_s: float
    attempts: int = 2

    @property
    def attempt_s(self) -> float:
        """One attempt against a service that never answers."""
        return self.connect_s + self.read_s

    @property
    def longest_s(self) -> float:
        """One request against a service that never answers."""
        return self.attempts * self.attempt_s + (self.attempts - 1) * BACKOFF_S


# By use: the service, after a slash what it is used for when that is not alike.
LIMITS: Mapping[str, Limits] = {
    "dynamodb": Limits(1, 3, attempts=1),  # `DynamoTable` repeats, under one token for all tries of a transaction
    "kms": Limits(1, 3),
    "s3": Limits(1, 3),
    "stepfunctions": Limits(1, 3),
    "scheduler": Limits(1, 3),
    "secretsmanager": Limits(1, 3),
    "sqs": Limits(1, 5),
    "events": Limits(1, 3),
    "sns": Limits(1, 3),
    "sesv2": Limits(2, 5),
    "lambda": Limits(1, 5),  # to ask a function for its verb, without waiting for it
    "lambda/asked": Limits(1, 240, attempts=1),  # to wait for its end; less when the asking function has less left
    "lambda/agents": Limits(1, 540, attempts=1),  # an agent that takes its decisions, and goes on with its run
    "lambda/executors": Limits(3, 200, attempts=1),  # one approved call
    "bedrock-agent-runtime": Limits(5, 300, attempts=1),  # a turn
}


def client(use: str, *, region: str = "") -> Any:
    """The client for a use in `LIMITS`.

    One that waits for another function's end gets what is left of the caller's own time, at most: the next step of PATIENCE_S
    below that.
    """
    limits = LIMITS[use]
    read_s = limits.read_s
    if use == "lambda/asked" and (left := time_left() - limits.connect_s - SPARE_S) < read_s:
        read_s = max((one for one in PATIENCE_S if one <= left), default=PATIENCE_S[0])
    return _client(use, read_s, region)


def in_all(use: str, seconds: Callable[[], float] = time.monotonic) -> Callable[[], None]:
    """What is called between the parts of an answer, for a client's limit is one of each part.

    It raises ReadTimeoutError when what is longest for one request has passed since, or the function has hardly any time left.
    """
    end_s = seconds() + LIMITS[use].longest_s

    def look() -> None:
        if seconds() >= end_s or time_left() < SPARE_S:
            raise ReadTimeoutError(endpoint_url=use)

    return look


@functools.cache
def _client(use: str, read_s: float, region: str) -> Any:
    limits = LIMITS[use]
    config = Config(
        connect_timeout=limits.connect_s,
        read_timeout=read_s,
        retries={"mode": "standard", "total_max_attempts": limits.attempts},
        tcp_keepalive=limits.read_s > IDLE_S,
    )
    made = boto3.client(use.partition("/")[0], config=config, **({"region_name": region} if region else {}))
    made.meta.events.register("before-send", functools.partial(_fits, limits.connect_s + read_s))
    return made


def _fits(attempt_s: float, **_: Any) -> None:
    """Nothing is sent whose answer this function could not live to see. Raises NoTimeLeft."""
    if time_left() < attempt_s:
        raise NoTimeLeft(needed=attempt_s)
