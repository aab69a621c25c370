"""The SDK's requests, answered by the handlers of this process as if signed under a role."""

from __future__ import annotations

import importlib
import json
import re
from dataclasses import dataclass, field
from typing import Any

from placet.client.errors import GatewayRefused, GatewayUnavailable
from placet.client.transport import Answer
from tests.functions.conftest import ACCOUNT, role_arn

ROUTES = (
    ("execute", "POST /v1/calls/{id}/claim"),
    ("execute", "POST /v1/calls/{id}/outcome"),
    ("invoke_agent", "POST /v1/agents/{agent}/invoke"),
    ("pick_up", "GET /v1/runs/{id}"),
)


@dataclass
class Handlers:
    """What a `Gateway(transport=...)` talks to; `placet.wiring.ports` gives the handlers their ports.

    Attributes:
        down: no request is answered.
        lost: the answer of the next request gets lost, and it is sent again.
    """

    role: str
    down: bool = False
    lost: bool = False
    requests: list[str] = field(default_factory=list)

    def send(self, method: str, path: str, body: str | None = None) -> Answer:
        """One request."""
        self.requests.append(f"{method} {path}")
        if self.down:
            raise GatewayUnavailable("down")
        answer = self._handled(method, path, body)
        if self.lost:
            self.lost = False
            answer = self._handled(method, path, body)
        given = json.loads(answer["body"])
        if answer["statusCode"] >= 500:
            raise GatewayUnavailable(given["code"], answer["statusCode"])
        if answer["statusCode"] >= 400:
            raise GatewayRefused(answer["statusCode"], given["code"], given["detail"], given)
        return Answer(given, 0.0)

    def _handled(self, method: str, path: str, body: str | None) -> dict[str, Any]:
        for function, route in ROUTES:
            pattern = re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", route)
            if found := re.fullmatch(pattern, f"{method} {path}"):
                iam = {"iam": {"userArn": role_arn(self.role), "accountId": ACCOUNT}}
                event = {
                    "version": "2.0", "routeKey": route, "rawPath": path, "body": body or "",
                    "headers": {"content-type": "application/json"}, "pathParameters": found.groupdict(),
                    "requestContext": {"accountId": ACCOUNT, "http": {"method": method}, "authorizer": iam},
                }  # fmt: skip
                return dict(importlib.import_module(f"functions.{function}.handler").handler(event, None))
        raise AssertionError(f"no route: {method} {path}")
