"""What the steps of the smoke test stand on: the deployed stacks, whose credentials, what was made and has to go again."""

from __future__ import annotations

import secrets
import signal
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from infra.deployed import outputs
from infra.settings import Settings

PATIENCE_S = 60  # IAM, streams and schedules are given so long
DENIED = ("AccessDenied", "AccessDeniedException", "AuthorizationError", "UnauthorizedOperation")
GONE = ("NoSuchEntity", "ResourceNotFoundException", "ExecutionDoesNotExist")


class SmokeFailed(Exception):
    """A step did not hold; the message says what was seen."""


class SmokeSkipped(Exception):
    """A step cannot be played here; the message says why, and what would let it."""


class Undo:
    """What was made, taken back in reverse; each is noted before it is made, so that an interruption leaves nothing either."""

    def __init__(self) -> None:
        self._made: list[tuple[str, Callable[[], Any]]] = []
        self.left: list[str] = []  # what could not be taken back, with the reason

    def note(self, what: str, do: Callable[..., Any], *args: Any, **named: Any) -> None:
        """`do` takes `what` back; that it is not there any more, or never was, is no error."""
        self._made.append((what, lambda: do(*args, **named)))

    def run(self) -> None:
        """Takes everything back; a second Ctrl-C does not cut it off."""
        before = _ignore()
        try:
            while self._made:
                what, do = self._made.pop()
                try:
                    do()
                except (ClientError, BotoCoreError, OSError, SmokeFailed) as error:
                    if code_of(error) not in GONE:
                        self.left.append(f"{what}: {error}")
        finally:
            for number, handler in before:
                signal.signal(number, handler)


def _ignore() -> list[tuple[int, Any]]:
    try:
        return [(one, signal.signal(one, signal.SIG_IGN)) for one in (signal.SIGINT, signal.SIGTERM)]
    except ValueError:  # not in the main thread, where nobody interrupts
        return []


@dataclass
class Ground:
    """The deployed product as a step sees it.

    Attributes:
        role: ARN of an agent's role that may be assumed; None to make one.
        token: a reviewer's access token, or empty.
        url: address of the API; empty for the deployed output.
        patience_s: how long a step waits for what another service does.
    """

    session: Any
    settings: Settings
    role: str | None = None
    token: str = ""
    url: str = ""
    sleep: Callable[[float], None] = time.sleep
    patience_s: int = PATIENCE_S
    assumed: Callable[..., Any] = boto3.Session
    undo: Undo = field(default_factory=Undo)
    stamp: str = field(default_factory=lambda: secrets.token_hex(4))

    def __post_init__(self) -> None:
        cloudformation = self.client("cloudformation")
        self.out = outputs(cloudformation, "PlacetGateway")
        self.data = outputs(cloudformation, "PlacetData")
        self.api = (self.url or self.out["ApiUrl"]).rstrip("/")

    def client(self, service: str) -> Any:
        """A client under the caller's own credentials."""
        return self.session.client(service)

    @cached_property
    def caller(self) -> dict[str, Any]:
        """Account and ARN of whoever runs this."""
        return dict(self.client("sts").get_caller_identity())

    @property
    def table(self) -> str:
        """The table in use: the stack's own, or the one that a restore made."""
        return self.data["TableName"]

    @cached_property
    def _resources(self) -> list[tuple[str, str, str]]:
        pages = self.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName="PlacetGateway")
        return [
            (one["ResourceType"], one["LogicalResourceId"], one["PhysicalResourceId"])
            for page in pages
            for one in page["StackResourceSummaries"]
        ]

    def physical(self, kind: str, begins: str) -> str:
        """The name that CloudFormation gave to the one resource of a type whose logical id begins so. Raises SmokeFailed."""
        found = [name for type_, logical, name in self._resources if type_ == kind and logical.startswith(begins)]
        if not found:
            raise SmokeFailed(f"PlacetGateway has no {kind} {begins}…")
        return found[0]

    def role_of(self, verb: str) -> str:
        """The name of a function's deployed role."""
        return self.physical("AWS::IAM::Role", "".join(word.title() for word in verb.split("_")) + "Role")

    def function_of(self, verb: str) -> str:
        """The name of a deployed function."""
        return self.physical("AWS::Lambda::Function", "".join(word.title() for word in verb.split("_")) + "Function")

    def until(self, look: Callable[[], Any], sentence: str, times: int = 1, every: float = 2) -> Any:
        """What `look` answers once it is something. Raises SmokeFailed when patience, so many times, is over."""
        seconds = self.patience_s * times
        for _ in range(int(seconds / every)):
            if found := look():
                return found
            self.sleep(every)
        raise SmokeFailed(f"{sentence} within {seconds} s")


def demand(held: bool, sentence: str) -> None:
    """Raises SmokeFailed with the sentence unless it held."""
    if not held:
        raise SmokeFailed(sentence)


def code_of(error: BaseException) -> str:
    """The code of an answer of AWS; empty for other errors."""
    return str(error.response["Error"]["Code"]) if isinstance(error, ClientError) else ""


def once_allowed(ground: Ground, ask: Callable[[], Any], codes: Iterable[str] = DENIED) -> Any:
    """What `ask` answers once IAM has heard of a role that is new: denials are repeated for a minute, the last one is raised."""
    for _ in range(PATIENCE_S // 5 - 1):
        try:
            return ask()
        except ClientError as error:
            if code_of(error) not in codes:
                raise
            ground.sleep(5)
    return ask()
