"""Decisions in a FIFO queue: on the local AWS what arrives, and on a client that answers as told what each refusal means."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from placet.aws.delivery.queues import MOST_BYTES, Queues, body_of, group_of
from placet.model.canonical import parse
from placet.model.errors import Busy
from placet.model.pauses import Agent
from tests.contract.faults import LOST, Answering, name_of, refusal
from tests.contract.hooking import refused
from tests.shared import shared_stack

URL = {"QueueUrl": "https://sqs.eu-central-1.amazonaws.com/1/decided.fifo"}
_numbers = itertools.count(1)


def payload(pause: str = "k3v", generation: int = 1, run: str = "t-1", text: str = "240.50") -> dict[str, Any]:
    head = {"type": "placet.decided", "pause": pause, "generation": generation}
    return head | {"resume": {"run": run, "calls": [{"arguments": text}]}}


def to(queue: str) -> Agent:
    return Agent("queued-agent", "role", "owner", "sqs", queue=queue)


@pytest.fixture(scope="session")
def sqs() -> Any:
    return shared_stack().client("sqs")


@pytest.fixture
def queue(sqs: Any) -> Iterator[str]:
    name = f"contract-{next(_numbers)}.fifo"
    url = sqs.create_queue(QueueName=name, Attributes={"FifoQueue": "true", "VisibilityTimeout": "1"})["QueueUrl"]
    yield name
    sqs.delete_queue(QueueUrl=url)


def received(sqs: Any, queue: str) -> list[dict[str, Any]]:
    """Everything that is in the queue, taken out of it."""
    url, found = sqs.get_queue_url(QueueName=queue)["QueueUrl"], []
    asked = {"QueueUrl": url, "MaxNumberOfMessages": 10, "AttributeNames": ["All"]}
    while messages := sqs.receive_message(**asked).get("Messages", []):
        found += messages
        for one in messages:
            sqs.delete_message(QueueUrl=url, ReceiptHandle=one["ReceiptHandle"])
    return found


def test_a_message_names_run_and_delivery_and_has_the_payload(sqs: Any, queue: str) -> None:
    Queues(sqs).deliver(to(queue), payload())
    (message,) = received(sqs, queue)
    assert json.loads(message["Body"]) == payload()
    assert message["Attributes"]["MessageGroupId"] == "t-1"
    assert message["Attributes"]["MessageDeduplicationId"] == "k3v-1"


def test_a_delivery_that_is_sent_again_is_one_message_and_the_next_generation_another(sqs: Any, queue: str) -> None:
    queues = Queues(sqs)
    for generation in (1, 1, 2, 1, 2):
        queues.deliver(to(queue), payload(generation=generation))
    assert [json.loads(one["Body"])["generation"] for one in received(sqs, queue)] == [1, 2]


def test_the_deliveries_of_a_run_keep_their_order(sqs: Any, queue: str) -> None:
    queues = Queues(sqs)
    for pause in "abcdef":
        queues.deliver(to(queue), payload(pause))
    assert [json.loads(one["Body"])["pause"] for one in received(sqs, queue)] == list("abcdef")


def test_a_body_that_is_too_large_has_the_ids_only(sqs: Any, queue: str) -> None:
    ids = {"type": "placet.decided", "pause": "k3v", "generation": 1}
    room = MOST_BYTES - len(body_of(payload(text="")).encode())
    queues = Queues(sqs)
    queues.deliver(to(queue), payload(text="x" * room))
    queues.deliver(to(queue), payload(generation=2, text="ä" * (room // 2 + 1)))
    whole, short = (one["Body"] for one in received(sqs, queue))
    assert len(whole.encode()) == MOST_BYTES
    assert json.loads(short) == ids | {"generation": 2}


def test_a_queue_that_is_made_again_is_found_again(sqs: Any, queue: str) -> None:
    queues = Queues(sqs)
    queues.deliver(to(queue), payload())
    sqs.delete_queue(QueueUrl=sqs.get_queue_url(QueueName=queue)["QueueUrl"])
    assert refused(lambda: queues.deliver(to(queue), payload())) == f"There is no queue {queue}."
    sqs.create_queue(QueueName=queue, Attributes={"FifoQueue": "true"})
    queues.deliver(to(queue), payload())
    assert len(received(sqs, queue)) == 1


def test_an_absent_queue_is_refused(sqs: Any) -> None:
    assert refused(lambda: Queues(sqs).deliver(to("absent.fifo"), payload())) == "There is no queue absent.fifo."


# --- what a client is answered ----------------------------------------------------------------------------------------


def coded(code: str, status: int) -> ClientError:
    return ClientError({"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}, "operation")


LATER = [
    *(
        refusal(code)
        for code in ("RequestThrottled", "ThrottlingException", "OverLimit", "KmsThrottled", "InternalFailure")
    ),
    coded("SomethingNew", 503),
    *LOST,
]
NEVER = [
    "AccessDenied",
    "AccessDeniedException",
    "KmsAccessDenied",
    "KmsNotFound",
    "KmsDisabled",
    "UnsupportedOperation",
]


@pytest.mark.parametrize("answers", [[URL], []], ids=["send_message", "get_queue_url"])
@pytest.mark.parametrize("error", LATER, ids=name_of)
def test_what_may_pass_is_busy(error: Exception, answers: list[Any]) -> None:
    with pytest.raises(Busy):
        Queues(Answering(*answers, error)).deliver(to("decided.fifo"), payload())


@pytest.mark.parametrize("answers", [[URL], []], ids=["send_message", "get_queue_url"])
@pytest.mark.parametrize("code", NEVER)
def test_a_missing_right_is_refused_and_says_which_queue(code: str, answers: list[Any]) -> None:
    why = refused(lambda: Queues(Answering(*answers, refusal(code))).deliver(to("decided.fifo"), payload()))
    assert why == f"The queue decided.fifo refused the message: {code}"


def test_a_queue_with_a_smaller_limit_gets_the_ids() -> None:
    client = Answering(URL, refusal("InvalidParameterValue"), {})
    Queues(client).deliver(to("decided.fifo"), payload())
    (_, whole), (_, short) = client.requests[1:]
    assert set(json.loads(whole.pop("MessageBody"))) - set(json.loads(short.pop("MessageBody"))) == {"resume"}
    assert whole == short


def test_one_that_does_not_even_take_the_ids_is_refused() -> None:
    client = Answering(URL, refusal("InvalidParameterValue"))
    assert "InvalidParameterValue" in refused(lambda: Queues(client).deliver(to("decided.fifo"), payload()))
    large = Answering(URL, refusal("InvalidParameterValue"))
    refused(lambda: Queues(large).deliver(to("decided.fifo"), payload(text="x" * MOST_BYTES)))
    assert (len(client.requests), len(large.requests)) == (3, 2)


def test_the_address_of_a_queue_is_asked_for_once() -> None:
    client = Answering(URL, {})
    queues = Queues(client)
    for pause in "ab":
        queues.deliver(to("decided.fifo"), payload(pause))
    assert [method for method, _ in client.requests] == ["get_queue_url", "send_message", "send_message"]


# --- what SQS takes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("run", ["t-1", "a" * 128, "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"])
def test_a_run_is_its_own_group(run: str) -> None:
    assert group_of(run) == run


@pytest.mark.parametrize("run", ["a" * 129, "with space", "zoë", "", "line\n", "t\x00"])
def test_a_run_that_is_no_group_is_hashed(run: str) -> None:
    assert len(group_of(run)) == 64
    assert group_of(run) != group_of(run + "x")


def test_characters_that_sqs_refuses_are_written_otherwise_and_mean_the_same() -> None:
    """It takes what XML 1.0 takes; JSON escapes control characters by itself, these two it does not."""
    odd = payload(text="\ufffe\uffff\x00\x1f\x7f\u2028\U0001f600 ￾")
    body = body_of(odd)
    allowed = [(0x9, 0xA), (0xD, 0xD), (0x20, 0xD7FF), (0xE000, 0xFFFD), (0x10000, 0x10FFFF)]
    assert all(any(low <= ord(one) <= high for low, high in allowed) for one in body)
    assert json.loads(body) == odd


def test_numbers_go_as_they_were_written() -> None:
    text = '{"type":"t","pause":"p","generation":1,"resume":{"run":"r","native":{"amount":1240.00,"id":12345678901234567890}}}'
    assert body_of(parse(text)) == text
