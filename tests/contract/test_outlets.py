"""One event to one sink: what is sent where, and what each answer means."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from standardwebhooks import Webhook

from placet.aws.delivery.outlets import Outlets
from placet.aws.delivery.signatures import Secrets
from placet.model.bus import COMMON
from placet.model.errors import Busy
from placet.model.sinks import Sink
from placet.web import chat
from tests.contract.faults import Answering, refusal
from tests.contract.hooking import NAME, SECRET, posting, refused
from tests.proofs.pushing.server import Answer, Hook

DETAIL: dict[str, Any] = {
    **dict.fromkeys(sorted(COMMON), ""), "event": "visible", "id": "k3v#refused#\r\nx: y", "tools": ["issue_refund"],
    "classes": ["money-out"], "agent": "support-agent", "link": "https://placet.example.com/reviews/k3v", "deadline_ms": 1,
}  # fmt: skip


def outlets(secret: str = "", *, sns: Any = None, way: Any = None) -> Outlets:
    render = {"slack": chat.slack, "teams": chat.teams}
    secrets = Secrets(Answering({"SecretString": secret}))
    return Outlets(
        render, "arn:aws:sns:eu:1:", secrets=secrets, posting=way or posting(), sns=sns, now=lambda: datetime.now(UTC)
    )


def chatting(hook: Hook, kind: str) -> None:
    outlets(hook.url(NAME, "/services/T/B/X")).tell(Sink("a", kind, secret="chat/a"), DETAIL, "")


@pytest.mark.parametrize("kind", ["slack", "teams"])
def test_a_chat_gets_its_message_at_the_secret_address(hook: Hook, kind: str) -> None:
    chatting(hook, kind)
    (request,) = hook.requests
    assert request.path == "/services/T/B/X"
    assert json.loads(request.body) == json.loads(json.dumps(getattr(chat, kind)(DETAIL, "")))


def test_a_webhook_gets_the_event_signed_under_a_name_that_stays(hook: Hook) -> None:
    sink = Sink("a", "webhook", url=hook.url(NAME, "/x"), secret="hooks/a")
    for _ in range(2):
        outlets(SECRET).tell(sink, DETAIL, "Refund 240.50")
    one, two = hook.requests
    assert one.headers["webhook-id"] == two.headers["webhook-id"]
    assert one.headers["webhook-id"].startswith("msg_")
    told = Webhook(SECRET).verify(one.body, one.headers)
    assert (told["type"], told["data"]["id"], told["headline"]) == ("placet.visible", DETAIL["id"], "Refund 240.50")


def test_without_a_headline_none_is_told(hook: Hook) -> None:
    outlets(SECRET).tell(Sink("a", "webhook", url=hook.url(NAME, "/x"), secret="hooks/a"), DETAIL, "")
    assert "headline" not in json.loads(hook.requests[0].body)


@pytest.mark.parametrize("status", [301, 400, 403, 404, 410])
def test_an_answer_that_says_never(hook: Hook, status: int) -> None:
    hook.plan = lambda request: Answer(status)
    assert refused(lambda: chatting(hook, "slack")) == f"{NAME} answered {status}."


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_an_answer_that_says_later(hook: Hook, status: int) -> None:
    hook.plan = lambda request: Answer(status)
    with pytest.raises(Busy):
        chatting(hook, "slack")


@pytest.mark.parametrize("address", ["http://hooks.example/x", "https://u:p@hooks.example/", "", "file:///etc/passwd"])
def test_a_secret_that_is_no_address(address: str) -> None:
    sink = Sink("a", "slack", secret="chat/a")
    assert "https" in refused(lambda: outlets(address).tell(sink, DETAIL, ""))


@pytest.mark.parametrize("private", ["169.254.169.254", "10.0.0.1", "::1"])
def test_a_private_address_is_never_called(private: str) -> None:
    sink = Sink("a", "teams", secret="chat/a")
    told = refused(lambda: outlets("https://hooks.example/x", way=posting(private)).tell(sink, DETAIL, ""))
    assert "not a public one" in told
    assert "/x" not in told


def test_the_address_is_in_no_error(hook: Hook) -> None:
    hook.plan = lambda request: Answer(404)
    assert "services" not in refused(lambda: chatting(hook, "slack"))


def test_a_topic_gets_the_event_with_what_subscriptions_filter_by() -> None:
    topic = Answering({})
    outlets(sns=topic).tell(Sink("a", "sns", topic="ops"), DETAIL, "")
    ((_, asked),) = topic.requests
    assert asked["TopicArn"] == "arn:aws:sns:eu:1:ops"
    assert asked["MessageAttributes"]["event"] == {"DataType": "String", "StringValue": "placet.visible"}
    assert json.loads(asked["Message"])["data"]["pause"] == DETAIL["pause"]


@pytest.mark.parametrize(("code", "final"), [("NotFound", True), ("AuthorizationError", True), ("Throttled", False)])
def test_what_a_topic_says(code: str, final: bool) -> None:
    told = outlets(sns=Answering(refusal(code)))
    if final:
        assert code in refused(lambda: told.tell(Sink("a", "sns", topic="ops"), DETAIL, ""))
    else:
        with pytest.raises(Busy):
            told.tell(Sink("a", "sns", topic="ops"), DETAIL, "")
