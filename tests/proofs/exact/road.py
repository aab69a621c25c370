"""The way of a call's arguments through the handlers: captured, shown, decided, claimed, resumed; by the bytes of requests."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

from placet import wiring
from placet.service.notify import notify
from tests.gateway import Gateway

ACCOUNT = "111122223333"
AGENT = {"iam": {"userArn": f"arn:aws:sts::{ACCOUNT}:assumed-role/placet-support-agent/x", "accountId": ACCOUNT}}
TOOL = "some_tool"


@contextmanager
def opened() -> Iterator[Road]:
    """Handlers on an in-memory gateway, without a log."""
    road = Road()
    with mock.patch.object(wiring, "ports", return_value=road.gateway.ports), mock.patch.object(wiring, "log"):
        yield road


@dataclass
class Road:
    """Sends requests as API Gateway does."""

    gateway: Gateway = field(default_factory=Gateway)

    def send(self, function: str, route: str, who: dict[str, Any], body: str = "", item: str = "") -> tuple[int, Any]:
        """One request; status and answer."""
        event = {
            "version": "2.0",
            "routeKey": route,
            "headers": {"content-type": "application/json"},
            "pathParameters": {"id": item},
            "requestContext": {"authorizer": who, "accountId": ACCOUNT},
            "body": body,
        }
        answer = importlib.import_module(f"functions.{function}.handler").handler(event, None)
        return answer["statusCode"], json.loads(answer["body"])

    def capture(self, texts: list[str], checkpoint: str) -> tuple[int, Any]:
        """A pause of one call per text, the text put into the body as it stands."""
        interrupts = [
            f'{{"id":"{at:032x}","value":{{"type":"tool_approval","tool_call_id":"c","name":"{TOOL}","args":{text}}}}}'
            for at, text in enumerate(texts)
        ]
        return self.send("capture", "POST /v1/pauses", AGENT, body_of(interrupts, checkpoint))

    def show(self, pause: str) -> list[dict[str, Any]]:
        """Bring it into the queue; the calls as the reviewer sees them."""
        notify(self.gateway.ports, pause, 1, "token")
        return list(self.send("review", "GET /v1/reviews/{id}", person("maria"), item=pause)[1]["calls"])

    def decide(self, call: dict[str, Any], verdict: str, **more: str) -> tuple[int, Any]:
        """Decide what is shown."""
        facts = {"decision": verdict, "revision": call["revision"], "digest": call["digest"], **more}
        route = "POST /v1/reviews/{id}/decision"
        return self.send("decide", route, person("maria"), json.dumps(facts), call["call"])

    def claim(self, call: str, digest: str) -> tuple[int, Any]:
        """Claim the permit."""
        return self.send(
            "execute", "POST /v1/calls/{id}/claim", AGENT, json.dumps({"digest": digest, "worker": "w"}), call
        )

    def stored(self) -> int:
        """How many items there are."""
        return len(self.gateway.table.items)


def body_of(interrupts: list[str], checkpoint: str) -> str:
    """The text of a capture request."""
    native = (
        f'"mode":"per_call","checkpoint_ns":"","checkpoint_id":"{checkpoint}","interrupts":[{",".join(interrupts)}]'
    )
    return f'{{"framework":"langchain","run":"thread-1","native":{{{native}}}}}'


def person(sub: str) -> dict[str, Any]:
    """A reviewer's verified token."""
    return {"jwt": {"claims": {"sub": sub, "token_use": "access"}}}
