"""One delivery to a webhook: signed, sent once, and what each answer means."""

from __future__ import annotations

import dataclasses
import socket
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from placet.aws.delivery import Delivering
from placet.model.errors import Busy
from placet.model.pauses import Agent
from tests.contract.hooking import (
    NAME,
    PAYLOAD,
    SECRET,
    TEXT,
    agent,
    posting,
    refused,
    webhooks,
)
from tests.proofs.pushing.server import ADDRESS, Answer, Hook


def test_one_signed_post_that_the_public_library_verifies(hook: Hook) -> None:
    webhooks().deliver(agent(hook), PAYLOAD)
    (request,) = hook.requests
    assert request.body.decode() == TEXT, "numbers and letters as they were written"
    assert request.headers["webhook-id"] == "k3v-2"
    assert Webhook(SECRET).verify(request.body, request.headers)["pause"] == "k3v"
    assert (request.path, request.name, request.headers["host"]) == ("/decided?v=1", NAME, f"{NAME}:{hook.port}")
    assert (request.headers["content-type"], request.headers["connection"]) == ("application/json", "close")


@pytest.mark.parametrize(
    "change", [{"body": TEXT.replace("1240", "1241").encode()}, {"headers": {"webhook-id": "k3v-3"}}]
)
def test_a_changed_delivery_does_not_verify(hook: Hook, change: dict[str, Any]) -> None:
    webhooks().deliver(agent(hook), PAYLOAD)
    (request,) = hook.requests
    changed = dataclasses.replace(request, **change | {"headers": request.headers | change.get("headers", {})})
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(changed.body, changed.headers)


def test_every_attempt_has_the_same_id_and_a_time_of_its_own(hook: Hook) -> None:
    first = datetime.now(UTC) - timedelta(minutes=2)
    webhooks(now=first).deliver(agent(hook), PAYLOAD)
    webhooks().deliver(agent(hook), PAYLOAD)
    one, two = (request.headers for request in hook.requests)
    assert one["webhook-id"] == two["webhook-id"]
    assert one["webhook-timestamp"] == str(int(first.timestamp())) < two["webhook-timestamp"]


@pytest.mark.parametrize("status", [200, 202, 204])
def test_2xx_is_delivered(hook: Hook, status: int) -> None:
    hook.plan = lambda request: Answer(status)
    webhooks().deliver(agent(hook), PAYLOAD)


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504])
def test_what_may_pass_is_busy(hook: Hook, status: int) -> None:
    hook.plan = lambda request: Answer(status)
    with pytest.raises(Busy, match=str(status)):
        webhooks().deliver(agent(hook), PAYLOAD)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 413, 422])
def test_4xx_is_refused_for_good(hook: Hook, status: int) -> None:
    hook.plan = lambda request: Answer(status)
    assert refused(lambda: webhooks().deliver(agent(hook), PAYLOAD)) == f"{NAME} answered {status}."


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirection_is_refused_and_not_followed(hook: Hook, status: int) -> None:
    hook.plan = lambda request: Answer(status, {"location": hook.url(NAME, "/elsewhere")})
    refused(lambda: webhooks().deliver(agent(hook), PAYLOAD))
    assert len(hook.requests) == 1


@pytest.mark.parametrize("how", [Answer(lost=True), Answer(late_s=30), Answer(drop_s=0.05)])
def test_an_answer_that_does_not_come_in_time_is_busy(hook: Hook, how: Answer) -> None:
    """One drop every 50 ms never lets a read time out; the whole of it does."""
    hook.plan = lambda request: how
    began = time.monotonic()
    with pytest.raises(Busy):
        webhooks(posting(total_s=0.5)).deliver(agent(hook), PAYLOAD)
    assert time.monotonic() - began < 2
    assert len(hook.requests) == 1


def test_a_server_that_only_shakes_hands_does_not_hold_anybody() -> None:
    with socket.create_server((ADDRESS, 0)) as silent:
        began = time.monotonic()
        with pytest.raises(Busy):
            posting(total_s=0.3).post(f"https://{NAME}:{silent.getsockname()[1]}/", b"{}", {})
    assert time.monotonic() - began < 2


def test_of_the_answer_only_the_status_is_read(hook: Hook) -> None:
    hook.plan = lambda request: Answer(200, size=1 << 40)
    began = time.monotonic()
    webhooks().deliver(agent(hook), PAYLOAD)
    assert time.monotonic() - began < 2


def test_each_kind_of_target_has_its_way_and_is_built_once() -> None:
    built: list[str] = []

    @dataclasses.dataclass
    class Way:
        kind: str
        taken: list[str] = dataclasses.field(default_factory=list)

        def deliver(self, agent: Agent, payload: dict[str, Any]) -> None:
            built.append(f"{self.kind} to {agent.name}")

    ways = {kind: (lambda kind=kind: built.append(kind) or Way(kind)) for kind in ("lambda", "sqs", "webhook")}
    delivering = Delivering(ways)
    for name, kind in (("a", "sqs"), ("b", "sqs"), ("c", "webhook")):
        delivering.deliver(Agent(name, "role", "owner", kind), {})
    assert built == ["sqs", "sqs to a", "sqs to b", "webhook", "webhook to c"]
