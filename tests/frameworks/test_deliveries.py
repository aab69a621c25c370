"""A consumer of a queue or a webhook: what it believes, takes, leaves alone and hands back."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from placet.client import ClientError, Gateway, GatewayRefused, NotADelivery, Pause, RunIsBusy
from placet.client.deliveries import Delivery, from_sqs, from_webhook, work
from placet.model.errors import Conflict, NotFound
from placet.model.pauses import call_id
from placet.model.states import PauseState, Verdict
from placet.service.execute import claim
from tests.frameworks.delivering import NEXT, SECRET, sent, signed, working
from tests.frameworks.fake_gateway import FakeGateway
from tests.gateway import REFUND, native
from tests.proofs.pushing.house import HOOKED, QUEUED, House

PAYLOAD = {"type": "placet.decided", "pause": "k3v", "generation": 2}


@pytest.fixture
def gateway() -> House:
    return House()


def test_a_message_of_the_queue_is_read_from_lambda_and_from_receive_message(gateway: House) -> None:
    pause, payload = sent(gateway)
    for record in ({"body": json.dumps(payload), "messageId": "1"}, {"Body": json.dumps(payload)}):
        delivery = from_sqs(record)
        assert (delivery.pause, delivery.generation) == (pause, 1)
        assert delivery.resume is not None
        assert delivery.resume.calls[0].arguments == '{"order_id":"1182","amount":240.5}'


def test_a_message_that_was_too_large_has_no_decisions() -> None:
    assert from_sqs({"body": json.dumps(PAYLOAD)}) == Delivery("k3v", 2, None)


def test_a_signed_post_is_read(gateway: House) -> None:
    pause, payload = sent(gateway, HOOKED)
    headers, text = signed(payload)
    delivery = from_webhook(headers, text.encode(), SECRET)
    assert (delivery.pause, delivery.resume) == (pause, Pause.of(payload["resume"]))
    assert from_webhook({name.lower(): one for name, one in headers.items()}, text, f"{NEXT} {SECRET}") == delivery


def without(name: str) -> dict[str, str]:
    return {key: value for key, value in signed(PAYLOAD)[0].items() if key != name}


def in_minutes(count: int) -> datetime:
    return datetime.now(UTC) + timedelta(minutes=count)


def with_header(name: str, value: str) -> tuple[dict[str, str], str]:
    return signed(PAYLOAD)[0] | {name: value}, json.dumps(PAYLOAD)


# Made when the test runs, not when it is collected: a signature is believed for five minutes.
FOREIGN: dict[str, Callable[[], tuple[dict[str, str], str | bytes]]] = {
    "under another secret": lambda: signed(PAYLOAD, NEXT),
    "six minutes old": lambda: signed(PAYLOAD, at=in_minutes(-6)),
    "six minutes ahead": lambda: signed(PAYLOAD, at=in_minutes(6)),
    "another body": lambda: (signed(PAYLOAD)[0], json.dumps(PAYLOAD | {"generation": 3})),
    "another name": lambda: signed(PAYLOAD, name="k3v-3"),
    "nothing": lambda: ({}, json.dumps(PAYLOAD)),
    "no id": lambda: (without("Webhook-Id"), json.dumps(PAYLOAD)),
    "no signature": lambda: with_header("Webhook-Signature", "garbage"),
    "no base64": lambda: with_header("Webhook-Signature", "v1,!"),
    "no ASCII": lambda: with_header("Webhook-Signature", "v1,é"),
    "no moment": lambda: with_header("Webhook-Timestamp", "soon"),
    "another type": lambda: signed(PAYLOAD | {"type": "placet.other"}),
    "no UTF-8": lambda: (signed(PAYLOAD)[0], b"\xff\xfe"),
}


@pytest.mark.parametrize("what", FOREIGN)
def test_what_the_gateway_did_not_sign_now_is_no_delivery(what: str) -> None:
    headers, body = FOREIGN[what]()
    with pytest.raises(NotADelivery):
        from_webhook(headers, body, SECRET)


def told(**more: Any) -> str:
    return json.dumps({"type": "placet.decided"} | more)


@pytest.mark.parametrize(
    "body",
    [
        *(None, 7, "", "[]", "null", "{", "{}", told(), told(pause="p"), told(pause="p", generation="x")),
        told(pause="p", generation=1, resume={}),
        told(pause="p", generation=1, resume=7),
    ],
)
def test_other_messages_are_no_deliveries(body: Any) -> None:
    with pytest.raises(NotADelivery):
        from_sqs({"body": body})
    with pytest.raises(NotADelivery):
        from_sqs({})


def test_an_empty_secret_believes_nothing() -> None:
    headers, text = signed(PAYLOAD)
    for secret in ("", "whsec_", " "):
        with pytest.raises(NotADelivery):
            from_webhook(headers, text, secret)


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "standardwebhooks.webhooks", None)
    with pytest.raises(ClientError, match=r"placet\[webhooks\]"):
        from_webhook(*signed(PAYLOAD), SECRET)


def test_queues_need_no_package_of_webhooks() -> None:
    lines = "import sys, placet.client.deliveries; print('standardwebhooks' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_delivery_is_worked_on_once_however_often_it_comes(gateway: House) -> None:
    pause, payload = sent(gateway)
    talking, paid, handler = working(gateway)
    delivery = from_sqs({"body": json.dumps(payload)})
    assert [work(talking, delivery, handler) for _ in range(3)] == [True, False, False]
    assert paid == ["1182"]
    assert gateway.head(pause).state is PauseState.ENDED


def test_while_somebody_works_the_message_stays_in_the_queue(gateway: House) -> None:
    _, payload = sent(gateway)
    talking, paid, handler = working(gateway)
    delivery = from_sqs({"body": json.dumps(payload)})

    def beside(pause: Pause) -> None:
        with pytest.raises(RunIsBusy):
            work(talking, delivery, handler)
        handler(pause)

    assert work(talking, delivery, beside)
    assert paid == ["1182"]


def test_what_the_handler_raises_goes_through_and_the_next_delivery_goes_on(gateway: House) -> None:
    _, payload = sent(gateway)
    talking, paid, handler = working(gateway)
    delivery = from_sqs({"body": json.dumps(payload)})

    def failing(pause: Pause) -> None:
        raise ConnectionError("the database is away")

    with pytest.raises(ConnectionError):
        work(talking, delivery, failing)
    gateway.clock.move(120)
    assert work(talking, delivery, handler)
    assert paid == ["1182"]


def test_a_delivery_of_an_approval_that_got_too_old_finds_nothing_to_do(gateway: House) -> None:
    pause, payload = sent(gateway)
    gateway.clock.move(24 * 3600)
    with pytest.raises(Conflict, match="too old"):
        claim(gateway.ports, QUEUED, call_id(pause, 1), gateway.head(pause).calls[0].digest, "late")
    talking, paid, handler = working(gateway)
    assert not work(talking, from_sqs({"body": json.dumps(payload)}), handler)
    assert paid == []


def test_what_is_worked_on_is_what_is_decided_and_not_what_the_message_says(gateway: House) -> None:
    """A message that somebody else put into the queue moves nothing but a look at the gateway."""
    head = gateway.shown(REFUND, agent=QUEUED)
    gateway.decide(head, 1, Verdict.REJECT)
    talking, _, _ = working(gateway)
    seen: list[Pause] = []
    forged = {"type": "placet.decided", "pause": head.pause, "generation": 1}
    forged |= {"resume": {"pause": head.pause, "state": "decided", "calls": []}}
    work(talking, from_sqs({"body": json.dumps(forged)}), seen.append)
    assert [call.state for call in seen[0].calls] == ["rejected"]


def test_a_delivery_of_another_agent_is_as_absent_as_none(gateway: House) -> None:
    _, payload = sent(gateway)
    talking, _, handler = working(gateway, HOOKED)
    with pytest.raises(GatewayRefused) as refused:
        work(talking, from_sqs({"body": json.dumps(payload)}), handler)
    assert (refused.value.status, refused.value.code) == (404, NotFound().code)


def test_the_lease_is_renewed_while_the_handler_works() -> None:
    """On the gateway of the frameworks' tests too: the routes are those of docs/api.md."""
    fake = FakeGateway()
    talking = Gateway(transport=fake)
    captured = talking.capture("langchain", "thread-1", native(REFUND))
    fake.decide(captured.calls[0].call, "accepted")
    taken: list[Pause] = []
    assert work(talking, Delivery(captured.pause, 1), taken.append)
    assert [one.fence for one in taken] == [1]
