"""What each error of Bedrock's client says about a turn: its name, and whether anything may have happened."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.eventstream import ChecksumMismatch
from botocore.exceptions import (
    ClientError,
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    EventStreamError,
    ParamValidationError,
    ReadTimeoutError,
    ResponseStreamingError,
)

from placet.aws.bedrock import BedrockRuntime, meaning
from placet.model.pauses import Agent, BedrockTarget
from placet.service.ports import TurnFailed

URL = "https://bedrock-agent-runtime"
AGENT = Agent("desk", "role", "owner@example.com", "bedrock", bedrock=BedrockTarget("A", "B", "", "executor", 600))


def error(code: str) -> dict[str, Any]:
    return {"Error": {"Code": code, "Message": "no"}}


@pytest.mark.parametrize(
    ("name", "code", "nothing_done"),
    [
        ("ValidationException", "validation", True),
        ("ServiceQuotaExceededException", "service_quota_exceeded", True),
        ("AccessDeniedException", "access_denied", True),
        ("ResourceNotFoundException", "resource_not_found", True),
        ("ConflictException", "conflict", True),
        ("ModelNotReadyException", "model_not_ready", True),
        ("ThrottlingException", "throttling", True),
        ("DependencyFailedException", "dependency_failed", False),
        ("InternalServerException", "internal_server", False),
        ("BadGatewayException", "bad_gateway", False),
        ("SomethingNewException", "something_new", False),
    ],
)
def test_an_error_before_the_stream(name: str, code: str, nothing_done: bool) -> None:
    found = meaning(ClientError(error(name), "InvokeAgent"))
    assert (found.code, found.nothing_done) == (code, nothing_done)


@pytest.mark.parametrize("name", ["throttlingException", "validationException", "accessDeniedException"])
def test_after_http_200_nobody_knows_whatever_the_error_is_called(name: str) -> None:
    found = meaning(EventStreamError(error(name), "InvokeAgent"))
    assert not found.nothing_done


@pytest.mark.parametrize(
    ("lost", "code", "nothing_done"),
    [
        (EndpointConnectionError(endpoint_url=URL), "unreachable", True),
        (ConnectTimeoutError(endpoint_url=URL), "unreachable", True),
        (ParamValidationError(report="no"), "validation", True),
        (ReadTimeoutError(endpoint_url=URL), "response_lost", False),
        (ConnectionClosedError(endpoint_url=URL), "response_lost", False),
        (ResponseStreamingError(error="cut"), "response_lost", False),
        (ChecksumMismatch(1, 2), "stream_broken", False),
    ],
)
def test_a_connection_that_ends(lost: Any, code: str, nothing_done: bool) -> None:
    found = meaning(lost)
    assert (found.code, found.nothing_done) == (code, nothing_done)


def test_a_stream_that_breaks_while_it_is_read_is_a_failed_turn() -> None:
    class Breaks:
        def invoke_agent(self, **asked: Any) -> dict[str, Any]:
            def events() -> Any:
                yield {"chunk": {"bytes": b"partial"}}
                raise ChecksumMismatch(1, 2)

            return {"completion": events()}

    with pytest.raises(TurnFailed) as caught:
        BedrockRuntime(str, lambda region: Breaks()).turn(AGENT, "s1", "hello", {}, "")
    assert (caught.value.code, caught.value.nothing_done) == ("stream_broken", False)
