"""The executors' port: what an answer of Lambda says about the call, and when nobody knows."""

from __future__ import annotations

import io
import json
import ssl
from typing import Any

import pytest
import urllib3
from botocore.exceptions import (
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ReadTimeoutError,
    SSLError,
)

from placet.aws.executors import LambdaExecutors
from placet.aws.time_left import NoTimeLeft
from placet.model.canonical import parse
from placet.model.errors import Busy
from placet.model.pauses import Agent, BedrockTarget
from placet.service.ports import ExecutorUnknown

AGENT = Agent("desk", "role", "owner@example.com", "bedrock", bedrock=BedrockTarget("A", "B", "", "my-executor", 600))
ORDER = parse(
    '{"call": "p-1", "tool": "Refunds.issueRefund", "arguments": {"amount": 240.50, "cents": 9007199254740993}}'
)


NOT_BELIEVED = SSLError(
    endpoint_url="https://lambda", error=urllib3.exceptions.SSLError(ssl.SSLCertVerificationError(1, "self-signed"))
)


class Lambda:
    """Answers one invocation, or fails it, and keeps what it was asked."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[dict[str, Any]] = []

    def invoke(self, **asked: Any) -> dict[str, Any]:
        self.asked.append(asked)
        if isinstance(self.answer, Exception):
            raise self.answer
        return dict(self.answer)


def said(value: Any, **more: Any) -> dict[str, Any]:
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    return {"Payload": io.BytesIO(text), **more}


def refused(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "no"}}, "Invoke")


def test_an_order_is_sent_once_and_exactly() -> None:
    invoker = Lambda(said({"ok": True, "result": "paid"}))
    assert LambdaExecutors(invoker).run(AGENT, ORDER) == (True, "paid")
    ((asked),) = invoker.asked
    assert asked["FunctionName"] == "my-executor"
    assert b'"amount":240.50,"cents":9007199254740993' in asked["Payload"]


def test_a_refusal_without_effect_is_told_as_such() -> None:
    assert LambdaExecutors(Lambda(said({"ok": False, "result": "no money"}))).run(AGENT, ORDER) == (False, "no money")


@pytest.mark.parametrize(
    "error",
    [
        *map(refused, ("AccessDeniedException", "ResourceNotFoundException", "RequestTooLargeException")),
    ],
)
def test_what_was_never_started_has_certainly_not_run(error: Exception) -> None:
    invoker = Lambda(error)
    done, why = LambdaExecutors(invoker).run(AGENT, ORDER)
    assert (done, len(invoker.asked)) == (False, 1)
    assert "It was not run." in why


@pytest.mark.parametrize(
    "error",
    [
        EndpointConnectionError(endpoint_url="https://lambda"),
        ConnectTimeoutError(endpoint_url="https://lambda"),
        NoTimeLeft(needed=300),
        NoCredentialsError(),
        NOT_BELIEVED,
        *map(refused, ("TooManyRequestsException", "ResourceConflictException")),
    ],
)
def test_what_cannot_be_started_now_is_tried_again_by_whoever_asks(error: Exception) -> None:
    invoker = Lambda(error)
    with pytest.raises(Busy):
        LambdaExecutors(invoker).run(AGENT, ORDER)
    assert len(invoker.asked) == 1


@pytest.mark.parametrize(
    "answer",
    [
        ReadTimeoutError(endpoint_url="https://lambda"),
        SSLError(endpoint_url="https://lambda", error=urllib3.exceptions.SSLError(ssl.SSLError(1, "bad record mac"))),
        refused("ServiceException"),
        refused("EC2ThrottledException"),
        said({"errorMessage": "boom"}, FunctionError="Unhandled"),
        said(b"not json"),
        said(None),
        said("paid"),
        said({"result": "paid"}),
        said({"ok": "yes", "result": "paid"}),
        said({"ok": True, "result": {"receipt": 1}}),
    ],
)
def test_everything_else_says_nothing_about_what_was_done(answer: Any) -> None:
    invoker = Lambda(answer)
    with pytest.raises(ExecutorUnknown):
        LambdaExecutors(invoker).run(AGENT, ORDER)
    assert len(invoker.asked) == 1
