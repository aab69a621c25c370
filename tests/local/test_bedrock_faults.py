"""What goes wrong on the way, as boto3 sees it, and the runtime as a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ConnectionClosedError, EndpointConnectionError, EventStreamError, ReadTimeoutError

from local.bedrock import BedrockRuntime, BedrockServer, Fault, Mode, refund_agent
from local.bedrock.acting import done
from tests.local.bedrock_talk import Talk, Turn, refund


@pytest.fixture
def server() -> Iterator[BedrockServer]:
    with BedrockServer(BedrockRuntime([refund_agent(Mode.CONFIRM)])) as running:
        yield running


def confirm(server: BedrockServer, fault: Fault, **config: Any) -> tuple[Turn | Exception, BedrockRuntime, str]:
    """Answer a pause while something goes wrong. What boto3 made of it, the runtime, and the invocation id."""
    talk, runtime = Talk(server.url, **config), server.runtime
    invocation = talk.say("s1", "refund ORD-7 5000").invocation
    runtime.faults.arm(fault, on="answer", session="s1", seconds=1.5)
    try:
        return talk.answer("s1", invocation, refund("CONFIRM")), runtime, invocation
    except Exception as error:
        return error, runtime, invocation


PROCESSED = {
    Fault.LOST: ConnectionClosedError,
    Fault.STREAM_THROTTLED_AFTER: "throttlingException",
    Fault.TRUNCATED: "",
    Fault.TRACE_ONLY: "",
    Fault.SERVER_ERROR: "InternalServerException",
}
UNPROCESSED = {
    Fault.CLOSED: ConnectionClosedError,
    Fault.THROTTLED: "ThrottlingException",
    Fault.STREAM_THROTTLED: "throttlingException",
}


@pytest.mark.parametrize("fault", [*PROCESSED, *UNPROCESSED])
def test_what_a_client_sees_and_what_happened(server: BedrockServer, fault: Fault) -> None:
    seen, runtime, invocation = confirm(server, fault)
    expected = {**PROCESSED, **UNPROCESSED}[fault]
    if isinstance(expected, str):
        assert isinstance(seen, Turn)
        assert seen.error == expected
        assert [next(iter(one)) for one in seen.events] == (["trace"] if fault is Fault.TRACE_ONLY else [])
    else:
        assert isinstance(seen, expected)
    assert len(runtime.executed) == (1 if fault in PROCESSED else 0)
    assert runtime.log[-1].fault == fault
    assert bool(runtime.log[-1].became) is (fault in PROCESSED)
    assert (runtime.faults.armed, runtime.faults.fired, runtime.faults.waiting) == ({fault: 1}, {fault: 1}, [])
    again = Talk(server.url).answer("s1", invocation, refund("CONFIRM"))
    assert again.error == ("ValidationException" if fault in PROCESSED else "")
    assert len(runtime.executed) == 1


def test_throttling_has_the_status_of_its_place(server: BedrockServer) -> None:
    seen, *_ = confirm(server, Fault.THROTTLED)
    assert isinstance(seen, Turn)
    assert seen.status == 429
    server.runtime.faults.arm(Fault.STREAM_THROTTLED)
    answer = Talk(server.url).client.invoke_agent(
        agentId="AGENT12345", agentAliasId="TSTALIASID", sessionId="s2", inputText="hello"
    )
    with pytest.raises(EventStreamError):
        list(answer["completion"])


def test_a_slow_answer_is_posted_again_by_a_client_that_retries(server: BedrockServer) -> None:
    seen, runtime, invocation = confirm(server, Fault.SLOW, read_timeout=1, retries={"total_max_attempts": 2})
    assert isinstance(seen, Turn)
    assert seen.error == "ValidationException"
    assert (runtime.answers[invocation].accepted, runtime.answers[invocation].refused) == (1, 1)
    assert len(runtime.executed) == 1


def test_a_slow_answer_is_a_timeout_for_a_client_that_does_not(server: BedrockServer) -> None:
    seen, runtime, _ = confirm(server, Fault.SLOW, read_timeout=1)
    assert isinstance(seen, ReadTimeoutError)
    assert len(runtime.executed) == 1


def test_a_refused_connection_is_told_from_a_closed_one(server: BedrockServer) -> None:
    talk = Talk(server.url)
    with server.refusing(), pytest.raises(EndpointConnectionError):
        talk.say("s1", "refund ORD-7 5000")
    assert server.runtime.log == []
    assert server.runtime.faults.fired == {Fault.REFUSED: 1}
    assert talk.say("s1", "hello").text == "Noted: hello"


def test_a_fault_waits_for_its_own_request(server: BedrockServer) -> None:
    faults = server.runtime.faults
    faults.arm(Fault.THROTTLED, on="answer", session="s1")
    talk = Talk(server.url)
    assert talk.say("s1", "hello").error == ""
    invocation = talk.say("s2", "refund ORD-1 100").invocation
    assert talk.answer("s2", invocation, refund("CONFIRM")).error == ""
    assert len(faults.waiting) == 1
    with pytest.raises(ValueError, match="no request meets"):
        faults.arm(Fault.THROTTLED, on="answers")


def test_a_session_takes_one_request_at_a_time() -> None:
    entered, go_on = threading.Event(), threading.Event()

    def slowly(event: dict[str, Any]) -> dict[str, Any]:
        entered.set()
        assert go_on.wait(10)
        return done(event)

    with BedrockServer(BedrockRuntime([refund_agent(Mode.CONFIRM)], slowly)) as server:
        talk = Talk(server.url)
        invocation = talk.say("s1", "refund ORD-7 5000").invocation
        turns: list[Turn] = []
        first = threading.Thread(target=lambda: turns.append(talk.answer("s1", invocation, refund("CONFIRM"))))
        first.start()
        assert entered.wait(10)
        assert talk.answer("s1", invocation, refund("CONFIRM")).error == "ValidationException"
        assert talk.say("s1", "hello").error == "ConflictException"
        assert talk.say("s2", "hello").error == ""
        go_on.set()
        first.join()
        assert turns[0].text == "ORD-7: done"
        assert len(server.runtime.executed) == 1


def asked(url: str, body: Any = None) -> Any:
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(url, data=data)  # noqa: S310 - loopback only
    with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
        return json.load(answer)


AGENT = {
    "id": "FILE123456",
    "alias": "TSTALIASID",
    "name": "from-a-file",
    "idle_ttl_s": 60,
    "stubborn": True,
    "action_groups": [
        {
            "name": "Refunds",
            "mode": "USER_CONFIRMATION",
            "actions": [
                {"function": "issueRefund", "parameters": [{"name": "orderId"}, {"name": "sum", "type": "integer"}]}
            ],
        }
    ],
    "collaborators": [
        {
            "name": "mailer",
            "id": "MAILER1234",
            "action_groups": [{"name": "Mail", "mode": "RESULT", "actions": [{"function": "send", "verb": "tell"}]}],
        }
    ],
}


def test_as_a_process_with_agents_of_a_file(tmp_path) -> None:
    file = tmp_path / "agents.json"
    file.write_text(json.dumps([AGENT]))
    command = [sys.executable, "-m", "local.bedrock", "--agents", str(file)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": ":".join(sys.path)}
    ) as process:
        try:
            url = process.stdout.readline().strip()
            talk = Talk(url, "FILE123456")
            turn = talk.say("s1", "refund ORD-1 100 and tell")
            assert [call["agentId"] for call in turn.calls] == ["FILE123456", "MAILER1234"]
            state = asked(f"{url}/_bedrock/state")
            assert state["unanswered"] == [{"session": "s1", "invocation": turn.invocation, "calls": 2}]
            asked(f"{url}/_bedrock/faults", {"kind": "throttled", "on": "text"})
            assert talk.say("s2", "hello").error == "ThrottlingException"
            asked(f"{url}/_bedrock/forward", {"seconds": 61})
            state = asked(f"{url}/_bedrock/state")
            assert state["unanswered"] == []
            assert state["faults"] == {"armed": {"throttled": 1}, "fired": {"throttled": 1}}
            assert [one["became"] for one in state["log"]] == ["pause", ""]
            assert asked(f"{url}/_bedrock/health") == {"status": "ok"}
        finally:
            process.terminate()
