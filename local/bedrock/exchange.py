"""One request on the wire: what is answered to it, and what goes wrong on the way."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from local.bedrock import frames
from local.bedrock.faults import NOT_PROCESSED, Armed, Fault
from local.bedrock.refusals import Refusal
from local.bedrock.requests import Request, request_of
from local.bedrock.runtime import BedrockRuntime, Reply

STREAM = "application/vnd.amazon.eventstream"
TOO_FAST = "Your request rate is too high"


@dataclass(frozen=True)
class Answer:
    """An HTTP answer."""

    status: int
    headers: dict[str, str]
    body: bytes = field(repr=False)


def exchange(
    runtime: BedrockRuntime, path: str, body: bytes, sleep: Callable[[float], None] = time.sleep
) -> Answer | None:
    """The answer to one request; None when the connection ends without one."""
    try:
        request = request_of(path, body)
    except Refusal as refusal:
        return refused(refusal)
    logged = runtime.note(request)
    fault = runtime.faults.take(request)
    logged.fault = fault.kind.value if fault else ""
    if fault and fault.kind in NOT_PROCESSED:
        return _unprocessed(fault, request)
    try:
        reply = runtime.invoke(request)
    except Refusal as refusal:
        logged.became = refusal.name
        return _spoilt(fault, refused(refusal), request, sleep)
    logged.became = reply.became
    return _spoilt(fault, _stream(request, *_events(reply, request)), request, sleep)


def refused(refusal: Refusal) -> Answer:
    """An error as the rest-json protocol writes it."""
    body = json.dumps({"message": refusal.text}).encode()
    return Answer(refusal.status, {"content-type": "application/json", "x-amzn-errortype": refusal.name}, body)


def _events(reply: Reply, request: Request) -> list[bytes]:
    traced = [_trace(request)] if request.body.get("enableTrace") else []
    if reply.became == "pause":
        return [*traced, frames.event("returnControl", reply.control)]
    return [*traced, frames.event("chunk", {"bytes": frames.blob(reply.text)})]


def _trace(request: Request) -> bytes:
    rationale = {"traceId": str(uuid.uuid4()), "text": "The script says so."}
    about = {"sessionId": request.session, "eventTime": datetime.now(UTC).isoformat()}
    about |= {} if request.inline else {"agentId": request.agent, "agentAliasId": request.alias}
    body: dict[str, Any] = {**about, "trace": {"orchestrationTrace": {"rationale": rationale}}}
    return frames.event("trace", body)


def _stream(request: Request, *events: bytes) -> Answer:
    headers = {
        "content-type": STREAM,
        "x-amzn-bedrock-agent-content-type": "application/json",
        "x-amz-bedrock-agent-session-id": request.session,
    }
    return Answer(200, headers, b"".join(events))


def _unprocessed(fault: Armed, request: Request) -> Answer | None:
    if fault.kind is Fault.THROTTLED:
        return refused(Refusal(429, "ThrottlingException", TOO_FAST))
    if fault.kind is Fault.STREAM_THROTTLED:
        return _throttled_in_stream(request)
    return None


def _throttled_in_stream(request: Request) -> Answer:
    return _stream(request, frames.exception("throttlingException", TOO_FAST))


def _spoilt(fault: Armed | None, answer: Answer, request: Request, sleep: Callable[[float], None]) -> Answer | None:
    """What the client gets of the answer to a request that was processed."""
    if fault is None:
        return answer
    if fault.kind is Fault.SLOW:
        sleep(fault.seconds)
        return answer
    if fault.kind is Fault.STREAM_THROTTLED_AFTER:
        return _throttled_in_stream(request)
    if fault.kind is Fault.TRUNCATED:
        return answer if answer.status != 200 else Answer(200, answer.headers, frames.truncated(answer.body))
    if fault.kind is Fault.TRACE_ONLY:
        return _stream(request, _trace(request))
    if fault.kind is Fault.SERVER_ERROR:
        return refused(Refusal(500, "InternalServerException", "something went wrong"))
    return None
