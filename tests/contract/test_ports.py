"""Every other service in trouble: what comes again, what is refused for good, what counts as done. Nothing of boto gets out."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import BotoCoreError, ClientError, EndpointConnectionError

from placet.aws.bodies import S3Bodies
from placet.aws.ids import KmsIds
from placet.aws.invoking import LambdaAgents, LambdaVerbs
from placet.aws.mail import Ses
from placet.aws.timers import Scheduler
from placet.aws.waits import StepFunctions
from placet.model.errors import Busy, Refused
from placet.service.escalate import escalate
from placet.service.notify import mail_again, notify
from placet.service.ports import Note, StillAtWork
from placet.service.sweep import sweep
from placet.web.mail import Letter
from tests.contract.faults import LOST, Answering, name_of, refusal
from tests.gateway import BILLING, REFUND, Gateway

NOW_MS = 1_795_968_000_000
NOTE = Note("Maria", "maria@example.com", "p", "money-out", ("t",), "a", "r", "e", "never", NOW_MS, NOW_MS)


def ses(client: Any) -> Any:
    return Ses("placet@example.com", "set", lambda note: Letter("s", "t", "h"), client).send(NOTE)


def start(client: Any) -> Any:
    return StepFunctions("arn", client).start("p-1", {"pause": "p"})


def answer(client: Any) -> Any:
    return StepFunctions("arn", client).answer("token", {"pause": "p"})


def timer(client: Any) -> Any:
    return Scheduler("group", "role", "target", "dlq", "main", lambda: NOW_MS, client).set("p", NOW_MS + 600_000)


def mac(client: Any) -> Any:
    return KmsIds("key", client).pause_id("a", "r", "n")


def put(client: Any) -> Any:
    return S3Bodies("bucket", client).put("name", "text")


def get(client: Any) -> Any:
    return S3Bodies("bucket", client).get("name")


def deliver(client: Any) -> Any:
    return LambdaAgents(client).deliver(BILLING, {"resume": {}})


def verb(client: Any) -> Any:
    return LambdaVerbs({"resume": "arn"}, client).call("resume", {"pause": "p"})


def asked(client: Any) -> Any:
    return LambdaVerbs({"resume": "arn"}, client).ask("resume", {"pause": "p"})


PORTS = (ses, start, answer, timer, mac, put, get, deliver, verb, asked)
LATER: dict[Callable[[Any], Any], list[str]] = {
    ses: ["TooManyRequestsException", "LimitExceededException", "InternalServiceErrorException", "ThrottlingException"],
    start: ["ThrottlingException", "ExecutionLimitExceeded", "KmsThrottlingException", "ServiceUnavailable"],
    answer: ["ThrottlingException", "KmsThrottlingException"],
    timer: ["ThrottlingException", "InternalServerException", "ServiceQuotaExceededException"],
    mac: ["ThrottlingException", "KMSInternalException", "DependencyTimeoutException", "KeyUnavailableException"],
    put: ["SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout"],
    get: ["SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout"],
    deliver: [
        "TooManyRequestsException",
        "ResourceNotFoundException",
        "ResourceConflictException",
        "ExpiredTokenException",
    ],
    verb: ["TooManyRequestsException", "ServiceException", "ResourceNotFoundException"],
    asked: ["TooManyRequestsException", "ServiceException", "ResourceNotFoundException"],
}
NEVER: dict[Callable[[Any], Any], tuple[str, str]] = {
    start: ("AccessDeniedException", "states_refused"),
    answer: ("AccessDeniedException", "states_refused"),
    timer: ("ValidationException", "timer_refused"),
    mac: ("AccessDeniedException", "key_refused"),
    put: ("AccessDenied", "bucket_refused"),
    verb: ("AccessDeniedException", "verb_refused"),
    asked: ("AccessDeniedException", "verb_refused"),
}


@pytest.mark.parametrize(("port", "code"), [(port, code) for port, codes in LATER.items() for code in codes])
def test_what_may_pass_is_busy(port: Callable[[Any], Any], code: str) -> None:
    with pytest.raises(Busy):
        port(Answering(refusal(code)))


@pytest.mark.parametrize("lost", LOST, ids=name_of)
@pytest.mark.parametrize("port", PORTS)
def test_a_lost_connection_is_busy_and_no_error_of_boto(port: Callable[[Any], Any], lost: BotoCoreError) -> None:
    begun = port is deliver and not isinstance(lost, EndpointConnectionError)
    with pytest.raises(StillAtWork if begun else Busy):
        port(Answering(lost))


@pytest.mark.parametrize(("port", "code", "ours"), [(port, *codes) for port, codes in NEVER.items()])
def test_a_missing_right_is_refused_and_says_which_service(port: Callable[[Any], Any], code: str, ours: str) -> None:
    with pytest.raises(Refused) as refused:
        port(Answering(refusal(code)))
    assert refused.value.code == ours


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize(
    "code", ["SomethingNewException", "ExpiredToken", "RequestTimeTooSkewed", "KMS.ThrottlingException"]
)
def test_what_is_not_known_to_be_final_may_pass(port: Callable[[Any], Any], code: str) -> None:
    """Of an agent's function nobody knows then whether it was started."""
    with pytest.raises(StillAtWork if port is deliver else Busy):
        port(Answering(refusal(code)))


@pytest.mark.parametrize(
    "code",
    [
        "MessageRejected",
        "MailFromDomainNotVerifiedException",
        "AccountSuspendedException",
        "SendingPausedException",
        "BadRequestException",
        "NotFoundException",
    ],
)
def test_mail_that_is_refused_for_good_is_not_sent_and_is_no_error(code: str) -> None:
    assert ses(Answering(refusal(code))) is False


def test_no_mail_holds_a_pause_up_and_the_sweep_sends_it_later() -> None:
    gateway = Gateway()
    gateway.mail = mailing = Ses("placet@example.com", "set", lambda note: Letter("s", "t", "h"), Answering(LOST[0]))
    head = gateway.shown(REFUND)
    assert head.notified_ms
    assert set(head.mails_missed) == {"maria", "jonas"}
    gateway.clock.move(120)
    assert sweep(gateway.ports).mailed == 1
    mailing._sesv2 = Answering({})
    assert mail_again(gateway.ports, head.pause) == 0
    assert gateway.head(head.pause).mails_missed == ()


@pytest.mark.parametrize("code", ["TaskTimedOut", "TaskDoesNotExist", "InvalidToken"])
def test_a_wait_that_is_gone_is_no_error(code: str) -> None:
    assert answer(Answering(refusal(code))) is False
    assert answer(Answering({})) is True


def test_an_execution_that_ended_is_told_and_one_that_runs_is_a_success() -> None:
    assert start(Answering(refusal("ExecutionAlreadyExists"))) is False
    assert start(Answering({})) is True


def test_starting_twice_sends_the_same_bytes() -> None:
    client = Answering({})
    start(client)
    start(client)
    assert client.requests[0] == client.requests[1]


@pytest.mark.parametrize("code", ["NoSuchKey", "AccessDenied"])
def test_a_text_that_is_gone_or_denied_is_no_text_and_told_from_a_bucket_in_trouble(code: str) -> None:
    """S3 says AccessDenied of what is absent, unless the caller may list."""
    assert get(Answering(refusal(code))) is None


def test_a_text_that_is_no_utf8_is_read_as_what_was_never_stored() -> None:
    assert get(Answering({"Body": io.BytesIO(b"\xff{}")})) == "\ufffd{}"


@pytest.mark.parametrize("port", [deliver, asked])
def test_what_fails_is_asked_again_later(port: Callable[[Any], Any]) -> None:
    with pytest.raises(Busy):
        port(Answering({"FunctionError": "Unhandled"}))


class Scripted:
    """A port whose every method raises."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def raising(*given: Any, **named: Any) -> Any:
            raise Busy

        return raising


def test_a_sweep_goes_on_when_a_service_is_away() -> None:
    gateway = Gateway()
    for number in range(3):
        gateway.capture(REFUND, checkpoint=f"cp-{number}")
    gateway.table.changes.clear()
    gateway.clock.move(120)
    gateway.waits = Scripted()
    assert sweep(gateway.ports).failed == 3


def test_a_timer_that_cannot_be_set_leaves_the_pause_visible_and_the_sweep_expires_it() -> None:
    gateway = Gateway()
    found = gateway.capture(REFUND).head
    gateway.timers = Scripted()
    notify(gateway.ports, found.pause, 1, "token")
    assert ("timer_not_set", {"pause": found.pause, "code": "busy"}) in gateway.log
    head = gateway.head(found.pause)
    assert head.notified_ms
    gateway.clock.at_ms = head.deadline_ms + 120_000
    assert sweep(gateway.ports).expired == 1
    assert gateway.verbs.called == [("escalate", {"tenant": "main", "pause": found.pause})]
    assert escalate(gateway.ports, found.pause) == "expired"


def test_the_machine_is_told_nothing_but_ids() -> None:
    client = Answering({})
    StepFunctions("arn", client).start("p-1", {"tenant": "main", "pause": "p", "gen": 1, "timeout_s": 60})
    assert set(json.loads(client.requests[0][1]["input"])) == {"tenant", "pause", "gen", "timeout_s"}


def test_a_client_that_lets_an_error_through_would_be_seen() -> None:
    """The planted bug: a port without its `except`."""

    class Bare(StepFunctions):
        def answer(self, token: str, facts: dict[str, Any]) -> bool:
            self._states.send_task_success(taskToken=token, output="{}")
            return True

    with pytest.raises(ClientError):
        Bare("arn", Answering(refusal("TaskTimedOut"))).answer("token", {})
